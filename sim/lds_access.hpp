// Addresses and watches that all LDS instructions share.
#pragma once

#include "sim/wave.hpp"

namespace zyfa::sim {

// Fills in the lanes' addresses and looks at what can be seen at issue.
void take_addresses(Wave&, const Step&, Flight&, const Ref& address, unsigned bytes);
void check_lds_alignment(Wave&, const Step&, const Flight&, unsigned bytes);
// A read issued while this wave's own direct-to-LDS load still fills these bytes.
void check_flight(Wave&, const Step&, const Flight&, unsigned bytes);
void watch_read(Wave&, const Flight&, unsigned lane, unsigned bytes);
void watch_write(Wave&, const Flight&, unsigned lane, unsigned bytes);
void watch_atomic(Wave&, const Flight&, unsigned lane, unsigned bytes);
// Bytes of a lane, or null after a finding.
uint8_t* lane_bytes(Wave&, const Flight&, unsigned lane, unsigned bytes);

}  // namespace zyfa::sim
