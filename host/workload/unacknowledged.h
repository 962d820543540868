// Fate of the messages of a service without acknowledgements, computed after the trial from the
// records of both ends of each flow.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/histogram.h"
#include "workload/message_port.h"

namespace plumbline::workload {

struct Unacknowledged {
  std::uint64_t arrived = 0;  // whole messages
  // Some part has not arrived although a later message of its flow has. (If the trial was cut off,
  // it may still be in flight.)
  std::uint64_t lost = 0;
  std::uint64_t open = 0;  // lost or still under way
  stats::Histogram time;   // posted to arrival of the last part [ps]
};

// One host's records of a job.
struct UnacknowledgedEnd {
  HostId host = 0;
  const MessagePort* port = nullptr;
};

// Over all messages between `ends`, which are all the hosts of a job.
Unacknowledged matchUnacknowledged(const std::vector<UnacknowledgedEnd>& ends);

}  // namespace plumbline::workload
