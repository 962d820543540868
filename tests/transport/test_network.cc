#include "tests/transport/test_network.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace plumbline::transport_test {

namespace {

// Rounds at one instant that no endpoint needs that makes progress.
constexpr int kStuck = 10'000;

}  // namespace

TestNetwork::TestNetwork(const std::vector<fabric::Endpoint*>& endpoints,
                         const std::vector<BitRate>& rates, Picoseconds delay)
    : delay_(delay) {
  if (endpoints.size() != rates.size() || delay <= Picoseconds{0}) {
    throw std::invalid_argument("a rate for every endpoint and a delay above zero");
  }
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    hosts_.push_back({.endpoint = endpoints[i], .rate = rates[i]});
  }
}

TestNetwork::TestNetwork(const std::vector<fabric::Endpoint*>& endpoints, BitRate rate,
                         Picoseconds delay)
    : TestNetwork(endpoints, std::vector<BitRate>(endpoints.size(), rate), delay) {}

void TestNetwork::pause(Picoseconds time, fabric::HostId host, fabric::PriorityMask mask) {
  pauses_.push_back({time, host, mask});
}

Picoseconds TestNetwork::nextTime() const {
  Picoseconds next = fabric::kNever;
  if (!in_flight_.empty()) next = in_flight_.front().time;
  if (next_pause_ < pauses_.size()) next = std::min(next, pauses_[next_pause_].time);
  for (const Host& host : hosts_) {
    next = std::min(next, host.endpoint->wakeAt());
    if (host.ask) next = std::min(next, host.wire_free);
  }
  return next;
}

Picoseconds TestNetwork::run(Picoseconds until) {
  Picoseconds now = log_.empty() ? Picoseconds{0} : log_.back().time;
  int rounds = 0;
  for (Picoseconds next = nextTime(); next < fabric::kNever && next <= until; next = nextTime()) {
    rounds = next <= now ? rounds + 1 : 0;
    if (rounds > kStuck) throw std::runtime_error("endpoints keep waking at one instant");
    now = std::max(now, next);
    step(now);
  }
  return now;
}

void TestNetwork::step(Picoseconds now) {
  for (; next_pause_ < pauses_.size() && pauses_[next_pause_].time <= now; ++next_pause_) {
    Host& host = hosts_.at(pauses_[next_pause_].host);
    host.paused = pauses_[next_pause_].mask;
    host.ask = true;
  }
  while (!in_flight_.empty() && in_flight_.front().time <= now) {
    std::pop_heap(in_flight_.begin(), in_flight_.end());
    const fabric::Packet packet = in_flight_.back().packet;
    in_flight_.pop_back();
    Host& host = hosts_.at(packet.destination);
    host.endpoint->receive(packet, now);
    host.ask = true;
  }
  for (Host& host : hosts_) {
    if (host.endpoint->wakeAt() > now) continue;
    host.endpoint->wake(now);
    host.ask = true;
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    Host& host = hosts_[i];
    if (!host.ask || host.wire_free > now) continue;
    fabric::Packet packet;
    host.ask = host.endpoint->transmit(now, host.paused, packet);
    if (!host.ask) continue;
    if ((host.paused >> packet.priority & 1U) != 0) throw std::runtime_error("sent while paused");
    host.wire_free = now + frameSlot(Bytes(packet.length), host.rate);
    send(static_cast<fabric::HostId>(i), packet, now);
  }
}

Action TestNetwork::decide(fabric::Packet& packet, Picoseconds now, Picoseconds& extra) {
  for (Rule& rule : rules_) {
    if (!rule.matches(packet)) continue;
    const std::uint64_t number = rule.seen++;
    if (number < rule.first || number - rule.first >= rule.count) continue;
    extra = rule.extra;
    if (rule.action == Action::kMark) packet.ce = true;
    if (rule.action == Action::kTrim) {
      packet.length = std::min(packet.length, rule.trimmed_length);
      packet.trimmed = true;
      packet.trimmed_last_hop = rule.last_hop;
    }
    return rule.action;
  }
  return hook_ ? hook_(packet, now, extra) : Action::kDeliver;
}

void TestNetwork::send(fabric::HostId host, const fabric::Packet& packet, Picoseconds now) {
  fabric::Packet travelling = packet;
  Picoseconds extra{};
  const Action action = decide(travelling, now, extra);
  log_.push_back({now, host, packet, action});
  if (action == Action::kDrop) return;
  const Picoseconds first_bit = now + delay_;
  deliver(travelling, action == Action::kDelay ? first_bit + extra : first_bit);
  if (action == Action::kDuplicate) deliver(travelling, first_bit + extra);
}

void TestNetwork::deliver(const fabric::Packet& packet, Picoseconds first_bit) {
  const BitRate rate = hosts_.at(packet.destination).rate;
  const Picoseconds last_bit = first_bit + serializationTime(Bytes(packet.length), rate);
  in_flight_.push_back({last_bit, sequence_++, packet});
  std::push_heap(in_flight_.begin(), in_flight_.end());
}

std::vector<Sent> TestNetwork::sent(
    const std::function<bool(const fabric::Packet&)>& matches) const {
  std::vector<Sent> result;
  std::copy_if(log_.begin(), log_.end(), std::back_inserter(result),
               [&](const Sent& frame) { return matches(frame.packet); });
  return result;
}

}  // namespace plumbline::transport_test
