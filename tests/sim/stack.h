// Common parts of the tests of the whole stack: fabric, simulated hosts and a workload on them, run
// to its end, with every frame accounted for.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/sim/sim_hosts.h"
#include "bench/trial/trial.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::sim::testing {

using bench::TrialSpec;
using fabric::HostId;

// Where the frames of the hosts are, and the counters of the endpoints themselves.
struct Account {
  std::uint64_t put_on_wire = 0;  // by the hosts' ports
  std::uint64_t endpoints_sent = 0;
  std::uint64_t delivered = 0;  // to hosts' ports
  std::uint64_t dropped = 0;    // for any reason
  std::uint64_t inside = 0;
  fabric::LinkCounters total;  // sums over all links
  transport::EndpointStats endpoints;
};

// The spec's fabric and hosts.
class Stack {
 public:
  explicit Stack(const TrialSpec& spec, unsigned threads = 1);

  fabric::Fabric& fabric() { return fabric_; }
  bench::SimHosts& hosts() { return hosts_; }

  // Runs until no events are left, or `limit`; then expects that every frame that an endpoint sent
  // was delivered, dropped for a reason, or is still inside.
  Account run(Picoseconds limit);
  // The same after runUntil(): may be called at any time between runs.
  Account expectConserved();
  // Expects that all jobs are finished and that no message failed.
  void expectFinished();
  [[nodiscard]] const workload::JobResult& job(std::uint32_t number);

 private:
  fabric::Fabric fabric_;
  bench::SimHosts hosts_;
  std::vector<workload::JobResult> jobs_;
};

// Bytes of data frames that leave the fabric towards one host, by sender and window of time.
class GoodputWindows final : public fabric::Observer {
 public:
  // Frames below `smallest` bytes are no data. `link` leads to the receiver.
  GoodputWindows(fabric::LinkId link, std::uint32_t hosts, Picoseconds window,
                 std::uint16_t smallest);

  [[nodiscard]] std::uint32_t interests() const override;
  void onRecord(const fabric::Record& record) override;

  // By window, by sending host.
  [[nodiscard]] const std::vector<std::vector<std::uint64_t>>& windows() const { return windows_; }
  // Largest deviation from the fair share (all bytes of [from, to) / number of senders) of any of
  // `senders`, as a share of the fair share.
  [[nodiscard]] double unfairness(const std::vector<HostId>& senders, Picoseconds from,
                                  Picoseconds to) const;
  // Bytes of all of them in [from, to) in bit/s.
  [[nodiscard]] double rate(const std::vector<HostId>& senders, Picoseconds from,
                            Picoseconds to) const;

 private:
  [[nodiscard]] std::vector<std::uint64_t> sums(const std::vector<HostId>& senders,
                                                Picoseconds from, Picoseconds to) const;

  fabric::LinkId link_;
  std::uint32_t hosts_;
  Picoseconds window_;
  std::uint16_t smallest_;
  std::vector<std::vector<std::uint64_t>> windows_;
};

// One switch; leaves and spines, every leaf with a cable to every spine.
fabric::FabricSpec oneSwitch(std::uint32_t hosts, BitRate rate, Picoseconds delay);
fabric::FabricSpec leafSpine(std::uint32_t leaves, std::uint32_t spines,
                             std::uint32_t hosts_per_leaf, BitRate rate, Picoseconds delay);

// first, first + 1, …
std::vector<HostId> hostsFrom(HostId first, std::uint32_t count);

// One collective on these hosts, rank by rank.
workload::JobSpec collective(std::string name, std::vector<HostId> hosts,
                             const workload::CollectiveSpec& spec);
// `messages` messages of `bytes` from each host of `senders` to `receiver`, one after the other.
workload::JobSpec messagesTo(HostId receiver, const std::vector<HostId>& senders,
                             std::uint64_t bytes, std::uint64_t messages);
// The same between pairs of hosts.
workload::JobSpec messagesBetween(const std::vector<std::pair<HostId, HostId>>& pairs,
                                  std::uint64_t bytes, std::uint64_t messages);

}  // namespace plumbline::sim::testing
