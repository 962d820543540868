#include "tests/sim/stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plumbline::sim::testing {
namespace {

using fabric::RecordKind;

// Runs in steps, so that a run that never ends is stopped at its limit.
constexpr Picoseconds kStep = microseconds(50);

workload::JobSpec explicitJob(std::string name, std::vector<HostId> hosts) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = std::move(hosts);
  return job;
}

}  // namespace

Stack::Stack(const TrialSpec& spec, unsigned threads)
    : fabric_(spec.dut, {fabric::Core::kWindowed, threads}), hosts_(spec, fabric_) {}

Account Stack::run(Picoseconds limit) {
  while (fabric_.now() < limit) {
    const auto next = fabric_.nextEvent();
    if (!next) break;
    fabric_.runUntil(std::min(std::max(*next, fabric_.now()) + kStep, limit));
  }
  jobs_ = hosts_.jobResults();
  return expectConserved();
}

Account Stack::expectConserved() {
  Account account;
  const fabric::Topology& topology = fabric_.topology();
  for (const HostId host : hosts_.hosts()) account.endpoints.merge(hosts_.statsOf(host));
  for (HostId host = 0; host < fabric_.hostCount(); ++host) {
    const fabric::LinkId out = topology.nodes()[topology.hosts()[host]].out_links.front();
    account.put_on_wire += fabric_.linkCounters(out).packets;
    account.delivered += fabric_.framesReceived(host);
  }
  for (fabric::LinkId link = 0; link < topology.links().size(); ++link) {
    const fabric::LinkCounters counters = fabric_.linkCounters(link);
    account.dropped += counters.dropped();
    account.total.packets += counters.packets;
    account.total.control += counters.control;
    account.total.marked += counters.marked;
    account.total.trimmed += counters.trimmed;
    account.total.pauses += counters.pauses;
    account.total.damaged += counters.damaged;
    account.total.retries += counters.retries;
    account.total.max_queue_bytes =
        std::max(account.total.max_queue_bytes, counters.max_queue_bytes);
    for (std::size_t i = 0; i < counters.drops.size(); ++i) {
      account.total.drops[i] += counters.drops[i];
    }
  }
  account.endpoints_sent = account.endpoints.data_sent + account.endpoints.control_sent;
  account.inside = fabric_.framesInside();
  EXPECT_GT(account.endpoints_sent, 0U);
  EXPECT_EQ(account.endpoints_sent, account.put_on_wire);
  EXPECT_EQ(account.put_on_wire, account.delivered + account.dropped + account.inside);
  // A trimmed frame arrives trimmed, is dropped, or is inside; other frames do not become trimmed.
  EXPECT_LE(account.endpoints.trimmed_received, account.total.trimmed);
  EXPECT_LE(account.total.trimmed,
            account.endpoints.trimmed_received + account.dropped + account.inside);
  return account;
}

void Stack::expectFinished() {
  EXPECT_TRUE(hosts_.workloadFinished());
  for (const workload::JobResult& one : hosts_.jobResults()) {
    EXPECT_TRUE(one.finished) << one.name;
    EXPECT_EQ(one.total.messages_failed, 0U) << one.name;
    // A service without acknowledgements counts arrivals only.
    EXPECT_EQ(hosts_.acknowledges() ? one.total.messages_completed : one.total.messages_arrived,
              one.total.messages_posted)
        << one.name;
    EXPECT_EQ(one.total.bytes_arrived, one.total.bytes_posted) << one.name;
  }
}

const workload::JobResult& Stack::job(std::uint32_t number) { return jobs_.at(number); }

GoodputWindows::GoodputWindows(fabric::LinkId link, std::uint32_t hosts, Picoseconds window,
                               std::uint16_t smallest)
    : link_(link), hosts_(hosts), window_(window), smallest_(smallest) {}

std::uint32_t GoodputWindows::interests() const { return bit(RecordKind::kDeparture); }

void GoodputWindows::onRecord(const fabric::Record& record) {
  if (record.link != link_ || record.packet.length < smallest_) return;
  const auto window = static_cast<std::size_t>(record.time / window_);
  while (windows_.size() <= window) windows_.emplace_back(hosts_, 0);
  windows_[window][record.packet.source] += record.packet.length;
}

std::vector<std::uint64_t> GoodputWindows::sums(const std::vector<HostId>& senders,
                                                Picoseconds from, Picoseconds to) const {
  std::vector<std::uint64_t> sums;
  for (const HostId sender : senders) {
    std::uint64_t sum = 0;
    for (auto w = from / window_; w < to / window_; ++w) {
      if (static_cast<std::size_t>(w) < windows_.size()) {
        sum += windows_[static_cast<std::size_t>(w)][sender];
      }
    }
    sums.push_back(sum);
  }
  return sums;
}

double GoodputWindows::unfairness(const std::vector<HostId>& senders, Picoseconds from,
                                  Picoseconds to) const {
  const std::vector<std::uint64_t> bytes = sums(senders, from, to);
  double all = 0;
  for (const std::uint64_t one : bytes) all += static_cast<double>(one);
  if (all == 0) return 1;
  const double fair = all / static_cast<double>(senders.size());
  double worst = 0;
  for (const std::uint64_t one : bytes) {
    worst = std::max(worst, std::abs(static_cast<double>(one) - fair) / fair);
  }
  return worst;
}

double GoodputWindows::rate(const std::vector<HostId>& senders, Picoseconds from,
                            Picoseconds to) const {
  double all = 0;
  for (const std::uint64_t one : sums(senders, from, to)) all += static_cast<double>(one);
  return all * 8 / (to - from).toSeconds();
}

fabric::FabricSpec oneSwitch(std::uint32_t hosts, BitRate rate, Picoseconds delay) {
  fabric::FabricSpec spec;
  spec.topology.kind = fabric::TopologyKind::kSingleSwitch;
  spec.topology.hosts = hosts;
  spec.topology.link_rate = rate;
  spec.topology.host_link_delay = delay;
  return spec;
}

fabric::FabricSpec leafSpine(std::uint32_t leaves, std::uint32_t spines,
                             std::uint32_t hosts_per_leaf, BitRate rate, Picoseconds delay) {
  fabric::FabricSpec spec;
  spec.topology.kind = fabric::TopologyKind::kClos2;
  spec.topology.leaves = leaves;
  spec.topology.spines = spines;
  spec.topology.hosts_per_leaf = hosts_per_leaf;
  spec.topology.link_rate = rate;
  spec.topology.host_link_delay = delay;
  spec.topology.fabric_link_delay = delay;
  return spec;
}

std::vector<HostId> hostsFrom(HostId first, std::uint32_t count) {
  std::vector<HostId> hosts;
  for (std::uint32_t i = 0; i < count; ++i) hosts.push_back(first + i);
  return hosts;
}

workload::JobSpec collective(std::string name, std::vector<HostId> hosts,
                             const workload::CollectiveSpec& spec) {
  workload::JobSpec job = explicitJob(std::move(name), std::move(hosts));
  workload::TrainingProgram training;
  training.collectives = {spec};
  job.program = training;
  return job;
}

workload::JobSpec messagesBetween(const std::vector<std::pair<HostId, HostId>>& pairs,
                                  std::uint64_t bytes, std::uint64_t messages) {
  std::vector<HostId> hosts;
  const auto rankOf = [&hosts](HostId host) {
    const auto found = std::find(hosts.begin(), hosts.end(), host);
    const auto rank = static_cast<workload::Rank>(found - hosts.begin());
    if (found == hosts.end()) hosts.push_back(host);
    return rank;
  };
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kExplicit;
  program.bytes = bytes;
  program.messages = messages;
  for (const auto& [from, to] : pairs) {
    const workload::Rank sender = rankOf(from);
    program.pairs.emplace_back(sender, rankOf(to));
  }
  workload::JobSpec job = explicitJob("messages", std::move(hosts));
  job.program = program;
  return job;
}

workload::JobSpec messagesTo(HostId receiver, const std::vector<HostId>& senders,
                             std::uint64_t bytes, std::uint64_t messages) {
  std::vector<std::pair<HostId, HostId>> pairs;
  pairs.reserve(senders.size());
  for (const HostId sender : senders) pairs.emplace_back(sender, receiver);
  return messagesBetween(pairs, bytes, messages);
}

}  // namespace plumbline::sim::testing
