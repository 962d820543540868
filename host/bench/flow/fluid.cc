#include "bench/flow/fluid.h"

#include <algorithm>
#include <cmath>

#include "fabric/engine/packet.h"

namespace plumbline::bench {

Fluid::Fluid(std::vector<double> capacities)
    : rates_(capacities), carried_(capacities.size(), 0.0) {}

std::uint32_t Fluid::connect(std::span<const LinkUse> uses) {
  connections_.emplace_back();
  return rates_.add(uses);  // counts as connections_ does
}

void Fluid::post(std::uint32_t connection, std::uint64_t message, std::uint64_t bytes,
                 Picoseconds now) {
  Connection& one = connections_[connection];
  one.waiting.push_back({message, bytes});
  if (one.waiting.size() == 1) begin(connection, now);
}

// The first waiting message of the connection.
void Fluid::begin(std::uint32_t number, Picoseconds now) {
  Connection& one = connections_[number];
  one.left = static_cast<double>(one.waiting.front().bytes);
  one.since = now;
  changed_.push_back(number);
}

Picoseconds Fluid::next() const { return ends_.empty() ? fabric::kNever : ends_.top().time; }

void Fluid::depart(Picoseconds now, std::vector<Departure>& gone) {
  while (!ends_.empty() && ends_.top().time <= now) {
    const std::uint32_t number = ends_.top().connection;
    ends_.pop();
    Connection& one = connections_[number];
    ++one.version;
    const Message message = one.waiting.front();
    one.waiting.pop_front();
    gone.push_back({number, message.id});
    for (const LinkUse& use : rates_.uses(number)) {
      carried_[use.link] += use.share * static_cast<double>(message.bytes);
    }
    one.left = 0;
    if (one.waiting.empty()) {
      changed_.push_back(number);
    } else {
      begin(number, now);
    }
    dropStale();
  }
}

// Starts and stops the connections that became busy or idle at this instant, then recomputes the
// end times whose rates changed.
void Fluid::settle(Picoseconds now) {
  if (changed_.empty()) return;
  for (const std::uint32_t number : changed_) {
    Connection& one = connections_[number];
    const bool busy = !one.waiting.empty();
    if (busy == one.active) continue;
    one.active = busy;
    if (busy) {
      rates_.start(number);
    } else {
      rates_.stop(number);
      one.rate = 0;
    }
  }
  for (const std::uint32_t number : changed_) {
    const Connection& one = connections_[number];
    if (one.active && one.rate > 0 && one.since == now) scheduleEnd(number);  // without a pause
  }
  changed_.clear();
  for (const std::uint32_t number : rates_.settle()) {
    Connection& one = connections_[number];
    const auto passed = static_cast<double>((now - one.since).count());
    one.left = std::max(one.left - passed * one.rate, 0.0);
    one.since = now;
    one.rate = rates_.rate(number);
    ++changes_;
    scheduleEnd(number);
  }
  dropStale();
}

void Fluid::scheduleEnd(std::uint32_t number) {
  Connection& one = connections_[number];
  const double time = std::ceil(one.left / one.rate);
  ends_.push({one.since + Picoseconds(static_cast<std::int64_t>(time)), sequence_++, number,
              ++one.version});
}

// Ends that a change of rate has put elsewhere.
void Fluid::dropStale() {
  while (!ends_.empty() && ends_.top().version != connections_[ends_.top().connection].version) {
    ends_.pop();
  }
}

}  // namespace plumbline::bench
