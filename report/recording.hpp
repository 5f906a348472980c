// A stretch of a timed run, kept instruction by instruction: what timelines are drawn from. All
// times are predicted cycles of one workgroup on one compute unit (sim/timing/sink.hpp).
#pragma once

#include <string>
#include <vector>

#include "isa/llvm/mc.hpp"
#include "sim/timing/sink.hpp"

namespace zyfa {

// How an instruction is coloured: its pipe, and of the vector ALU what differs in time.
enum class Kind : uint8_t { matrix, vector, trans, packed, lds, memory, scalar, internal };
inline constexpr unsigned kKinds = unsigned(Kind::internal) + 1;
std::string_view kind_name(Kind);

struct Recording {
    std::string name;   // what ran, and in which shape
    std::string about;  // model, machine, arbiter: one line, without a date
    uint64_t workgroup = 0;
    unsigned waves = 0, simds = 4;
    uint64_t begin = 0, end = 0;  // the stretch

    struct Place {
        uint32_t address;
        std::string text;
        Kind kind;
    };
    std::vector<Place> code;               // what is executed in the stretch, by address
    std::vector<sim::Issue> issues;        // that overlap it, in order of time
    std::vector<uint64_t> until;           // by issue: when the wave could try its next one, or
                                           // the port is free again, whichever comes first
    std::vector<sim::Transfer> transfers;  // the same
    std::vector<uint64_t> barriers;        // releases

    const Place& place(uint32_t address) const;  // one of `code`
    size_t place_number(uint32_t address) const;
};

// Shares of the stretch in percent, of one SIMD (matrix, port) and of the compute unit (lds).
struct RecordedBusy {
    double matrix = 0, port = 0, lds = 0;
};
RecordedBusy busy(const Recording&, unsigned simd);

// Keeps one workgroup whole; cut() then takes a stretch.
class Recorder final : public sim::TimingSink {
public:
    explicit Recorder(uint64_t workgroup) : wanted_(workgroup) {}

    void begin(uint64_t workgroup, unsigned waves) override;
    void issued(const sim::Issue&) override;
    void transferred(const sim::Transfer&) override;
    void barrier_released(uint64_t workgroup, uint64_t cycle) override;
    void ended(uint64_t workgroup, unsigned wave, uint64_t cycle) override;

    uint64_t cycles() const { return cycles_; }  // when the last wave ended
    // What overlaps [begin, end). Error: nothing was recorded, or the stretch is empty.
    Recording cut(uint64_t begin, uint64_t end, std::span<const Decoded> code) const;

private:
    uint64_t wanted_;
    bool on_ = false;
    unsigned waves_ = 0;
    uint64_t cycles_ = 0;
    std::vector<sim::Issue> issues_;
    std::vector<sim::Transfer> transfers_;
    std::vector<uint64_t> barriers_;
};

}  // namespace zyfa
