// Shapes of attention as users type them: b=1,h=32,hk=8,sq=4096,sk=4096, or with the names that
// the ck_tile and AITER attention executables use (b, h, h_k, s, s_k, d, d_v, mask).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zyfa {

struct AttentionShape {
    uint32_t b = 1, hq = 1, hk = 1;
    uint32_t sq = 0, sk = 0;
    // Only to be compared with what a kernel is made for; absent = whatever the kernel has.
    std::optional<uint32_t> d_qk, d_v;
    std::optional<bool> causal;
    std::optional<std::string> dtype;

    std::string text() const;  // b=1,h=32,hk=8,sq=4096,sk=4096
};

// Error (Exit::usage): unknown key, no number, given twice. Error (Exit::unsupported): heads that
// are no multiple of the key heads.
AttentionShape parse_shape(std::string_view text);

}  // namespace zyfa
