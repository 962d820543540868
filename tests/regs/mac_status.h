// What a MAC says, as plumb_mac_pkg::status_t packs it: for tests that play the MAC.
#pragma once

#include <cstdint>

#include "tests/regs/clocked.h"

namespace plumbline::rtl {

// Places in the packed structure, from its lowest bit on; the package lists them from the top.
struct MacStatusField {
  std::uint32_t lsb;
  std::uint32_t width;
};

namespace mac_status {

inline constexpr MacStatusField kRsfecMapping{0, 8};
inline constexpr MacStatusField kRsfecAligned{8, 1};
inline constexpr MacStatusField kRsfecHiSer{9, 1};
inline constexpr MacStatusField kRsfecErrCount{10, 12};
inline constexpr MacStatusField kRsfecUncorrected{22, 1};
inline constexpr MacStatusField kRsfecCorrected{23, 1};
inline constexpr MacStatusField kRsfecCodeword{24, 1};
inline constexpr MacStatusField kRsfecLock{25, 4};
inline constexpr MacStatusField kBipErr{29, 20};
inline constexpr MacStatusField kBadCode{49, 3};
inline constexpr MacStatusField kRxFifoOverflow{52, 1};
inline constexpr MacStatusField kTxOverflow{53, 1};
inline constexpr MacStatusField kTxUnderflow{54, 1};
inline constexpr MacStatusField kTxLocalFault{55, 1};
inline constexpr MacStatusField kRemoteFault{56, 1};
inline constexpr MacStatusField kReceivedLocalFault{57, 1};
inline constexpr MacStatusField kInternalLocalFault{58, 1};
inline constexpr MacStatusField kLocalFault{59, 1};
inline constexpr MacStatusField kHiBer{60, 1};
inline constexpr MacStatusField kBlockLock{61, 20};
inline constexpr MacStatusField kSynced{81, 20};
inline constexpr MacStatusField kRxStatus{101, 1};
inline constexpr MacStatusField kAligned{102, 1};
inline constexpr MacStatusField kRxReset{103, 1};
inline constexpr MacStatusField kTxReset{104, 1};
inline constexpr MacStatusField kPowerGood{105, 4};

}  // namespace mac_status

template <typename Signal>
void setStatus(Signal& signal, MacStatusField field, std::uint64_t value) {
  setBits(signal, field.lsb, field.width, value);
}

}  // namespace plumbline::rtl
