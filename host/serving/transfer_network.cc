#include "serving/transfer_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"

namespace plumbline::serving {
namespace {

auto arrivalOrder(const Arrival& arrival) {
  return std::tuple(arrival.time, arrival.nic, arrival.sequence);
}

void sortNew(std::vector<Arrival>& arrivals, std::size_t first) {
  std::sort(arrivals.begin() + static_cast<std::ptrdiff_t>(first), arrivals.end(),
            [](const Arrival& a, const Arrival& b) { return arrivalOrder(a) < arrivalOrder(b); });
}

}  // namespace

bool InfiniteNetwork::Later::operator()(const Arrival& a, const Arrival& b) const {
  return arrivalOrder(a) > arrivalOrder(b);
}

void InfiniteNetwork::post(const Transfer& transfer) {
  waiting_.push({transfer.at, transfer.to, sequence_++, transfer.id});
}

Picoseconds InfiniteNetwork::nextEvent() const {
  return waiting_.empty() ? kNever : waiting_.top().time;
}

void InfiniteNetwork::runUntil(Picoseconds time, std::vector<Arrival>& arrivals) {
  while (!waiting_.empty() && waiting_.top().time <= time) {
    arrivals.push_back(waiting_.top());
    waiting_.pop();
  }
}

SharedRateNetwork::SharedRateNetwork(std::uint32_t nics, BitRate rate, Picoseconds latency)
    : nics_(nics), rate_(static_cast<double>(rate.bitsPerSecond()) / 8e12), latency_(latency) {
  if (rate.bitsPerSecond() <= 0 || latency < Picoseconds()) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("NICs of {} bit/s with a path of {} ps", rate.bitsPerSecond(), latency.count()),
        "network", "a rate above 0, and no negative latency");
  }
}

void SharedRateNetwork::post(const Transfer& transfer) {
  if (transfer.bytes == 0 || transfer.from >= nics_.size() || transfer.to >= nics_.size() ||
      transfer.at < now_) {
    throw Error(ErrorKind::kTester,
                fmt::format("a message of {} bytes from NIC {} to NIC {} of {} at {} ps, when the "
                            "network is at {} ps",
                            transfer.bytes, transfer.from, transfer.to, nics_.size(),
                            transfer.at.count(), now_.count()),
                "network", "this is a fault of the serving model");
  }
  posted_.push({transfer, sequence_++});
}

Picoseconds SharedRateNetwork::nextEvent() const {
  Picoseconds next = kNever;
  if (!posted_.empty()) next = std::min(next, posted_.top().transfer.at);
  if (!finishes_.empty()) next = std::min(next, finishes_.top().time);
  if (!delivered_.empty()) next = std::min(next, delivered_.front().time);
  return next;
}

void SharedRateNetwork::runUntil(Picoseconds time, std::vector<Arrival>& arrivals) {
  const std::size_t first = arrivals.size();
  for (;;) {
    const Picoseconds finish = finishes_.empty() ? kNever : finishes_.top().time;
    const Picoseconds post = posted_.empty() ? kNever : posted_.top().transfer.at;
    // At equal times, finished messages make room first.
    if (finish <= time && finish <= post) {
      const std::uint32_t flow = finishes_.top().flow;
      finishes_.pop();
      this->finish(flow, finish);
    } else if (post <= time) {
      const Transfer transfer = posted_.top().transfer;
      posted_.pop();
      start(transfer);
    } else {
      break;
    }
    dropStale();
  }
  while (!delivered_.empty() && delivered_.front().time <= time) {
    arrivals.push_back(delivered_.front());
    delivered_.pop_front();
  }
  sortNew(arrivals, first);
  now_ = std::max(now_, time);
}

void SharedRateNetwork::dropStale() {
  while (!finishes_.empty() && finishes_.top().version != flows_[finishes_.top().flow].version) {
    finishes_.pop();
  }
}

void SharedRateNetwork::start(const Transfer& transfer) {
  std::uint32_t index = 0;
  if (unused_.empty()) {
    index = static_cast<std::uint32_t>(flows_.size());
    flows_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  Flow& flow = flows_[index];
  flow.transfer = transfer;
  flow.left = static_cast<double>(transfer.bytes);
  flow.rate = 0;
  flow.updated = transfer.at;
  Nic& from = nics_[transfer.from];
  Nic& to = nics_[transfer.to];
  flow.from_place = from.out.size();
  from.out.push_back(index);
  flow.to_place = to.in.size();
  to.in.push_back(index);
  share(transfer.from, transfer.to, transfer.at);
}

void SharedRateNetwork::finish(std::uint32_t index, Picoseconds now) {
  Flow& flow = flows_[index];
  ++flow.version;
  Nic& from = nics_[flow.transfer.from];
  Nic& to = nics_[flow.transfer.to];
  from.sent += flow.transfer.bytes;
  to.received += flow.transfer.bytes;
  from.out[flow.from_place] = from.out.back();
  flows_[from.out.back()].from_place = flow.from_place;
  from.out.pop_back();
  to.in[flow.to_place] = to.in.back();
  flows_[to.in.back()].to_place = flow.to_place;
  to.in.pop_back();
  delivered_.push_back({now + latency_, flow.transfer.to, sequence_++, flow.transfer.id});
  unused_.push_back(index);
  share(flow.transfer.from, flow.transfer.to, now);
}

// The messages of two NICs that have one message more or less.
void SharedRateNetwork::share(std::uint32_t from, std::uint32_t to, Picoseconds now) {
  for (const std::uint32_t index : nics_[from].out) setRate(index, now);
  for (const std::uint32_t index : nics_[to].in) {
    if (flows_[index].transfer.from != from) setRate(index, now);
  }
}

void SharedRateNetwork::setRate(std::uint32_t index, Picoseconds now) {
  Flow& flow = flows_[index];
  const std::size_t sharers =
      std::max(nics_[flow.transfer.from].out.size(), nics_[flow.transfer.to].in.size());
  const double rate = rate_ / static_cast<double>(sharers);
  if (rate == flow.rate) return;
  flow.left -= flow.rate * static_cast<double>((now - flow.updated).count());
  flow.left = std::max(flow.left, 0.0);
  flow.updated = now;
  flow.rate = rate;
  const Picoseconds end = now + Picoseconds(std::llround(flow.left / rate));
  finishes_.push({end, sequence_++, index, ++flow.version});
}

}  // namespace plumbline::serving
