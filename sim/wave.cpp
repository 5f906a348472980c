#include "sim/wave.hpp"

#include "sim/vector.hpp"

namespace zyfa::sim {

// Apertures of flat addresses (Linux amdkfd, kfd_flat_memory.c, gfx9; certain).
static uint64_t special64(unsigned index) {
    switch (index) {
        case kSharedBase: return kSharedAperture;
        case kSharedLimit: return kSharedAperture | 0xffffffff;
        case kPrivateBase: return kPrivateAperture;
        default: return kPrivateAperture | 0xffffffff;
    }
}

uint32_t Wave::read(const Ref& r, unsigned word) const {
    if (r.kind == Ref::Kind::constant) return r.constant[word];
    unsigned index = r.index + word;
    if (index < scalar.size()) return scalar[index];
    if (r.words == 2) return uint32_t(special64(r.index) >> 32 * word);
    if (index == kVccz) return scalar64(kVcc) == 0;
    if (index == kExecz) return exec() == 0;
    return scc;  // kScc: prepare() lets nothing else through
}

uint64_t Wave::read64(const Ref& r) const {
    if (r.kind == Ref::Kind::constant) return r.constant[0] | uint64_t(r.constant[1]) << 32;
    if (r.index >= scalar.size()) return special64(r.index);
    return scalar64(r.index);
}

ZYFA_CLONES static void spread(uint32_t* __restrict d, uint32_t value) {
    for (unsigned l = 0; l < kLanes; ++l) d[l] = value;
}

ZYFA_CLONES static void blend(uint32_t* __restrict d, const uint32_t* __restrict a, uint32_t low,
                              uint32_t high) {
    for (unsigned l = 0; l < 32; ++l) {
        uint32_t keep = ((low >> l) & 1) - 1;
        d[l] = (d[l] & keep) | (a[l] & ~keep);
    }
    for (unsigned l = 0; l < 32; ++l) {
        uint32_t keep = ((high >> l) & 1) - 1;
        d[32 + l] = (d[32 + l] & keep) | (a[32 + l] & ~keep);
    }
}

const uint32_t* Wave::lanes(const Ref& r, unsigned word, Lanes& room) const {
    if (r.kind == Ref::Kind::vector) return vector[r.index + word].word;
    spread(room.word, read(r, word));
    return room.word;
}

void Wave::write_lanes(const Ref& r, unsigned word, const Lanes& values, uint64_t active) {
    Lanes& to = vector[r.index + word];
    if (active == kAllLanes) to = values;
    else blend(to.word, values.word, uint32_t(active), uint32_t(active >> 32));
}

static std::string place(const Step& s) {
    return fmt::format("{:#06x}: {}", s.from->address, s.from->text);
}

void Wave::note(const char* rule, Severity severity, const Step& here, const Step* other,
                std::string message, int lane, uint64_t location) {
    uint32_t other_address = other ? other->from->address : ~0u;
    const Options& options = *group->options;
    if (options.wanted && !options.wanted(rule, here.from->address, other_address)) return;
    group->has_error |= severity == Severity::error;
    if (group->reporter->repeats(group->index, rule, here.from->address, other_address)) return;
    Finding f;
    f.rule = rule;
    f.severity = severity;
    f.address = here.from->address;
    f.text = here.from->text;
    if (other) f.other = place(*other);
    f.message = std::move(message);
    f.wave = number;
    f.workgroup = int64_t(group->index);
    f.lane = lane;
    f.location = location;
    group->reporter->add(group->index, std::move(f), other_address);
}

void Wave::refuse(const Step& s, const std::string& why, Exit exit) const {
    throw Error(
        fmt::format("kernel {}, workgroup ({},{},{}), wave {}, {}: {}", group->launch->setup.name,
                    group->id[0], group->id[1], group->id[2], number, place(s), why),
        exit);
}

}  // namespace zyfa::sim
