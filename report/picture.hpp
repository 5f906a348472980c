// A still picture (SVG) of the same stretch of one SIMD in one or more recordings, one above the
// other, for documents: matrix pipe, vector port, the waves.
#pragma once

#include <span>

#include "report/recording.hpp"

namespace zyfa {

// All are drawn to the scale of the longest. Readable on light and dark ground (the reader's
// prefers-color-scheme). Same recordings, same bytes.
std::string timeline_picture(std::span<const Recording>, unsigned simd = 0);

}  // namespace zyfa
