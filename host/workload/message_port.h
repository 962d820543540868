// A job's messages on one host: labels, distribution over flows, and counters.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "stats/histogram.h"
#include "transport/application.h"
#include "transport/latency_counts.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// Identifies a message within its job: 7 bits of `sequence` and 16 of `step` travel in the tag.
struct Label {
  std::uint32_t sequence = 0;
  std::uint32_t step = 0;
};
inline constexpr std::uint32_t kSequenceBits = 7;

// A message, or a part of one that is split over flows, of a service without acknowledgements: the
// records of its poster and of its receiver. They agree in `flow` and `number`; they are matched
// after the trial (unacknowledged.h).
struct Dispatch {
  HostId to = 0;
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  bool part = false;
  Picoseconds posted;
};
struct MessageArrival {
  HostId from = 0;
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  Picoseconds arrived;
};

// Of one job on one host.
struct PortCounters {
  std::uint64_t messages_posted = 0;  // whole ones, as all below
  std::uint64_t bytes_posted = 0;     // S_fabric of this rank
  // Complete for their poster: acknowledged or failed. Those of a service without acknowledgements
  // are in dispatched() instead.
  std::uint64_t messages_completed = 0;
  std::uint64_t messages_failed = 0;  // of them: some bytes did not arrive
  std::uint64_t messages_arrived = 0;
  std::uint64_t bytes_arrived = 0;
  Picoseconds first_posted = transport::kNever;
  Picoseconds last_done{};        // last completion or arrival
  stats::Histogram message_time;  // posted to completed [ps], failed ones left out

  void merge(const PortCounters& other);
};

// Splits messages over flows and reassembles them. State: open split messages.
class MessagePort {
 public:
  // `job` below 256 goes into the tags.
  MessagePort(std::uint32_t job, const JobSpec& spec);

  void attach(transport::Poster& poster) { poster_ = &poster; }
  static std::uint32_t jobOf(std::uint32_t tag) { return tag >> 24; }
  // Of one message that is split over flows.
  static bool isPart(std::uint32_t tag) { return (tag & kPart) != 0; }

  // `turn` selects the flow in round robin. Split messages that are open between two hosts at a
  // time have different labels, or parts of one may be counted for the other: the numbers of
  // messages and bytes remain right, the times of these messages do not.
  void post(HostId to, std::uint64_t bytes, Label label, std::uint64_t turn, Picoseconds now);
  // The label, once the last part has arrived.
  std::optional<Label> arrived(const transport::Arrival& arrival, Picoseconds now);
  std::optional<Label> completed(const transport::Completion& completion, Picoseconds now);

  // For a service without acknowledgements.
  [[nodiscard]] const std::vector<Dispatch>& dispatched() const { return dispatched_; }
  [[nodiscard]] const std::vector<MessageArrival>& arrivedMessages() const {
    return arrived_messages_;
  }
  // Parts of a split message.
  [[nodiscard]] std::uint32_t parts() const { return flows_; }

  [[nodiscard]] const PortCounters& counters() const {
    times_.moveTo(counters_.message_time);
    return counters_;
  }

 private:
  // The tag: job (8 bits), whether this is one part of several (1), sequence (7), step (16).
  static constexpr std::uint32_t kPart = 1U << 23;

  struct Parts {
    HostId peer = 0;
    std::uint32_t tag = 0;
    std::uint32_t missing = 0;
    bool failed = false;
  };

  // Counts one part; true when it was the last, `failed` then of the whole.
  bool assemble(std::vector<Parts>& open, HostId peer, std::uint32_t tag, bool& failed) const;

  transport::Poster* poster_ = nullptr;
  std::uint32_t job_;
  std::uint32_t flows_;
  std::uint32_t first_flow_;
  bool split_;
  transport::Verb verb_;
  std::vector<Parts> sending_;
  std::vector<Parts> receiving_;
  std::vector<Dispatch> dispatched_;
  std::vector<MessageArrival> arrived_messages_;
  mutable PortCounters counters_;  // except `times_`
  mutable transport::LatencyCounts times_;
};

}  // namespace plumbline::workload
