// A channel without a network: messages complete after a number of polls.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <stdexcept>
#include <vector>

#include "endpoint/channel.h"

namespace plumbline::endpoint {

// Behaviour and records of the channel. Only the initiator's thread uses it while it runs.
struct FakeBehaviour {
  unsigned polls = 1;                            // from a message's post to its completion
  std::size_t room = 1 << 20;                    // capacity of the queue for messages in flight
  std::uint64_t max = ~std::uint64_t{0};         // messages that ever complete
  std::uint64_t fail_after = ~std::uint64_t{0};  // completions
  std::vector<std::uint32_t> astray;             // additional wrong slots that poll() returns
  bool spoilt = false;                           // received data differs from sent data
  std::vector<std::uint32_t> pairs;              // of every message, in order
  std::size_t most_under_way = 0;
  std::atomic<std::uint64_t> served{0};
};

class FakeChannel final : public Channel {
 public:
  explicit FakeChannel(FakeBehaviour& behaviour) : behaviour_(behaviour) {}

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override {
    if (under_way_.size() >= behaviour_.room) return false;
    under_way_.push_back({slot, behaviour_.polls});
    behaviour_.pairs.push_back(queue_pair);
    behaviour_.most_under_way = std::max(behaviour_.most_under_way, under_way_.size());
    return true;
  }

  std::size_t poll(std::span<std::uint32_t> slots) override {
    for (Message& message : under_way_) message.polls -= message.polls > 0 ? 1 : 0;
    std::size_t count = 0;
    while (count < slots.size() && !behaviour_.astray.empty()) {
      slots[count++] = behaviour_.astray.back();
      behaviour_.astray.pop_back();
    }
    while (count < slots.size() && !under_way_.empty() && under_way_.front().polls == 0 &&
           completed_ < behaviour_.max) {
      if (completed_ == behaviour_.fail_after) throw std::runtime_error("the fake fails");
      slots[count++] = under_way_.front().slot;
      under_way_.pop_front();
      ++completed_;
    }
    return count;
  }

  std::size_t serve() override {
    ++behaviour_.served;
    return 0;
  }

  [[nodiscard]] bool intact() const override { return !behaviour_.spoilt; }

 private:
  struct Message {
    std::uint32_t slot;
    unsigned polls;
  };

  FakeBehaviour& behaviour_;
  std::deque<Message> under_way_;
  std::uint64_t completed_ = 0;
};

}  // namespace plumbline::endpoint
