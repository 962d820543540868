// A port's receiving side: the lane itself, or what a script makes of it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "fabric/engine/ring.h"
#include "fabric/link/impairment.h"
#include "fabric/link/lane.h"

namespace plumbline::fabric {

class alignas(64) Input {
 public:
  explicit Input(Lane& lane) : lane_(&lane), flights_(&lane.flight) {}

  void setScript(std::unique_ptr<ImpairmentStage> stage) {
    stage_ = std::move(stage);
    flights_ = &stage_->output();
  }

  // Looks at what was sent meanwhile, `steered`: also at what is not a packet; what is handed over
  // before `end` is then in flights().
  void refresh(Picoseconds end, bool steered) {
    lane_->flight.refresh();
    if (steered) takeControl();
    if (stage_) {
      stage_->advance(*lane_, end);
      flights_->refresh();
    }
  }

  // There is nothing but packets, and no script.
  [[nodiscard]] bool bare() const { return control_.empty() && stage_ == nullptr; }

  // Fetches what was sent meanwhile, for refresh() and all that follows.
  void prefetch() {
    lane_->flight.refresh();
    lane_->flight.prefetchVisible();
  }

  // The first thing that this input has to hand over at or after the end of the last refresh().
  [[nodiscard]] Picoseconds next() const {
    Picoseconds time = flights_->empty() ? kNever : flights_->front().at;
    if (stage_) time = std::min(time, stage_->next(*lane_));
    if (!control_.empty()) time = std::min(time, control_.front().at);
    return time;
  }

  [[nodiscard]] SpscRing<Flight>& flights() { return *flights_; }
  [[nodiscard]] const SpscRing<Flight>& flights() const { return *flights_; }
  // Takes the first `count` of them out when dismiss() is called: until then they can be looked at.
  void engage(std::size_t count) { engaged_ = count; }
  void dismiss() {
    flights_->pop(engaged_);
    engaged_ = 0;
  }
  // Ascending by time.
  [[nodiscard]] Ring<ControlFlight>& control() { return control_; }
  // Frames that a script holds back, or has let through to be handed over later.
  [[nodiscard]] std::size_t heldFrames() const { return stage_ ? stage_->framesInside() : 0; }
  // Nothing is under way but PAUSE frames that repeat pauses of `paused`. Between two runs.
  [[nodiscard]] bool onlyRepeats(PriorityMask paused) {
    if (lane_->flight.size() > 0) return false;
    takeControl();
    for (std::size_t i = 0; i < control_.size(); ++i) {
      const ControlFlight& item = control_.at(i);
      if (item.kind != ControlFlight::Kind::kPause || item.xoff != item.enabled ||
          item.value == 0 || (item.enabled & ~paused) != 0) {
        return false;
      }
    }
    return true;
  }
  // Packets that a script took out, reported once.
  [[nodiscard]] ImpairmentStage* stage() { return stage_.get(); }

 private:
  // PAUSE frames and credits take different times, and a tester's port may be told of its own PAUSE
  // frames early: they do not come in the order in which they take effect.
  void takeControl() {
    lane_->control.refresh();
    for (; !lane_->control.empty(); lane_->control.pop()) {
      control_.push(lane_->control.front());
      for (std::size_t i = control_.size() - 1; i > 0 && control_.at(i).at < control_.at(i - 1).at;
           --i) {
        std::swap(control_.at(i), control_.at(i - 1));
      }
    }
  }

  Lane* lane_;
  SpscRing<Flight>* flights_;
  std::size_t engaged_ = 0;
  std::unique_ptr<ImpairmentStage> stage_;
  Ring<ControlFlight> control_;
};
static_assert(sizeof(Input) == 64);  // a cache line

}  // namespace plumbline::fabric
