// Where each 32-bit word of each value is live, over all paths, loops included.
//
// Every instruction is two points: it reads at 2k and writes at 2k + 1. So a result may take the
// register of an operand that dies there, unless the hardware reads that operand late.
//
// Writes: conversions into half a register write that half and keep the other. A vector write or a
// load while EXEC may be partial keeps what the other lanes hold, so it starts no new life, unless
// all its readers stand under that same mask. EXEC is full at entry and after
// `s_mov_b64 exec, -1`, and partial after any other write of it. MFMA ignores EXEC.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.hpp"

namespace zyfa {

class Bits {
public:
    explicit Bits(size_t size = 0, bool value = false)
        : words_((size + 63) / 64, value ? ~uint64_t{0} : 0) {}
    void set(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
    void clear(size_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
    bool operator[](size_t i) const { return words_[i / 64] >> (i % 64) & 1; }
    bool merge(const Bits& o);  // |=, true if that changed anything
    void keep(const Bits& o);   // &=
    bool meets(const Bits& o) const;
    std::vector<size_t> ones() const;
    bool operator==(const Bits&) const = default;

private:
    std::vector<uint64_t> words_;
};

// Words of registers: the virtual ones of the three files, then the physical ones that the program
// names itself (s0..s101, v, a).
struct Cells {
    explicit Cells(const Program&);
    uint32_t count = 0;
    uint32_t virtual_first[3]{}, physical_first[3]{};
    // Not for vcc, exec, m0 and the like: those are never allocated.
    bool has(const Access& a) const {
        return a.is_virtual || a.file != File::s || a.first < kSgprs;
    }
    uint32_t of(File f, uint32_t word, bool is_virtual) const {
        return (is_virtual ? virtual_first : physical_first)[unsigned(f)] + word;
    }
    static constexpr uint32_t kSgprs = 102;
};

struct Liveness {
    explicit Liveness(const Program&);
    Cells cells;
    std::vector<const Inst*> insts;  // in layout order
    uint32_t points = 0;             // 2 * insts
    std::vector<Bits> live;          // by cell: at which points
};

}  // namespace zyfa
