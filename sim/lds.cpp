#include "sim/lds.hpp"

namespace zyfa::sim {

void Lds::reset(uint32_t size, uint64_t seed) {
    uint32_t words = (size + 3) / 4;
    bytes.resize(size);
    for (uint32_t i = 0; i < size; ++i) bytes[i] = (i & 1) && (seed & 1) ? 0x7f : 0xff;
    written.assign(words, 0);
    flight_wave.assign(words, kNobody);
    flight_step.assign(words, nullptr);
    writer.assign(words, kNobody);
    by_atomic.assign(words, 0);
    writes.assign(words, {});
    for (auto& r : reads) r.assign(words, {});
}

Lds::Clash Lds::record_read(uint32_t word, unsigned wave, uint32_t issued, uint32_t done,
                            const Step* step) {
    Clash clash;
    if (writer[word] != kNobody && writer[word] != wave && writes[word].done >= issued)
        clash = {writes[word].step, writer[word]};
    if (flight_wave[word] != kNobody && flight_wave[word] != wave)
        clash = {flight_step[word], flight_wave[word]};
    Read& newest = reads[0][word];
    if (newest.waves == 0 || newest.done < done) {
        if (newest.waves) reads[1][word] = newest;
        newest = {done, uint32_t(1) << wave, step};
    } else if (newest.done == done) {
        newest.waves |= uint32_t(1) << wave;
    }
    return clash;
}

Lds::Clash Lds::record_write(uint32_t word, unsigned wave, uint32_t issued, uint32_t done,
                             const Step* step) {
    Clash clash;
    if (writer[word] != kNobody && writer[word] != wave && writes[word].done >= issued)
        clash = {writes[word].step, writer[word]};
    for (const auto& read : reads) {
        uint32_t others = read[word].waves & ~(uint32_t(1) << wave);
        if (others && read[word].done >= issued) clash = {read[word].step, __builtin_ctz(others)};
    }
    writer[word] = uint8_t(wave);
    by_atomic[word] = 0;
    writes[word] = {done, step};
    written[word] = 1;
    return clash;
}

Lds::Clash Lds::record_atomic(uint32_t word, unsigned wave, uint32_t issued, uint32_t done,
                              const Step* step) {
    const bool after_atomic = by_atomic[word] && writer[word] != kNobody;
    const bool shared = after_atomic && writer[word] != wave && writes[word].done >= issued;
    const bool many = writer[word] == kMany && writes[word].done == done;
    if (after_atomic) writer[word] = uint8_t(wave);  // not a clash
    Clash clash = record_write(word, wave, issued, done, step);
    writer[word] = shared || many ? kMany : uint8_t(wave);
    by_atomic[word] = 1;
    return clash;
}

}  // namespace zyfa::sim
