// Recordings as a trace for Perfetto (ui.perfetto.dev) and chrome://tracing.
#pragma once

#include <span>

#include "report/recording.hpp"

namespace zyfa {

// Trace Event Format, JSON object form: complete events ("X") on named threads, counters ("C"),
// instants ("i"). One microsecond of the trace is one cycle. Each recording is a process.
std::string perfetto_trace(std::span<const Recording>);

}  // namespace zyfa
