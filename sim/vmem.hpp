// What the vector memory instructions share: where lanes point to, and loads and stores of any
// width. Buffers and global memory are reached through one window; flat addresses pick LDS, scratch
// or global memory lane by lane.
#pragma once

#include "sim/arrival.hpp"
#include "sim/dispatch.hpp"
#include "sim/shadow.hpp"

namespace zyfa::sim {

enum class Access : uint8_t { load, store, atomic };

// Fill in base, limit and the lanes' addresses: base + address[lane], in range below limit.
void take_buffer(Wave&, const Step&, Flight&, const Ref& address, const Ref& resource,
                 const Ref& soffset);
void take_global(Wave&, const Step&, Flight&, const Ref& address, const Ref& base);
void take_flat(Wave&, const Step&, Flight&, const Ref& address);
void take_scratch(Wave&, const Step&, Flight&, const Ref& address, const Ref& base);
void check_alignment(Wave&, const Flight&, unsigned bytes);
// Flat access: LDS or scratch bytes of a lane, or null. `other`: it is neither.
uint8_t* aperture_bytes(Wave&, const Flight&, unsigned lane, uint64_t address, unsigned bytes,
                        Access, bool& other);
// A flat access raises lgkmcnt as well as vmcnt.
void count_flat(Wave&);

// The bytes of one lane's word, or null (out of range, or outside all memory: a finding).
struct Reach {
    Wave& w;
    const Flight& f;
    Access access;
    Memory::Window window{};
    uint8_t* operator()(unsigned lane, unsigned offset, unsigned bytes, bool& zero) {
        uint64_t at = f.address[lane] + offset;
        zero = f.limit != ~uint64_t(0) && at >= f.limit;
        if (zero) return nullptr;
        if (f.space != Space::global) {
            bool other = false;
            uint8_t* found = aperture_bytes(w, f, lane, f.base + at, bytes, access, other);
            if (!other) return found;
        }
        uint64_t address = (f.base + at) & 0xffff'ffff'ffff;
        uint8_t* found = window.find(address, bytes);
        if (!found) {
            window = w.group->memory->window(address);
            found = window.find(address, bytes);
        }
        if (!found) note_outside(w, *f.step, kNames[unsigned(access)], bytes, address, int(lane));
        else if (window.unset) shadow(address, bytes, lane);
        return found;
    }
    void shadow(uint64_t address, unsigned bytes, unsigned lane) const {
        if (access != Access::store) read_shadow(w, *f.step, window, address, bytes, int(lane));
        if (access != Access::load) write_shadow(window, address, bytes);
    }
    static constexpr const char* kNames[] = {"load", "store", "atomic"};
};

// What a load narrower than a word does with the rest of its register.
enum class Rest : uint8_t { zero, sign, low, high, sign_low, sign_high };

inline uint32_t extended(uint32_t value, unsigned bytes, Rest rest) {
    const bool sign = rest == Rest::sign || rest == Rest::sign_low || rest == Rest::sign_high;
    const unsigned up = 32 - 8 * bytes;
    return sign ? uint32_t(int32_t(value << up) >> up) : value;
}

template <unsigned Words, unsigned Bytes, Rest P>  // Bytes of each word
void load_arrives(Wave& w, const Flight& f) {
    Lanes d[Words];
    Reach reach{w, f, Access::load};
    const Ref& to = f.step->ref[0];
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        for (unsigned n = 0; n < Words; ++n) {
            bool zero;
            uint32_t value = 0;
            if (const uint8_t* from = reach(l, 4 * n, Bytes, zero))
                std::memcpy(&value, from, Bytes);
            else if (!zero) value = kPoison;
            if constexpr (P != Rest::zero) {
                value = extended(value, Bytes, P);
                const uint32_t old = w.vector[to.index].word[l];
                if (P == Rest::low || P == Rest::sign_low)
                    value = (old & 0xffff0000) | (value & 0xffff);
                if (P == Rest::high || P == Rest::sign_high) value = (old & 0xffff) | value << 16;
            }
            d[n].word[l] = value;
        }
    }
    for (unsigned n = 0; n < Words; ++n) w.write_lanes(to, n, d[n], f.exec);
}
template <unsigned Words, unsigned Bytes, bool High>
void store_arrives(Wave& w, const Flight& f) {
    Reach reach{w, f, Access::store};
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        for (unsigned n = 0; n < Words; ++n) {
            bool zero;
            const uint32_t value = f.data[n][l] >> (High ? 16 : 0);
            if (uint8_t* to = reach(l, 4 * n, Bytes, zero)) std::memcpy(to, &value, Bytes);
        }
    }
}
inline void take_data(Wave& w, Flight& f, const Ref& data, unsigned words) {
    for (unsigned n = 0; n < words; ++n)
        std::memcpy(f.data[n], w.vector[data.index + n].word, sizeof f.data[n]);
}
// A destination that keeps a half is not poisoned: the other half may be read meanwhile.
template <Rest P>
void poison(Wave& w, const Step& s, const Flight& f) {
    if (P == Rest::zero || P == Rest::sign) poison_destination(w, s, f.exec);
}

template <unsigned Words, unsigned Bytes = 4, Rest P = Rest::zero>
void buffer_load(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = load_arrives<Words, Bytes, P>;
    take_buffer(w, s, f, s.ref[1], s.ref[2], s.ref[3]);
    check_alignment(w, f, Bytes);
    poison<P>(w, s, f);
}
template <unsigned Words, unsigned Bytes = 4, Rest P = Rest::zero>
void global_load(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = load_arrives<Words, Bytes, P>;
    take_global(w, s, f, s.ref[1], s.ref[2]);
    check_alignment(w, f, Bytes);
    poison<P>(w, s, f);
}
template <unsigned Words, unsigned Bytes = 4, Rest P = Rest::zero>
void flat_load(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = load_arrives<Words, Bytes, P>;
    take_flat(w, s, f, s.ref[1]);
    check_alignment(w, f, Bytes);
    count_flat(w);
    poison<P>(w, s, f);
}
template <unsigned Words, unsigned Bytes = 4, Rest P = Rest::zero>
void scratch_load(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = load_arrives<Words, Bytes, P>;
    take_scratch(w, s, f, s.ref[1], s.ref[2]);
    check_alignment(w, f, Bytes);
    poison<P>(w, s, f);
}
template <unsigned Words, unsigned Bytes = 4, bool High = false>
void buffer_store(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = store_arrives<Words, Bytes, High>;
    take_buffer(w, s, f, s.ref[1], s.ref[2], s.ref[3]);
    check_alignment(w, f, Bytes);
    take_data(w, f, s.ref[0], Words);
}
template <unsigned Words, unsigned Bytes = 4, bool High = false>
void global_store(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = store_arrives<Words, Bytes, High>;
    take_global(w, s, f, s.ref[0], s.ref[2]);
    check_alignment(w, f, Bytes);
    take_data(w, f, s.ref[1], Words);
}
template <unsigned Words, unsigned Bytes = 4, bool High = false>
void flat_store(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = store_arrives<Words, Bytes, High>;
    take_flat(w, s, f, s.ref[0]);
    check_alignment(w, f, Bytes);
    take_data(w, f, s.ref[1], Words);
    count_flat(w);
}
template <unsigned Words, unsigned Bytes = 4, bool High = false>
void scratch_store(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = store_arrives<Words, Bytes, High>;
    take_scratch(w, s, f, s.ref[0], s.ref[2]);
    check_alignment(w, f, Bytes);
    take_data(w, f, s.ref[1], Words);
}

}  // namespace zyfa::sim
