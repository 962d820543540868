#include "control/live_hub.h"

#include <algorithm>
#include <utility>

namespace plumbline::control {

LiveHub::LiveHub(std::string instance, Limits limits)
    : instance_(std::move(instance)), limits_(limits) {}

void LiveHub::publish(LiveInterval interval) {
  if (listener_ != nullptr) listener_->onInterval(interval);
  {
    const std::scoped_lock lock(mutex_);
    interval.sequence = ++sequence_;
    keep({sequence_, true, std::make_shared<const std::string>(toMessage(interval))});
  }
  wakeAll();
}

void LiveHub::publish(const RunState& run) {
  if (listener_ != nullptr) listener_->onRun(run);
  {
    const std::scoped_lock lock(mutex_);
    keep({sequence_, false, std::make_shared<const std::string>(toMessage(run))});
  }
  wakeAll();
}

void LiveHub::keep(Queued kept) {
  bytes_ += kept.text->size();
  queued_.push_back(std::move(kept));
  while (queued_.size() > limits_.messages || (bytes_ > limits_.bytes && queued_.size() > 1)) {
    bytes_ -= queued_.front().text->size();
    queued_.pop_front();
    ++first_;
  }
}

void LiveHub::wakeAll() {
  std::vector<std::shared_ptr<Subscriber>> awake;
  {
    const std::scoped_lock lock(mutex_);
    std::erase_if(subscribers_, [&awake](const std::weak_ptr<Subscriber>& one) {
      auto subscriber = one.lock();
      if (!subscriber) return true;
      awake.push_back(std::move(subscriber));
      return false;
    });
  }
  for (const auto& subscriber : awake) subscriber->wake_();
}

std::uint64_t LiveHub::oldest() const {
  const auto first = std::find_if(queued_.begin(), queued_.end(),
                                  [](const Queued& kept) { return kept.interval; });
  return first == queued_.end() ? 0 : first->sequence;
}

std::shared_ptr<LiveHub::Subscriber> LiveHub::subscribe(std::uint64_t since,
                                                        std::function<void()> wake) {
  std::shared_ptr<Subscriber> subscriber(new Subscriber(*this, std::move(wake)));
  const std::scoped_lock lock(mutex_);
  subscriber->hello_ =
      std::make_shared<const std::string>(toMessage(LiveHello{instance_, oldest(), sequence_}));
  subscriber->next_ = first_;
  const bool known = since > 0 && since <= sequence_;
  // A client that had no interval has lost none.
  const std::uint64_t before = oldest() > 0 ? oldest() - 1 : sequence_;
  subscriber->sequence_ = known ? since : before;
  if (known) {
    // Other messages carry the number of the previous interval, so that later ones are delivered.
    const auto behind = std::find_if(queued_.begin(), queued_.end(), [&](const Queued& kept) {
      return kept.sequence > since || (!kept.interval && kept.sequence == since);
    });
    subscriber->next_ += static_cast<std::uint64_t>(behind - queued_.begin());
  }
  subscribers_.push_back(subscriber);
  return subscriber;
}

LiveHub::Text LiveHub::take(Subscriber& subscriber) {
  if (subscriber.hello_) return std::exchange(subscriber.hello_, nullptr);
  const std::scoped_lock lock(mutex_);
  subscriber.next_ = std::max(subscriber.next_, first_);
  const std::uint64_t place = subscriber.next_ - first_;
  if (place >= queued_.size()) return nullptr;
  const Queued& kept = queued_[place];
  // Numbers have no gaps: those missing between the last interval and this message were dropped.
  const std::uint64_t before = kept.sequence - (kept.interval ? 1 : 0);
  if (before > subscriber.sequence_) {
    const LiveLost lost{before - subscriber.sequence_};
    lost_ += lost.count;
    subscriber.sequence_ = before;
    return std::make_shared<const std::string>(toMessage(lost));
  }
  ++subscriber.next_;
  subscriber.sequence_ = std::max(subscriber.sequence_, kept.sequence);
  return kept.text;
}

std::uint64_t LiveHub::intervals() const {
  const std::scoped_lock lock(mutex_);
  return sequence_;
}

std::uint64_t LiveHub::lost() const {
  const std::scoped_lock lock(mutex_);
  return lost_;
}

std::size_t LiveHub::subscribers() const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(
      std::count_if(subscribers_.begin(), subscribers_.end(),
                    [](const std::weak_ptr<Subscriber>& one) { return !one.expired(); }));
}

std::size_t LiveHub::keptBytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace plumbline::control
