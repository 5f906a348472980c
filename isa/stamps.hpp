// Stamps: times that a kernel takes where phases of its loop begin, if its schedule has probes.
// What the pass `probes` plants and what tools read back agree on this layout.
//
// Each wave leaves a record of 64 words, the lower halves of s_memtime. Word row * probes + n is
// the n-th probed phase of a pass through the loop. Passes have rows of their own, from the one in
// which the first tile enters on, until there is one row left: that is each further pass's, and so
// the last one's in the end. The last word is the end of the loop. 0: no such stamp.
#pragma once

#include <cstdint>

namespace zyfa {

inline constexpr unsigned kStampWords = 64, kEndStamp = 63;
inline constexpr uint32_t kStampRecordBytes = 4 * kStampWords;
constexpr unsigned stamp_rows(unsigned probes) { return kEndStamp / probes; }

// Behind the kernel's own arguments, from the next multiple of 8 on: address of the records, in the
// order of workgroups (x fastest) and waves, or 0 for none; workgroups of the grid along x and y.
inline constexpr uint32_t kStampArgsBytes = 16, kStampGridX = 8, kStampGridY = 12;
constexpr uint32_t stamp_args_at(uint32_t kernarg_bytes) { return (kernarg_bytes + 7) / 8 * 8; }

}  // namespace zyfa
