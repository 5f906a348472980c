#!/usr/bin/env python3
"""Writes llvm_folds.txt: instruction vectors whose results are what LLVM's optimiser (opt-22) folds the
AMDGPU intrinsics to when their arguments are constants. Needs nothing of this project."""
import re
import struct
import subprocess

F32 = [0x00000000, 0x80000000, 0x00000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f7fffff,
       0x3fc00000, 0x40490fdb, 0xc2f6e979, 0x4b800001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
       0x3dcccccd, 0xb3800000, 0xc0a00000, 0x477ff000, 0x477fefff, 0x33000001]
INTS = [0, 1, 2, 5, 31, 32, 0xff, 0x8001, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xdeadbeef]


def f32(bits):
    # LLVM writes floats as the hexadecimal of the double of the same value.
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return "0x%016X" % struct.unpack("<Q", struct.pack("<d", value))[0]


def f32_bits(text):
    if text.startswith("0x"):
        value = struct.unpack("<d", struct.pack("<Q", int(text, 16)))[0]
    else:
        value = float(text)
    return struct.unpack("<I", struct.pack("<f", value))[0]


def half_bits(text):
    if text.startswith("0xH"):
        return int(text[3:], 16)
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]


def triples(values):
    n = len(values)
    return [(values[a], values[(a * 5 + k * 3 + 1) % n], values[(a * 3 + k * 5 + 2) % n])
            for a in range(n) for k in range(4)]


def pairs(values):
    return [(a, b) for i, a in enumerate(values) for b in values[i % 2::2]]


SELECTORS = [0x03020100, 0x07060504, 0x00010203, 0x0c0c0c0c, 0x0d0d0d0d, 0x08090a0b, 0x07050301, 0x0c040c00, 0xff0c0106]
CASES = [
    # assembly, intrinsic, result type, argument type, arguments
    ("v_perm_b32 v8, v2, v3, v4", "llvm.amdgcn.perm", "i32", "i32",
     [(a, b, s) for a, b in pairs(INTS[6:]) for s in SELECTORS]),
    ("v_bfe_u32 v8, v2, v3, v4", "llvm.amdgcn.ubfe.i32", "i32", "i32",
     [t for t in triples(INTS)]),
    ("v_bfe_i32 v8, v2, v3, v4", "llvm.amdgcn.sbfe.i32", "i32", "i32",
     [t for t in triples(INTS)]),
    ("v_med3_f32 v8, v2, v3, v4", "llvm.amdgcn.fmed3.f32", "float", "float", triples(F32)),
    ("v_fract_f32 v8, v2", "llvm.amdgcn.fract.f32", "float", "float", [(x,) for x in F32]),
    ("v_mul_legacy_f32 v8, v2, v3", "llvm.amdgcn.fmul.legacy", "float", "float", pairs(F32)),
    ("v_cvt_pkrtz_f16_f32 v8, v2, v3", "llvm.amdgcn.cvt.pkrtz", "<2 x half>", "float", pairs(F32)),
]


def module():
    text, names, used = 'target triple = "amdgcn-amd-amdhsa"\n', [], set()
    for group, (_, name, result, argument, cases) in enumerate(CASES):
        used.add("declare %s @%s(%s)\n" % (result, name, ", ".join([argument] * len(cases[0]))))
        for n, case in enumerate(cases):
            values = [f32(x) if argument == "float" else str(x if x < 1 << 31 else x - (1 << 32)) for x in case]
            call = ", ".join("%s %s" % (argument, v) for v in values)
            text += "define %s @t%d_%d() {\n  %%r = call %s @%s(%s)\n  ret %s %%r\n}\n" % (
                result, group, n, result, name, call, result)
    return text + "".join(sorted(used))


def main():
    folded = subprocess.run(["opt-22", "-S", "-mcpu=gfx950", "-passes=instcombine,instsimplify", "-"], input=module(),
                            text=True, capture_output=True, check=True).stdout
    got = {}
    for m in re.finditer(r"define [^@]*@t(\d+)_(\d+)\(\)[^{]*{\n(.*?)}", folded, re.S):
        got[int(m.group(1)), int(m.group(2))] = m.group(3)
    with open("llvm_folds.txt", "w") as out:
        out.write("# Made by make_folds.py with opt-22; see README.md.\n")
        for group, (lines, _, result, _, cases) in enumerate(CASES):
            out.write("@ %s\n" % lines)
            for n, case in enumerate(cases):
                m = re.match(r"\s*ret (?:i32|float|<2 x half>) (.*)\n$", got[group, n])
                if not m or "%" in m.group(1):
                    continue  # not folded
                value = m.group(1).strip()
                if result == "i32":
                    bits = "%08x" % (int(value) & 0xffffffff)
                elif result == "float":
                    bits = "nan32" if value.lower().startswith("0x7ff8") or value == "nan" else "%08x" % f32_bits(value)
                else:
                    value = "<half 0.0, half 0.0>" if value == "zeroinitializer" else value
                    value = re.sub(r"splat \(half ([^)]*)\)", r"<half \1, half \1>", value)
                    low, high = re.findall(r"half ([^,>]+)", value)
                    bits = "%08x" % (half_bits(low) | half_bits(high) << 16)
                out.write(" ".join("%08x" % x for x in case) + " -> " + bits + "\n")


main()
