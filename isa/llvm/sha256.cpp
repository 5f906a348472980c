#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include "isa/llvm/mc.hpp"

namespace zyfa {

std::string sha256(std::span<const uint8_t> content) {
    auto hash = llvm::SHA256::hash(llvm::ArrayRef<uint8_t>(content.data(), content.size()));
    return llvm::toHex(hash, /*LowerCase=*/true);
}

}  // namespace zyfa
