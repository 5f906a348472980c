#include "isa/llvm/target.hpp"

#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <mutex>

#include "isa/error.hpp"

extern "C" {
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUDisassembler();
}

namespace zyfa::mc {

Target::Target() {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUAsmParser();
        LLVMInitializeAMDGPUDisassembler();
    });
    std::string why;
    target = llvm::TargetRegistry::lookupTarget(triple, why);
    if (!target) throw Error("LLVM has no AMDGPU target: " + why, Exit::internal);
    registers.reset(target->createMCRegInfo(triple));
    asm_info.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple, "gfx950", ""));
}

namespace {

struct Diagnostics {
    std::string first;
    static void take(const llvm::SMDiagnostic& d, void* self) {
        auto& out = static_cast<Diagnostics*>(self)->first;
        if (d.getKind() == llvm::SourceMgr::DK_Error && out.empty())
            out = fmt::format("{}:{}:{}: {}", std::string_view(d.getFilename()), d.getLineNo(),
                              d.getColumnNo() + 1, std::string_view(d.getMessage()));
    }
};

}  // namespace

void run_assembler(const Target& t, std::string_view text, std::string_view name,
                   const std::function<std::unique_ptr<llvm::MCStreamer>(llvm::MCContext&)>& make) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // UTF-8 byte order mark
    Diagnostics found;
    llvm::SourceMgr sources;
    sources.setDiagHandler(Diagnostics::take, &found);
    sources.AddNewSourceBuffer(
        llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text), llvm::StringRef(name)), {});

    llvm::MCContext context(t.triple, t.asm_info.get(), t.registers.get(), t.subtarget.get(),
                            &sources, &t.options);
    // Errors found after parsing (fixups out of range) come without a source manager.
    context.setDiagnosticHandler(
        [&found](const llvm::SMDiagnostic& d, bool, const llvm::SourceMgr&,
                 std::vector<const llvm::MDNode*>&) { Diagnostics::take(d, &found); });
    std::unique_ptr<llvm::MCObjectFileInfo> files(
        t.target->createMCObjectFileInfo(context, /*PIC=*/true));
    context.setObjectFileInfo(files.get());

    auto streamer = make(context);
    std::unique_ptr<llvm::MCAsmParser> parser(
        llvm::createMCAsmParser(sources, context, *streamer, *t.asm_info));
    std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
        t.target->createMCAsmParser(*t.subtarget, *parser, *t.instructions, t.options));
    parser->setTargetParser(*target_parser);
    bool failed = parser->Run(/*NoInitialTextSection=*/false) || context.hadError();
    if (failed || !found.first.empty())
        throw Error(found.first.empty() ? fmt::format("{}: does not assemble", name) : found.first);
}

}  // namespace zyfa::mc
