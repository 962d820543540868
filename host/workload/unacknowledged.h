// Fate of the messages of a service without acknowledgements, computed after the trial from the
// records of both ends of each flow.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "stats/histogram.h"
#include "workload/message_port.h"

namespace plumbline::workload {

struct Unacknowledged {
  struct Open {
    Picoseconds posted;
    HostId from = 0;
    HostId to = 0;
  };

  std::uint64_t arrived = 0;  // whole messages
  // Some part has not arrived although later packets of its flow have. (If the trial was cut off,
  // it may still be in flight on another path.)
  std::uint64_t lost = 0;
  std::vector<Open> open;  // lost or still under way, in no order
  stats::Histogram time;   // posted to arrival of the last part [ps]
};

// Greatest FlowStats::passed by sender, receiver and flow.
using PassedMessages = std::map<std::tuple<HostId, HostId, std::uint32_t>, std::uint32_t>;

// One host's records of a job.
struct UnacknowledgedEnd {
  HostId host = 0;
  const MessagePort* port = nullptr;
};

// Over all messages between `ends`, which are all the hosts of a job.
Unacknowledged matchUnacknowledged(const std::vector<UnacknowledgedEnd>& ends,
                                   const PassedMessages& passed);

}  // namespace plumbline::workload
