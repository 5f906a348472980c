// Memory instructions of one wave between issue and arrival. Addresses and store data are taken at
// issue; memory and LDS are touched, and destination registers written, when the entry arrives.
#pragma once

#include <cstdint>
#include <vector>

namespace zyfa::sim {

struct Step;
struct Wave;

enum class Space : uint8_t { global, flat, scratch };

// Of a timed run: when an access was issued, has the pipe that all waves share, and is back.
struct FlightTime {
    static constexpr uint64_t kUnknown = ~uint64_t(0);
    uint64_t issued = 0, begin = 0, end = 0, due = kUnknown;
    uint32_t bytes = 0, conflicts = 0;
    // Where it is until `due`: on its way; on the return path into the compute unit; direct-to-LDS:
    // being written.
    enum class Stage : uint8_t { away, returning, landing } stage = Stage::away;
};

struct Flight {
    const Step* step = nullptr;
    void (*arrive)(Wave&, const Flight&) = nullptr;
    Space space = Space::global;
    uint64_t exec = 0;
    uint32_t epoch = 0;  // barriers that the wave had passed at issue
    uint64_t slot = 0;   // the wave's slots at issue
    uint64_t base = 0;   // buffer or scalar base
    uint64_t limit = 0;  // buffer: first byte offset that is out of range
    FlightTime time;
    uint64_t lds = 0;                  // direct-to-LDS load: LDS address of lane 0
    alignas(64) uint64_t address[64];  // by lane: LDS byte, device address or buffer offset
    alignas(64) uint32_t data[4][64];  // store data by word and lane
};

// First in, first out, with room for what the counter can hold.
class Queue {
public:
    explicit Queue(unsigned room = 64) : ring_(room) {}
    unsigned size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool full() const { return size_ == ring_.size(); }
    Flight& push() { return ring_[(first_ + size_++) % ring_.size()]; }
    const Flight& front() const { return ring_[first_]; }
    const Flight& operator[](unsigned n) const { return ring_[(first_ + n) % ring_.size()]; }
    Flight& operator[](unsigned n) { return ring_[(first_ + n) % ring_.size()]; }
    void pop() {
        first_ = (first_ + 1) % ring_.size();
        --size_;
    }
    void clear() { first_ = size_ = 0; }

private:
    std::vector<Flight> ring_;
    unsigned first_ = 0, size_ = 0;
};

}  // namespace zyfa::sim
