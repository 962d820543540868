// Observation of a running fabric.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "fabric/topology/topology.h"

namespace plumbline::fabric {

enum class RecordKind : std::uint8_t {
  kDeparture,   // `packet`'s first bit left into `link`; value = bytes left in its queue
  kDrop,        // `packet` ended for `reason` in front of or on `link`
  kMark,        // CE was set; value = queue depth in bytes that decided
  kTrim,        // `packet` (as it is now) was trimmed; value = queue depth in bytes
  kXoff,        // the node tells a sender to pause: `link` leads to that sender
  kXon,         // the same, to resume
  kPaused,      // the sender into `link` obeys a pause from now on; value = its duration in ps
  kResumed,     // and may send again
  kWatchdogOn,  // the watchdog of `link`'s queue began to act
  kWatchdogOff,
  kRetry,  // LLR on `link`: a damaged frame's good copy arrived; value = ps since the end of the
           // damaged frame's first transmission (the retry latency)
  kTimedRetry,  // the same where a NACK was lost, so that the sender waited for its replay timer
};

// One event. The meaning of fields depends on the kind, see above; unused fields are zero.
struct Record {
  Picoseconds time;
  NodeId node = 0;
  std::uint32_t sequence = 0;  // within the node and time
  LinkId link = 0;
  RecordKind kind = RecordKind::kDeparture;
  DropReason reason = DropReason::kBufferFull;
  std::uint8_t priority = 0;
  std::int64_t value = 0;
  Packet packet;
};

// Gets records in the order of (time, node, sequence), which is the same for every core and number
// of threads, after the event but before run() returns. It cannot change the simulation. Kinds
// without an observer cost a test of one bit.
class Observer {
 public:
  virtual ~Observer() = default;
  // A bit per RecordKind (1 << kind); asked once, when it is attached.
  [[nodiscard]] virtual std::uint32_t interests() const = 0;
  virtual void onRecord(const Record& record) = 0;

  static constexpr std::uint32_t bit(RecordKind kind) {
    return std::uint32_t{1} << static_cast<unsigned>(kind);
  }
};

}  // namespace plumbline::fabric
