#include "transport/roce/roce_connections.h"

#include <algorithm>

#include "transport/roce/roce_packet.h"

namespace plumbline::transport {

void RoceConnections::open(std::uint32_t qp, Picoseconds now) {
  if (stateOf(qp) != State::kNone) return;
  at(qp).wanted = now;
  stats_.opening(now);
  if (acquireQp()) {
    work(qp, State::kCreating, now);
  } else {
    fail(qp);
  }
}

// Queues the step that leads out of `state`, after the host's earlier steps.
void RoceConnections::work(std::uint32_t qp, State state, Picoseconds now) {
  at(qp).state = state;
  busy_until_ = std::max(busy_until_, now) + spec_.processing;
  steps_.push({busy_until_, qp, state});
}

void RoceConnections::finish(const Step& step) {
  Connection& connection = at(step.qp);
  if (connection.state != step.of) return;  // both ends sent a REQ, and the other one's counts
  switch (step.of) {
    case State::kCreating:
      connection.state = State::kRequested;
      request(step.qp, step.done);
      break;
    case State::kAccepting:
      connection.state = State::kReplied;
      outgoing_.push({step.qp, roce_code::kConnectReply});
      break;
    case State::kFinishing:
      outgoing_.push({step.qp, roce_code::kReadyToUse});
      stats_.establishing(connection.wanted, step.done);
      connect(step.qp);
      break;
    default:
      break;
  }
}

void RoceConnections::request(std::uint32_t qp, Picoseconds now) {
  Connection& connection = at(qp);
  ++connection.attempts;
  connection.deadline = now + spec_.response_timeout;
  timeouts_.push(connection.deadline, qp);
  outgoing_.push({qp, roce_code::kConnectRequest});
}

void RoceConnections::onTimeout(std::uint32_t qp, Picoseconds now) {
  Connection& connection = at(qp);
  if (connection.state != State::kRequested || connection.deadline > now) return;
  if (connection.attempts > spec_.retries) {
    --in_use_;
    fail(qp);
  } else {
    request(qp, now);
  }
}

void RoceConnections::onPacket(std::uint32_t qp, HostId peer, std::uint8_t code, Picoseconds now) {
  Connection& connection = at(qp);
  const State state = connection.state;
  switch (code) {
    case roce_code::kConnectRequest:
      if (state == State::kNone) {
        if (acquireQp()) {
          work(qp, State::kAccepting, now);
        } else {
          outgoing_.push({qp, roce_code::kConnectReject});
        }
      } else if (state == State::kCreating || state == State::kRequested) {
        // Both ends send a REQ at the same time: the one of the lower host counts.
        if (peer < self_) {
          --stats_.opened;
          work(qp, State::kAccepting, now);
        }
      } else if (state == State::kReplied) {
        outgoing_.push({qp, roce_code::kConnectReply});  // the first one was lost
      }
      break;
    case roce_code::kConnectReply:
      if (state == State::kRequested) {
        work(qp, State::kFinishing, now);
      } else if (state == State::kOpen) {
        outgoing_.push({qp, roce_code::kReadyToUse});
      }
      break;
    case roce_code::kReadyToUse:
      onRequest(qp);
      break;
    case roce_code::kConnectReject:
      if (state != State::kRequested) break;
      --in_use_;
      fail(qp);
      break;
    default:
      break;
  }
}

void RoceConnections::wake(Picoseconds now) {
  while (!steps_.empty() && steps_.front().done <= now) {
    const Step step = steps_.front();
    steps_.pop();
    finish(step);
  }
  while (!timeouts_.empty() && timeouts_.top().time <= now) {
    const std::uint32_t qp = timeouts_.top().index;
    timeouts_.pop();
    onTimeout(qp, now);
  }
}

Picoseconds RoceConnections::wakeAt() const {
  const Picoseconds step = steps_.empty() ? kNever : steps_.front().done;
  return timeouts_.empty() ? step : std::min(step, timeouts_.top().time);
}

// Whether the host has a QP to spare.
bool RoceConnections::acquireQp() {
  if (in_use_ == spec_.max_qps) return false;
  ++in_use_;
  stats_.max_open_connections = std::max<std::uint64_t>(stats_.max_open_connections, in_use_);
  return true;
}

void RoceConnections::connect(std::uint32_t qp) {
  Connection& connection = at(qp);
  connection.state = State::kOpen;
  connection.deadline = kNever;
  events_.push_back({qp, true});
}

void RoceConnections::fail(std::uint32_t qp) {
  at(qp).state = State::kFailed;
  ++stats_.failed;
  events_.push_back({qp, false});
}

}  // namespace plumbline::transport
