#include "workload/message_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/exponential.h"
#include "base/latest_time.h"

namespace plumbline::workload {

MessageTask::MessageTask(MessagePort port, const MessageProgram& program, const Members& members,
                         Rank rank, const std::vector<Opening>& openings, std::uint64_t seed,
                         const std::string& name)
    : Task(std::move(port)),
      program_(program),
      members_(members),
      rank_(rank),
      unfinished_(openings.size()) {
  const auto* arrivals = std::get_if<Arrivals>(&program.load);
  for (const Opening& opening : openings) {
    Connection connection;
    connection.number = opening.number;
    connection.to = opening.to;
    connection.start = opening.start;
    connection.waiting = true;
    if (arrivals != nullptr && arrivals->poisson) {
      connection.random.emplace(seed, fmt::format("{}/{}", name, opening.number));
      drawGap(connection);
    }
    wakes_.push_back({opening.start, static_cast<std::uint32_t>(connections_.size())});
    connections_.push_back(connection);
  }
  std::make_heap(wakes_.begin(), wakes_.end());
  updateWake();
}

void MessageTask::drawGap(Connection& connection) const {
  const Picoseconds interval = std::get<Arrivals>(program_.load).interval;
  const Picoseconds gap =
      connection.random ? exponentialGap(*connection.random, interval) : interval;
  connection.elapsed = cappedTime(Int128{connection.elapsed.count()} + gap.count());
}

Picoseconds MessageTask::nextPost(const Connection& connection, Picoseconds now) const {
  const auto& on_off = program_.on_off;
  if (const auto* loop = std::get_if<ClosedLoop>(&program_.load)) {
    if (connection.posted - connection.completed >= loop->outstanding) return transport::kNever;
    if (!on_off || now < connection.start) return connection.start;
    const Picoseconds cycle = on_off->on + on_off->off;
    const Picoseconds begin = connection.start + cycle * ((now - connection.start) / cycle);
    return now < begin + on_off->on ? begin : begin + cycle;
  }
  const Int128 busy = Int128{connection.start.count()} + connection.elapsed.count();
  if (!on_off) return cappedTime(busy);
  const std::int64_t cycles = connection.elapsed / on_off->on;
  return cappedTime(busy + Int128{on_off->off.count()} * cycles);
}

void MessageTask::post(std::uint32_t index, Picoseconds now) {
  Connection& connection = connections_[index];
  connection.first_posted = std::min(connection.first_posted, now);
  const std::uint64_t number = connection.posted++;
  if (program_.arrival_times) connection.post_times.push_back(now);
  port().post(members_.host(connection.to), program_.bytes,
              {static_cast<std::uint32_t>(number), index}, number, now);
  if (std::holds_alternative<Arrivals>(program_.load)) drawGap(connection);
}

void MessageTask::advance(std::uint32_t index, Picoseconds now) {
  Connection& connection = connections_[index];
  while (!connection.exhausted) {
    const Picoseconds next = std::max(now, nextPost(connection, now));
    // A connection that waits for a completion may still have time left: it decides then.
    const bool blocked = next == transport::kNever;
    if (connection.posted == program_.messages || (blocked ? now : next) >= program_.until) {
      connection.exhausted = true;
    } else if (blocked) {
      break;
    } else if (next > now) {
      if (!connection.waiting) {
        connection.waiting = true;
        wakes_.push_back({next, index});
        std::push_heap(wakes_.begin(), wakes_.end());
      }
      break;
    } else {
      post(index, now);
    }
  }
  if (connection.exhausted && connection.completed == connection.posted && !connection.finished) {
    connection.finished = true;
    --unfinished_;
  }
}

void MessageTask::arrived(HostId from, Label label, Picoseconds now) {
  if (program_.arrival_times) arrived_messages_.push_back({from, label, now});
}

void MessageTask::completed(HostId /*to*/, Label label, Picoseconds now) {
  Connection& connection = connections_[label.step];
  ++connection.completed;
  connection.last_completed = now;
  advance(label.step, now);
  updateWake();
}

void MessageTask::wake(Picoseconds now) {
  while (!wakes_.empty() && wakes_.front().time <= now) {
    const std::uint32_t index = wakes_.front().connection;
    std::pop_heap(wakes_.begin(), wakes_.end());
    wakes_.pop_back();
    connections_[index].waiting = false;
    advance(index, now);
  }
  updateWake();
}

void MessageTask::updateWake() {
  setWakeAt(wakes_.empty() ? transport::kNever : wakes_.front().time);
}

std::vector<ConnectionResult> MessageTask::results() const {
  std::vector<ConnectionResult> results;
  for (const Connection& connection : connections_) {
    results.push_back({connection.number, rank_, connection.to, connection.posted,
                       connection.completed, connection.first_posted, connection.last_completed});
  }
  return results;
}

}  // namespace plumbline::workload
