// What became of the messages of a service without acknowledgements, found when the trial is over
// from what both ends of each flow have noted.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/histogram.h"
#include "workload/message_port.h"

namespace plumbline::workload {

struct Unacknowledged {
  std::uint64_t arrived = 0;  // whole messages
  // A part at least has not arrived although something sent later in its flow has. (Packets that
  // overtake each other may still bring it if the trial was cut off.)
  std::uint64_t lost = 0;
  std::uint64_t open = 0;  // lost or still under way
  stats::Histogram time;   // posted to arrival of the last part [ps]
};

// One host's part in a job.
struct UnacknowledgedEnd {
  HostId host = 0;
  const MessagePort* port = nullptr;
};

// Over all messages between `ends`, which are all the hosts of a job.
Unacknowledged matchUnacknowledged(const std::vector<UnacknowledgedEnd>& ends);

}  // namespace plumbline::workload
