#include "tests/workload/rank_network.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace plumbline::workload_test {

RankNetwork::RankNetwork(workload::Workload& workload, std::uint32_t hosts,
                         workload::MessageTime time, Picoseconds jitter)
    : wire_free_(hosts), time_(std::move(time)), jitter_(jitter) {
  for (transport::HostId host = 0; host < hosts; ++host) {
    auto port = std::make_unique<Port>();
    port->network = this;
    port->host = host;
    hosts_.push_back(workload.application(host));
    if (hosts_.back() != nullptr) hosts_.back()->attach(*port);
    ports_.push_back(std::move(port));
  }
}

void RankNetwork::schedule(Picoseconds time, std::function<void()> action) {
  events_.emplace(time, std::move(action));
}

Picoseconds RankNetwork::inOrder(Picoseconds time, std::uint64_t lane) {
  if (jitter_ > Picoseconds()) {
    time += Picoseconds(
        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(jitter_.count()))));
  }
  Picoseconds& last = last_[lane];
  last = std::max(last, time);
  return last;
}

void RankNetwork::Port::post(const transport::Message& message, Picoseconds now) {
  RankNetwork& net = *network;
  if (message.bytes == 0 || message.to == host || now != net.now_) {
    throw std::runtime_error("a message that cannot be posted");
  }
  const Posted posted{now, host, message};
  net.log_.push_back(posted);
  net.wire_free_[host] =
      std::max(net.wire_free_[host], now) + net.time_.serialization(message.bytes);
  const std::uint64_t lane =
      static_cast<std::uint64_t>(host) << 32 | message.to << 9 | message.flow << 1;
  const Picoseconds arrival = net.inOrder(net.wire_free_[host] + net.time_.latency, lane);
  const Picoseconds done = net.inOrder(arrival + net.time_.acknowledgement, lane | 1);
  const bool failed = net.fails_ && net.fails_(posted);
  if (!failed) {
    net.schedule(arrival, [&net, posted, arrival] {
      net.hosts_[posted.message.to]->onArrival(
          {posted.from, posted.message.flow, posted.message.verb, posted.message.bytes,
           posted.message.tag},
          arrival);
    });
  }
  net.schedule(done, [&net, posted, done, failed] {
    net.hosts_[posted.from]->onCompletion(
        {posted.message.to, posted.message.flow, posted.message.verb, posted.message.bytes,
         posted.message.tag, posted.time, failed},
        done);
  });
}

void RankNetwork::run(Picoseconds until) {
  for (;;) {
    Picoseconds next = events_.empty() ? transport::kNever : events_.begin()->first;
    transport::Application* sleeper = nullptr;
    for (transport::Application* host : hosts_) {
      if (host != nullptr && host->wakeAt() < next) {
        next = host->wakeAt();
        sleeper = host;
      }
    }
    if (next == transport::kNever || next > until) return;
    now_ = std::max(now_, next);
    if (sleeper != nullptr) {
      sleeper->wake(now_);
      if (sleeper->wakeAt() <= now_) throw std::runtime_error("asks to be woken without end");
    } else {
      const auto action = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      action();
    }
  }
}

workload::MessageTime plainNetwork(BitRate rate, Picoseconds latency) {
  return {[rate](std::uint64_t bytes) {
            return serializationTime(Bytes(static_cast<std::int64_t>(bytes)), rate);
          },
          latency, latency};
}

}  // namespace plumbline::workload_test
