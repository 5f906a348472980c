// Atomics on buffers, global and flat memory: done lane by lane in lane order when the instruction
// arrives; run() keeps the workgroups of a kernel with atomics in order.
#include "sim/atomic.hpp"
#include "sim/vmem.hpp"

namespace zyfa::sim {

template <class T>
static T value_of(const Flight& f, unsigned word, unsigned lane) {
    if constexpr (sizeof(T) == 8)
        return f.data[word][lane] | uint64_t(f.data[word + 1][lane]) << 32;
    else return f.data[word][lane];
}

template <class T, Atomic Operation, bool Returns, unsigned Column>
static void atomic_arrives(Wave& w, const Flight& f) {
    constexpr unsigned kWords = sizeof(T) / 4;
    Reach reach{w, f, Access::atomic};
    Lanes d[kWords];
    for (unsigned l = 0; l < kLanes; ++l) {
        if (!(f.exec >> l & 1)) continue;
        bool zero;
        T old = 0;
        if (uint8_t* at = reach(l, 0, sizeof(T), zero)) {
            const T compare = Operation == Atomic::cmpswap ? value_of<T>(f, kWords, l) : T(0);
            old = update<T>(at, Operation, value_of<T>(f, 0, l), compare);
        }
        for (unsigned n = 0; n < kWords; ++n) d[n].word[l] = uint32_t(uint64_t(old) >> 32 * n);
    }
    if constexpr (Returns)
        for (unsigned n = 0; n < kWords; ++n) w.write_lanes(f.step->ref[Column], n, d[n], f.exec);
}

template <class T, Atomic Operation>
inline constexpr unsigned kDataWords = (Operation == Atomic::cmpswap ? 2 : 1) * sizeof(T) / 4;

static void check_atomic(Wave& w, const Step& s, const Flight& f, unsigned bytes) {
    for (unsigned l = 0; l < kLanes; ++l)
        if ((f.exec >> l & 1) && ((f.base + f.address[l]) & (bytes - 1)))
            w.refuse(s, fmt::format("atomic at {:#x}, which is not a multiple of {}",
                                    f.base + f.address[l], bytes));
}

template <class T, Atomic Operation, bool Returns>
static void global_atomic(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    constexpr unsigned kFirst = Returns ? 1 : 0;
    f.arrive = atomic_arrives<T, Operation, Returns, 0>;
    take_global(w, s, f, s.ref[kFirst], s.ref[kFirst + 2]);
    check_atomic(w, s, f, sizeof(T));
    take_data(w, f, s.ref[kFirst + 1], kDataWords<T, Operation>);
    if (Returns) poison_destination(w, s, f.exec);
}
template <class T, Atomic Operation, bool Returns>
static void flat_atomic(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    constexpr unsigned kFirst = Returns ? 1 : 0;
    f.arrive = atomic_arrives<T, Operation, Returns, 0>;
    take_flat(w, s, f, s.ref[kFirst]);
    check_atomic(w, s, f, sizeof(T));
    take_data(w, f, s.ref[kFirst + 1], kDataWords<T, Operation>);
    count_flat(w);
    if (Returns) poison_destination(w, s, f.exec);
}
template <class T, Atomic Operation, bool Returns>
static void buffer_atomic(Wave& w, const Step& s) {
    Flight& f = issue(w, s, w.loads);
    f.arrive = atomic_arrives<T, Operation, Returns, 0>;
    take_buffer(w, s, f, s.ref[1], s.ref[2], s.ref[3]);
    check_atomic(w, s, f, sizeof(T));
    take_data(w, f, s.ref[0], kDataWords<T, Operation>);
    if (Returns) poison_destination(w, s, f.exec);
}

// clang-format off
template <> void execute<Op::global_atomic_swap>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::swap, false>(w, s); }
template <> void execute<Op::global_atomic_swap_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::flat_atomic_swap>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::swap, false>(w, s); }
template <> void execute<Op::flat_atomic_swap_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::global_atomic_swap_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::swap, false>(w, s); }
template <> void execute<Op::global_atomic_swap_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::flat_atomic_swap_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::swap, false>(w, s); }
template <> void execute<Op::flat_atomic_swap_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::global_atomic_add>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::add, false>(w, s); }
template <> void execute<Op::global_atomic_add_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::add, true>(w, s); }
template <> void execute<Op::flat_atomic_add>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::add, false>(w, s); }
template <> void execute<Op::flat_atomic_add_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::add, true>(w, s); }
template <> void execute<Op::global_atomic_add_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::add, false>(w, s); }
template <> void execute<Op::global_atomic_add_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::add, true>(w, s); }
template <> void execute<Op::flat_atomic_add_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::add, false>(w, s); }
template <> void execute<Op::flat_atomic_add_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::add, true>(w, s); }
template <> void execute<Op::global_atomic_sub>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::global_atomic_sub_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::flat_atomic_sub>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::flat_atomic_sub_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::global_atomic_sub_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::global_atomic_sub_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::flat_atomic_sub_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::sub, false>(w, s); }
template <> void execute<Op::flat_atomic_sub_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::sub, true>(w, s); }
template <> void execute<Op::global_atomic_smin>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::global_atomic_smin_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::flat_atomic_smin>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::flat_atomic_smin_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::global_atomic_smin_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::global_atomic_smin_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::flat_atomic_smin_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::flat_atomic_smin_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::global_atomic_umin>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::global_atomic_umin_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::flat_atomic_umin>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::flat_atomic_umin_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::global_atomic_umin_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::global_atomic_umin_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::flat_atomic_umin_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::flat_atomic_umin_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::global_atomic_smax>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::global_atomic_smax_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::flat_atomic_smax>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::flat_atomic_smax_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::global_atomic_smax_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::global_atomic_smax_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::flat_atomic_smax_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::flat_atomic_smax_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::global_atomic_umax>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::global_atomic_umax_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::flat_atomic_umax>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::flat_atomic_umax_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::global_atomic_umax_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::global_atomic_umax_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::flat_atomic_umax_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::flat_atomic_umax_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::global_atomic_and>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::global_atomic_and_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::flat_atomic_and>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::flat_atomic_and_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::global_atomic_and_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::global_atomic_and_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::flat_atomic_and_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::flat_atomic_and_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::global_atomic_or>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::global_atomic_or_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::flat_atomic_or>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::flat_atomic_or_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::global_atomic_or_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::global_atomic_or_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::flat_atomic_or_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::flat_atomic_or_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::global_atomic_xor>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::global_atomic_xor_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::flat_atomic_xor>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::flat_atomic_xor_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::global_atomic_xor_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::global_atomic_xor_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::flat_atomic_xor_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::flat_atomic_xor_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::global_atomic_inc>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::global_atomic_inc_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::flat_atomic_inc>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::flat_atomic_inc_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::global_atomic_inc_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::global_atomic_inc_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::flat_atomic_inc_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::inc, false>(w, s); }
template <> void execute<Op::flat_atomic_inc_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::inc, true>(w, s); }
template <> void execute<Op::global_atomic_dec>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::global_atomic_dec_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::flat_atomic_dec>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::flat_atomic_dec_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::global_atomic_dec_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::global_atomic_dec_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::flat_atomic_dec_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::dec, false>(w, s); }
template <> void execute<Op::flat_atomic_dec_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::dec, true>(w, s); }
template <> void execute<Op::global_atomic_cmpswap>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::global_atomic_cmpswap_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::flat_atomic_cmpswap>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::flat_atomic_cmpswap_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::global_atomic_cmpswap_x2>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::global_atomic_cmpswap_x2_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::flat_atomic_cmpswap_x2>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::cmpswap, false>(w, s); }
template <> void execute<Op::flat_atomic_cmpswap_x2_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::cmpswap, true>(w, s); }
template <> void execute<Op::global_atomic_add_f32>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::global_atomic_add_f32_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::flat_atomic_add_f32>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::flat_atomic_add_f32_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::global_atomic_pk_add_f16>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::pk_f16, false>(w, s); }
template <> void execute<Op::global_atomic_pk_add_f16_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::pk_f16, true>(w, s); }
template <> void execute<Op::flat_atomic_pk_add_f16>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::pk_f16, false>(w, s); }
template <> void execute<Op::flat_atomic_pk_add_f16_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::pk_f16, true>(w, s); }
template <> void execute<Op::global_atomic_pk_add_bf16>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::pk_bf16, false>(w, s); }
template <> void execute<Op::global_atomic_pk_add_bf16_rtn>(Wave& w, const Step& s) { global_atomic<uint32_t, Atomic::pk_bf16, true>(w, s); }
template <> void execute<Op::flat_atomic_pk_add_bf16>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::pk_bf16, false>(w, s); }
template <> void execute<Op::flat_atomic_pk_add_bf16_rtn>(Wave& w, const Step& s) { flat_atomic<uint32_t, Atomic::pk_bf16, true>(w, s); }
template <> void execute<Op::global_atomic_add_f64>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::global_atomic_add_f64_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::flat_atomic_add_f64>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::flat_atomic_add_f64_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::global_atomic_min_f64>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fmin, false>(w, s); }
template <> void execute<Op::global_atomic_min_f64_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fmin, true>(w, s); }
template <> void execute<Op::flat_atomic_min_f64>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fmin, false>(w, s); }
template <> void execute<Op::flat_atomic_min_f64_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fmin, true>(w, s); }
template <> void execute<Op::global_atomic_max_f64>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fmax, false>(w, s); }
template <> void execute<Op::global_atomic_max_f64_rtn>(Wave& w, const Step& s) { global_atomic<uint64_t, Atomic::fmax, true>(w, s); }
template <> void execute<Op::flat_atomic_max_f64>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fmax, false>(w, s); }
template <> void execute<Op::flat_atomic_max_f64_rtn>(Wave& w, const Step& s) { flat_atomic<uint64_t, Atomic::fmax, true>(w, s); }
template <> void execute<Op::buffer_atomic_add>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::add, false>(w, s); }
template <> void execute<Op::buffer_atomic_add_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::add, true>(w, s); }
template <> void execute<Op::buffer_atomic_add_f32>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::buffer_atomic_add_f32_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::fadd, true>(w, s); }
template <> void execute<Op::buffer_atomic_add_x2>(Wave& w, const Step& s) { buffer_atomic<uint64_t, Atomic::add, false>(w, s); }
template <> void execute<Op::buffer_atomic_add_x2_rtn>(Wave& w, const Step& s) { buffer_atomic<uint64_t, Atomic::add, true>(w, s); }
template <> void execute<Op::buffer_atomic_swap>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::swap, false>(w, s); }
template <> void execute<Op::buffer_atomic_swap_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::swap, true>(w, s); }
template <> void execute<Op::buffer_atomic_smax>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::smax, false>(w, s); }
template <> void execute<Op::buffer_atomic_smax_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::smax, true>(w, s); }
template <> void execute<Op::buffer_atomic_umax>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::umax, false>(w, s); }
template <> void execute<Op::buffer_atomic_umax_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::umax, true>(w, s); }
template <> void execute<Op::buffer_atomic_smin>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::smin, false>(w, s); }
template <> void execute<Op::buffer_atomic_smin_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::smin, true>(w, s); }
template <> void execute<Op::buffer_atomic_umin>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::umin, false>(w, s); }
template <> void execute<Op::buffer_atomic_umin_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::umin, true>(w, s); }
template <> void execute<Op::buffer_atomic_and>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_and, false>(w, s); }
template <> void execute<Op::buffer_atomic_and_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_and, true>(w, s); }
template <> void execute<Op::buffer_atomic_or>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_or, false>(w, s); }
template <> void execute<Op::buffer_atomic_or_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_or, true>(w, s); }
template <> void execute<Op::buffer_atomic_xor>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_xor, false>(w, s); }
template <> void execute<Op::buffer_atomic_xor_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::bit_xor, true>(w, s); }
template <> void execute<Op::buffer_atomic_pk_add_f16>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::pk_f16, false>(w, s); }
template <> void execute<Op::buffer_atomic_pk_add_f16_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::pk_f16, true>(w, s); }
template <> void execute<Op::buffer_atomic_pk_add_bf16>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::pk_bf16, false>(w, s); }
template <> void execute<Op::buffer_atomic_pk_add_bf16_rtn>(Wave& w, const Step& s) { buffer_atomic<uint32_t, Atomic::pk_bf16, true>(w, s); }
template <> void execute<Op::buffer_atomic_add_f64>(Wave& w, const Step& s) { buffer_atomic<uint64_t, Atomic::fadd, false>(w, s); }
template <> void execute<Op::buffer_atomic_add_f64_rtn>(Wave& w, const Step& s) { buffer_atomic<uint64_t, Atomic::fadd, true>(w, s); }
// clang-format on

}  // namespace zyfa::sim
