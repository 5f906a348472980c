#include "isa/banks.hpp"

#include <algorithm>
#include <bit>

namespace zyfa {

BankUse bank_use(LdsAccess access, std::span<const uint32_t, 64> byte_address, uint64_t active,
                 const Machine& m) {
    const unsigned lane_bytes = lds_access_bytes(access), bank_bytes = m.lds_bank_bytes.count();
    for (unsigned lane = 0; lane < 64; ++lane)
        if ((active >> lane & 1) && byte_address[lane] % lane_bytes)
            throw Error(fmt::format("{}: lane {} has address {:#x}, not a multiple of {}",
                                    lds_access_name(access), lane, byte_address[lane], lane_bytes));
    struct Row {
        unsigned bank, row;
        int lane;
    };
    const LdsPhases& phases = m.phases(access);
    BankUse use;
    std::vector<Row> rows;
    for (const uint64_t phase : phases.lanes) {
        rows.clear();
        for (unsigned lane = 0; lane < 64; ++lane) {
            if (!((phase & active) >> lane & 1)) continue;
            for (unsigned byte = 0; byte < lane_bytes; byte += bank_bytes) {
                const unsigned word = (byte_address[lane] + byte) / bank_bytes;
                rows.push_back({word % phases.banks, word / phases.banks, int(lane)});
            }
        }
        if (rows.empty()) continue;
        const auto before = [](const Row& a, const Row& b) {
            return a.bank != b.bank ? a.bank < b.bank : a.row < b.row;
        };
        std::stable_sort(rows.begin(), rows.end(), before);
        unsigned longest = 0;
        for (size_t i = 0; i < rows.size();) {
            size_t end = i;
            unsigned count = 0;
            int other = -1;
            for (; end < rows.size() && rows[end].bank == rows[i].bank; ++end) {
                if (end > i && rows[end].row == rows[end - 1].row) continue;
                if (++count == 2) other = rows[end].lane;
            }
            if (count > use.rows) {
                use.rows = count, use.bank = rows[i].bank;
                use.lane_a = count > 1 ? rows[i].lane : -1, use.lane_b = other;
            }
            longest = std::max(longest, count);
            i = end;
        }
        use.minimal += 1;
        use.needed += longest;
    }
    return use;
}

unsigned phases_needed(LdsAccess access, std::span<const uint64_t, 64> byte_address,
                       uint64_t active, const Machine& m) {
    const unsigned bank_bytes = m.lds_bank_bytes.count();
    const unsigned words = lds_access_bytes(access) / bank_bytes;
    const LdsPhases& phases = m.phases(access);
    // Rows that each bank has to give in this phase, the first one kept apart: most have no more.
    std::vector<uint32_t> first(phases.banks), count(phases.banks), others;
    unsigned needed = 0;
    for (const uint64_t phase : phases.lanes) {
        std::fill(count.begin(), count.end(), 0u);
        others.clear();
        unsigned longest = 0;
        for (uint64_t lanes = phase & active; lanes; lanes &= lanes - 1) {
            const uint64_t start = byte_address[unsigned(std::countr_zero(lanes))] / bank_bytes;
            for (unsigned n = 0; n < words; ++n) {
                const uint32_t word = uint32_t(start + n), bank = word % phases.banks;
                if (count[bank] == 0) first[bank] = word;
                else if (first[bank] == word ||
                         std::find(others.begin(), others.end(), word) != others.end())
                    continue;
                else others.push_back(word);
                longest = std::max(longest, ++count[bank]);
            }
        }
        needed += longest;
    }
    return needed;
}

std::optional<LdsAccess> lds_access(Op op) {
    switch (op) {
        case Op::ds_read_b32: return LdsAccess::read_b32;
        case Op::ds_read_b64: return LdsAccess::read_b64;
        case Op::ds_read_b128: return LdsAccess::read_b128;
        case Op::ds_read_b64_tr_b8: return LdsAccess::read_tr_b8;
        case Op::ds_read_b64_tr_b16: return LdsAccess::read_tr_b16;
        case Op::ds_write_b32: return LdsAccess::write_b32;
        case Op::ds_write_b64: return LdsAccess::write_b64;
        case Op::ds_write_b128: return LdsAccess::write_b128;
        case Op::buffer_load_dword_lds: return LdsAccess::dma_b32;
        case Op::buffer_load_dwordx4_lds: return LdsAccess::dma_b128;
        default: return std::nullopt;
    }
}

}  // namespace zyfa
