// Distributes live messages of runs to all clients, each at its own speed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "control/live_message.h"

namespace plumbline::control {

// Gets every published message, on the publisher's thread; must be quick and must not call the hub.
class LiveListener {
 public:
  virtual ~LiveListener() = default;
  virtual void onInterval(const LiveInterval& interval) = 0;
  virtual void onRun(const RunState& run) = 0;
};

// Messages are stored once for all clients; a client is only a position in them. A slow client
// falls behind the oldest stored message and is informed how many intervals it lost; it costs no
// memory and does not delay others. Thread-safe.
class LiveHub {
 public:
  using Text = std::shared_ptr<const std::string>;

  struct Limits {
    std::size_t messages = 4000;
    std::size_t bytes = 64U << 20U;
  };

  class Subscriber;

  // `instance` distinguishes this process from another one, which also counts from 1.
  LiveHub(std::string instance, Limits limits);
  explicit LiveHub(std::string instance) : LiveHub(std::move(instance), Limits()) {}

  // At most one; to be set before anything is published. It must outlive the publishers.
  void setListener(LiveListener* listener) { listener_ = listener; }

  // Gives the interval its sequence number.
  void publish(LiveInterval interval);
  void publish(const RunState& run);

  // Begins after the interval `since`; 0, or an unknown number, means at the oldest. `wake` is
  // called on a publisher's thread when there may be new messages; it must be quick and must not
  // call the hub.
  std::shared_ptr<Subscriber> subscribe(std::uint64_t since, std::function<void()> wake);

  [[nodiscard]] const std::string& instance() const { return instance_; }
  [[nodiscard]] std::uint64_t intervals() const;
  [[nodiscard]] std::uint64_t lost() const;  // summed over subscribers
  [[nodiscard]] std::size_t subscribers() const;
  [[nodiscard]] std::size_t keptBytes() const;

 private:
  struct Queued {
    std::uint64_t sequence;  // of an interval; for other messages that of the interval before
    bool interval;
    Text text;
  };

  void keep(Queued kept);
  void wakeAll();
  [[nodiscard]] std::uint64_t oldest() const;
  Text take(Subscriber& subscriber);

  LiveListener* listener_ = nullptr;
  const std::string instance_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::deque<Queued> queued_;
  std::uint64_t first_ = 0;  // number of queued_.front() among all messages
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;  // of the latest interval
  std::uint64_t lost_ = 0;
  std::vector<std::weak_ptr<Subscriber>> subscribers_;
};

class LiveHub::Subscriber {
 public:
  // The next message for this client, its hello first; nullptr when there is none now.
  Text take() { return hub_.take(*this); }

 private:
  friend class LiveHub;
  explicit Subscriber(LiveHub& hub, std::function<void()> wake)
      : hub_(hub), wake_(std::move(wake)) {}

  LiveHub& hub_;
  std::function<void()> wake_;
  Text hello_;
  std::uint64_t next_ = 0;      // number of the message
  std::uint64_t sequence_ = 0;  // of the last interval that it received
};

}  // namespace plumbline::control
