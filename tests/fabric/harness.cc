#include "tests/fabric/harness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "tests/fabric/traffic.h"

namespace plumbline::fabric::testing {

std::vector<Record> RecordLog::of(RecordKind kind) const {
  std::vector<Record> found;
  for (const Record& record : records_) {
    if (record.kind == kind) found.push_back(record);
  }
  return found;
}

std::vector<Record> RecordLog::of(RecordKind kind, LinkId link) const {
  std::vector<Record> found;
  for (const Record& record : records_) {
    if (record.kind == kind && record.link == link) found.push_back(record);
  }
  return found;
}

std::string describe(const Record& record) {
  const Packet& p = record.packet;
  return fmt::format(
      "{} ps node {} #{} link {} kind {} reason {} priority {} value {} packet {}>{} hash {:x} "
      "length {} priority {} ect {} ce {} trim {}{}{} opcode {} connection {} hops {} psn {} aux "
      "{} "
      "stamp {} extra {}",
      record.time.count(), record.node, record.sequence, record.link,
      static_cast<unsigned>(record.kind), static_cast<unsigned>(record.reason), record.priority,
      record.value, p.source, p.destination, p.flow_hash, p.length, unsigned{p.priority},
      bool{p.ect}, bool{p.ce}, int{p.trimmable}, int{p.trimmed}, int{p.trimmed_last_hop}, p.opcode,
      std::uint32_t{p.connection}, std::uint32_t{p.hops}, p.psn, p.aux, p.stamp, p.extra);
}

void ListHost::add(const Packet& packet, Picoseconds not_before) {
  waiting_[packet.priority].push_back({packet, not_before});
  setAlarm(Picoseconds(-1));
}

void ListHost::addMany(const Packet& packet, std::uint32_t count, Picoseconds not_before,
                       Picoseconds spacing) {
  for (std::uint32_t i = 0; i < count; ++i) {
    Packet one = packet;
    one.psn += i;
    add(one, not_before + spacing * i);
  }
}

void ListHost::receive(const Packet& packet, Picoseconds now) {
  arrivals_.push_back({packet, now});
}

bool ListHost::transmit(Picoseconds now, PriorityMask paused, Packet& packet) {
  for (unsigned p = 8; p-- > 0;) {
    auto& queue = waiting_[p];
    if ((paused >> p & 1U) != 0 || queue.empty() || queue.front().not_before > now) continue;
    packet = queue.front().packet;
    queue.pop_front();
    return true;
  }
  setAlarm(now);
  return false;
}

void ListHost::wake(Picoseconds now) { setAlarm(now); }

void ListHost::setAlarm(Picoseconds now) {
  Picoseconds next = kNever;
  for (const auto& queue : waiting_) {
    if (!queue.empty() && queue.front().not_before > now) {
      next = std::min(next, queue.front().not_before);
    }
  }
  setWakeAt(next);
}

std::size_t ListHost::unsent() const {
  std::size_t count = 0;
  for (const auto& queue : waiting_) count += queue.size();
  return count;
}

ListFabric::ListFabric(const FabricSpec& spec, std::uint32_t interests, const RunOptions& options)
    : log_(interests), fabric_(spec, options) {
  for (HostId host = 0; host < fabric_.hostCount(); ++host) {
    fabric_.attach(host, hosts_.emplace_back());
  }
  fabric_.observe(log_);
}

LinkId ListFabric::link(const std::string& name) const {
  return fabric_.topology().requireLink(name, "test");
}

LinkCounters ListFabric::counters(const std::string& name) const {
  return fabric_.linkCounters(link(name));
}

void ListFabric::drain(Picoseconds limit) {
  fabric_.runUntil(limit);
  const auto next = fabric_.nextEvent();
  EXPECT_FALSE(next.has_value()) << "still moving at " << limit.count() << " ps";
}

Balance ListFabric::expectConserved() const {
  const Balance balance = balanceOf(fabric_);
  EXPECT_EQ(balance.ended(), balance.sent) << balance.text();
  return balance;
}

LinkCounters totalCounters(const Fabric& fabric) {
  LinkCounters total;
  for (LinkId link = 0; link < fabric.topology().links().size(); ++link) {
    const LinkCounters one = fabric.linkCounters(link);
    total.packets += one.packets;
    total.control += one.control;
    total.marked += one.marked;
    total.trimmed += one.trimmed;
    total.damaged += one.damaged;
    total.replayed += one.replayed;
    total.retries += one.retries;
    total.pauses += one.pauses;
    total.xoff_sent += one.xoff_sent;
    total.watchdog_events += one.watchdog_events;
    total.max_queue_bytes = std::max(total.max_queue_bytes, one.max_queue_bytes);
    for (std::size_t i = 0; i < one.drops.size(); ++i) total.drops[i] += one.drops[i];
  }
  return total;
}

std::string Balance::text() const {
  return fmt::format("{} sent, {} received, {} dropped, {} inside", sent, received, dropped,
                     inside);
}

Balance balanceOf(const Fabric& fabric) {
  Balance balance;
  for (HostId host = 0; host < fabric.hostCount(); ++host) {
    const Node& node = fabric.topology().nodes()[fabric.topology().hosts()[host]];
    balance.sent += fabric.linkCounters(node.out_links.front()).packets;
    balance.received += fabric.framesReceived(host);
  }
  balance.dropped = totalCounters(fabric).dropped();
  balance.inside = fabric.framesInside();
  return balance;
}

Packet frame(HostId from, HostId to, std::uint32_t length, unsigned priority) {
  Packet packet;
  packet.source = static_cast<std::uint16_t>(from);
  packet.destination = static_cast<std::uint16_t>(to);
  packet.flow_hash = static_cast<std::uint32_t>(mix64((std::uint64_t{from} << 32) | to) >> 32);
  packet.length = static_cast<std::uint16_t>(length);
  packet.priority = priority & 7U;
  return packet;
}

GraphBuilder::GraphBuilder(std::uint32_t hosts, std::uint32_t switches) {
  for (std::uint32_t i = 0; i < hosts; ++i) graph_.hosts.push_back(fmt::format("h{}", i));
  for (std::uint32_t i = 0; i < switches; ++i) graph_.switches.push_back(fmt::format("s{}", i));
}

GraphBuilder& GraphBuilder::cable(const std::string& a, const std::string& b, BitRate rate,
                                  Picoseconds delay) {
  graph_.cables.push_back({a, b, rate, delay});
  return *this;
}

FabricSpec GraphBuilder::spec() const {
  FabricSpec spec;
  spec.topology.kind = TopologyKind::kGraph;
  spec.topology.graph = graph_;
  return spec;
}

FabricSpec chainSpec(Picoseconds delay) {
  return GraphBuilder(2, 2)
      .cable("h0", "s0", gigabitsPerSecond(100), kHostDelay)
      .cable("s0", "s1", gigabitsPerSecond(100), delay)
      .cable("s1", "h1", gigabitsPerSecond(100), kHostDelay)
      .spec();
}

}  // namespace plumbline::fabric::testing
