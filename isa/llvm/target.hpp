// The set of LLVM MC objects for amdgcn-amd-amdhsa gfx950. One Target per call: LLVM's contexts
// are not shared between threads. Included by isa/llvm/*.cpp only.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/TargetParser/Triple.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace zyfa::mc {

struct Target {
    Target();

    const llvm::Triple triple{"amdgcn-amd-amdhsa"};
    const llvm::Target* target;
    llvm::MCTargetOptions options;
    std::unique_ptr<llvm::MCRegisterInfo> registers;
    std::unique_ptr<llvm::MCAsmInfo> asm_info;
    std::unique_ptr<llvm::MCInstrInfo> instructions;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
};

// Runs LLVM's assembly parser over `text` into the streamer that `make` builds in the given
// context. Throws Error with the first diagnostic.
void run_assembler(const Target&, std::string_view text, std::string_view name,
                   const std::function<std::unique_ptr<llvm::MCStreamer>(llvm::MCContext&)>& make);

}  // namespace zyfa::mc
