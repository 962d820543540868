#include "workload/unacknowledged.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace plumbline::workload {
namespace {

// One direction between two hosts.
using Pair = std::pair<HostId, HostId>;

enum class MessageState : std::uint8_t { kArrived, kOpen, kLost };

// Records of a message, or of its parts so far.
struct Found {
  MessageState state = MessageState::kArrived;
  HostId to = 0;
  Picoseconds posted;
  Picoseconds arrived{};
  std::uint32_t parts = 0;
};

// The arrivals of one pair of hosts, by flow and number.
class PairArrivals {
 public:
  void add(const MessageArrival& arrival) { arrivals_.push_back(arrival); }

  void sort() {
    std::sort(arrivals_.begin(), arrivals_.end(),
              [](const MessageArrival& a, const MessageArrival& b) {
                return std::tie(a.flow, a.number) < std::tie(b.flow, b.number);
              });
  }

  [[nodiscard]] Found find(const Dispatch& sent) const {
    const auto key = std::tie(sent.flow, sent.number);
    const auto place = std::lower_bound(
        arrivals_.begin(), arrivals_.end(), key,
        [](const MessageArrival& a, const auto& b) { return std::tie(a.flow, a.number) < b; });
    Found found{MessageState::kOpen, sent.to, sent.posted, {}, 1};
    if (place == arrivals_.end() || place->flow != sent.flow) return found;
    if (place->number != sent.number) {
      found.state = MessageState::kLost;  // a later one of the flow has arrived
    } else {
      found.state = MessageState::kArrived;
      found.arrived = place->arrived;
    }
    return found;
  }

 private:
  std::vector<MessageArrival> arrivals_;
};

class Matcher {
 public:
  Matcher(const std::vector<UnacknowledgedEnd>& ends, const PassedMessages& passed)
      : passed_(passed) {
    for (const UnacknowledgedEnd& end : ends) {
      for (const MessageArrival& arrival : end.port->arrivedMessages())
        arrivals_[{arrival.from, end.host}].add(arrival);
    }
    for (auto& entry : arrivals_) entry.second.sort();
  }

  void match(const UnacknowledgedEnd& sender) {
    std::vector<Dispatch> sent = sender.port->dispatched();
    std::sort(sent.begin(), sent.end(), [](const Dispatch& a, const Dispatch& b) {
      return std::tie(a.to, a.flow, a.number) < std::tie(b.to, b.flow, b.number);
    });
    // The n-th part in each flow between two hosts belongs to their n-th split message.
    std::map<std::pair<HostId, std::uint64_t>, Found> split;
    std::optional<std::pair<HostId, std::uint32_t>> flow;
    std::uint64_t place = 0;
    for (const Dispatch& one : sent) {
      Found found = arrivals_[{sender.host, one.to}].find(one);
      if (found.state == MessageState::kOpen && isPassed(sender.host, one)) {
        found.state = MessageState::kLost;
      }
      if (!one.part) {
        count(sender.host, found);
        continue;
      }
      if (flow != std::pair(one.to, one.flow)) place = 0;
      flow = {one.to, one.flow};
      Found& whole = split
                         .try_emplace({one.to, place++},
                                      Found{MessageState::kArrived, one.to, one.posted, {}, 0})
                         .first->second;
      whole.state = std::max(whole.state, found.state);
      whole.arrived = std::max(whole.arrived, found.arrived);
      ++whole.parts;
    }
    for (const auto& entry : split) {
      if (entry.second.parts == sender.port->parts()) count(sender.host, entry.second);
    }
  }

  [[nodiscard]] Unacknowledged take() { return std::move(result_); }

 private:
  [[nodiscard]] bool isPassed(HostId sender, const Dispatch& one) const {
    const auto found = passed_.find({sender, one.to, one.flow});
    // Numbers may wrap.
    return found != passed_.end() && static_cast<std::int32_t>(one.number - found->second) <= 0;
  }

  void count(HostId from, const Found& found) {
    if (found.state == MessageState::kLost) ++result_.lost;
    if (found.state == MessageState::kOpen) result_.open.push_back({found.posted, from, found.to});
    if (found.state != MessageState::kArrived) return;
    ++result_.arrived;
    result_.time.record(static_cast<std::uint64_t>((found.arrived - found.posted).count()));
  }

  const PassedMessages& passed_;
  std::map<Pair, PairArrivals> arrivals_;
  Unacknowledged result_;
};

}  // namespace

Unacknowledged matchUnacknowledged(const std::vector<UnacknowledgedEnd>& ends,
                                   const PassedMessages& passed) {
  Matcher matcher(ends, passed);
  for (const UnacknowledgedEnd& end : ends) matcher.match(end);
  return matcher.take();
}

}  // namespace plumbline::workload
