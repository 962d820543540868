// A network for applications alone: messages of one host leave one after the other at its rate, and
// arrive whole a fixed latency later. No packets, no contention except at the sender.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/random.h"
#include "transport/application.h"
#include "workload/ideal_time.h"
#include "workload/workload.h"

namespace plumbline::workload_test {

struct Posted {
  Picoseconds time;
  transport::HostId from = 0;
  transport::Message message;
};

// Runs the applications of a workload. Events of one instant happen in the order of their creation.
class RankNetwork {
 public:
  // `jitter`: arrivals and acknowledgements are later by up to that, drawn at random, so messages
  // overtake each other, except within a flow.
  RankNetwork(workload::Workload& workload, std::uint32_t hosts, workload::MessageTime time,
              Picoseconds jitter = {});

  // Runs until no events are left, or the next one is after `until`.
  void run(Picoseconds until = transport::kNever);
  // Messages for which `fails` is true are acknowledged as failed and do not arrive.
  void failIf(std::function<bool(const Posted&)> fails) { fails_ = std::move(fails); }

  [[nodiscard]] const std::vector<Posted>& log() const { return log_; }
  [[nodiscard]] Picoseconds now() const { return now_; }

 private:
  struct Port : transport::Poster {
    RankNetwork* network = nullptr;
    transport::HostId host = 0;
    void post(const transport::Message& message, Picoseconds now) override;
  };

  Picoseconds inOrder(Picoseconds time, std::uint64_t lane);
  void schedule(Picoseconds time, std::function<void()> action);

  std::vector<transport::Application*> hosts_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::vector<Picoseconds> wire_free_;
  workload::MessageTime time_;
  Picoseconds jitter_;
  RandomStream random_{1, "jitter"};
  std::function<bool(const Posted&)> fails_;
  std::map<std::uint64_t, Picoseconds> last_;  // arrival by flow
  std::multimap<Picoseconds, std::function<void()>> events_;
  std::vector<Posted> log_;
  Picoseconds now_{};
};

// A plain network: `rate` at the sender, `latency`, and the same latency back.
workload::MessageTime plainNetwork(BitRate rate, Picoseconds latency);

// 12,500 bytes take 1 us, and the path as long.
inline const workload::MessageTime kNetwork = plainNetwork(gigabitsPerSecond(100), microseconds(1));

}  // namespace plumbline::workload_test
