// An application for tests: posts messages at given times, and records its notifications.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "transport/application.h"

namespace plumbline::transport_test {

class ScriptedApplication final : public transport::Application {
 public:
  template <typename Event>
  struct At {
    Picoseconds time;
    Event event;
  };

  // Before the network first runs; times must not descend.
  void postAt(Picoseconds time, const transport::Message& message) {
    script_.push_back({time, message});
  }
  // Called with every completion; may post.
  using Reaction =
      std::function<void(transport::Poster&, const transport::Completion&, Picoseconds)>;
  void onEachCompletion(Reaction reaction) { reaction_ = std::move(reaction); }

  void attach(transport::Poster& poster) override {
    poster_ = &poster;
    setWakeAt(Picoseconds{0});
  }
  void onArrival(const transport::Arrival& arrival, Picoseconds now) override {
    arrivals.push_back({now, arrival});
  }
  void onCompletion(const transport::Completion& completion, Picoseconds now) override {
    completions.push_back({now, completion});
    if (reaction_) reaction_(*poster_, completion, now);
  }
  void wake(Picoseconds now) override {
    while (next_ < script_.size() && script_[next_].time <= now) {
      poster_->post(script_[next_++].event, now);
    }
    setWakeAt(next_ < script_.size() ? script_[next_].time : transport::kNever);
  }

  std::vector<At<transport::Arrival>> arrivals;
  std::vector<At<transport::Completion>> completions;

 private:
  transport::Poster* poster_ = nullptr;
  std::vector<At<transport::Message>> script_;
  std::size_t next_ = 0;
  Reaction reaction_;
};

}  // namespace plumbline::transport_test
