#include "bench/flow/flow_serving_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/work.h"

namespace plumbline::bench {
namespace {

constexpr std::uint64_t kCallsPerCheck = 4096;  // of checkWork()

}  // namespace

bool FlowServingNetwork::Later::operator()(const serving::Arrival& a,
                                           const serving::Arrival& b) const {
  return std::tie(a.time, a.nic, a.sequence) > std::tie(b.time, b.nic, b.sequence);
}

FlowServingNetwork::FlowServingNetwork(std::vector<double> capacities, const Shape& shape,
                                       PathOf path_of)
    : shape_(shape),
      path_of_(std::move(path_of)),
      fluid_(std::move(capacities)),
      turns_(shape.nics, 0) {}

void FlowServingNetwork::post(const serving::Transfer& transfer) {
  if (transfer.bytes == 0 || transfer.from >= shape_.nics || transfer.to >= shape_.nics ||
      transfer.at < now_) {
    throw Error(ErrorKind::kTester,
                fmt::format("a message of {} bytes from NIC {} to NIC {} of {} at {} ps, when the "
                            "network is at {} ps",
                            transfer.bytes, transfer.from, transfer.to, shape_.nics,
                            transfer.at.count(), now_.count()),
                "flow level", "this is a fault of the serving model");
  }
  posted_.push({transfer, sequence_++});
}

Picoseconds FlowServingNetwork::nextEvent() const {
  Picoseconds next = fluid_.next();
  if (!posted_.empty()) next = std::min(next, posted_.top().transfer.at);
  if (!delivered_.empty()) next = std::min(next, delivered_.top().time);
  return next;
}

std::uint32_t FlowServingNetwork::connectionOf(const serving::Transfer& transfer) {
  std::uint64_t& turn = turns_[shape_.reads ? transfer.to : transfer.from];
  const auto flow = static_cast<std::uint32_t>(turn++ % shape_.queue_pairs);
  const std::uint64_t key =
      (std::uint64_t{transfer.from} * shape_.nics + transfer.to) * shape_.queue_pairs + flow;
  const auto [known, added] =
      numbers_.try_emplace(key, static_cast<std::uint32_t>(connections_.size()));
  if (added) {
    const FlowPath path = path_of_(transfer.from, transfer.to, flow);
    connections_.push_back({transfer.to, path.there});
    fluid_.connect(path.uses);  // counts as connections_ does
  }
  return known->second;
}

void FlowServingNetwork::departed(Picoseconds now) {
  gone_.clear();
  fluid_.depart(now, gone_);
  for (const auto& [number, message] : gone_) {
    const Connection& connection = connections_[number];
    delivered_.push({now + connection.there, connection.to, arrivals_++, message});
  }
}

void FlowServingNetwork::runUntil(Picoseconds time, std::vector<serving::Arrival>& arrivals) {
  if (++calls_ % kCallsPerCheck == 0) checkWork();
  for (;;) {
    Picoseconds now = fluid_.next();
    if (!posted_.empty()) now = std::min(now, posted_.top().transfer.at);
    if (now > time || now == serving::kNever) break;
    departed(now);
    while (!posted_.empty() && posted_.top().transfer.at == now) {
      const serving::Transfer transfer = posted_.top().transfer;
      posted_.pop();
      fluid_.post(connectionOf(transfer), transfer.id, transfer.bytes, now);
    }
    fluid_.settle(now);
  }
  while (!delivered_.empty() && delivered_.top().time <= time) {
    arrivals.push_back(delivered_.top());
    delivered_.pop();
  }
  now_ = std::max(now_, time);
}

}  // namespace plumbline::bench
