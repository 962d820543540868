// The receiving side of a port: the propagation queue of its link, or the output of a script that
// acts on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "fabric/engine/ring.h"
#include "fabric/link/impairment.h"
#include "fabric/link/propagation_queue.h"

namespace plumbline::fabric {

class alignas(64) IngressPort {
 public:
  explicit IngressPort(PropagationQueue& queue) : queue_(&queue), packets_(&queue.packets) {}

  void setScript(std::unique_ptr<ImpairmentStage> stage) {
    stage_ = std::move(stage);
    packets_ = &stage_->output();
  }

  // Sees what was sent since the last call, `control`: control messages as well. packets() then
  // holds all packets that are handed over before `end`.
  void refresh(Picoseconds end, bool control) {
    queue_->packets.refresh();
    if (control) receiveControl();
    if (stage_) {
      stage_->advance(*queue_, end);
      packets_->refresh();
    }
  }

  // There are no control messages and no script.
  [[nodiscard]] bool hasPacketsOnly() const { return control_.empty() && stage_ == nullptr; }

  // Fetches the packets that were sent since the last refresh(), for the next one.
  void prefetch() {
    queue_->packets.refresh();
    queue_->packets.prefetchVisible();
  }

  // When this port hands over the next packet or control message, as of the last refresh().
  [[nodiscard]] Picoseconds next() const {
    Picoseconds time = packets_->empty() ? kNever : packets_->front().at;
    if (stage_) time = std::min(time, stage_->next(*queue_));
    if (!control_.empty()) time = std::min(time, control_.front().at);
    return time;
  }

  [[nodiscard]] SpscRing<InFlightPacket>& packets() { return *packets_; }
  [[nodiscard]] const SpscRing<InFlightPacket>& packets() const { return *packets_; }
  // Takes the first `count` packets when release() is called: until then they stay where they are.
  void reserve(std::size_t count) { reserved_ = count; }
  void release() {
    packets_->pop(reserved_);
    reserved_ = 0;
  }
  // In ascending order of time.
  [[nodiscard]] Ring<LinkControl>& control() { return control_; }
  // Frames inside the script.
  [[nodiscard]] std::size_t heldFrames() const { return stage_ ? stage_->framesInside() : 0; }
  // Only PAUSE frames are in flight, and they repeat pauses of `paused`. To be called between two
  // runs.
  [[nodiscard]] bool onlyRepeats(PriorityMask paused) {
    if (queue_->packets.size() > 0) return false;
    receiveControl();
    for (std::size_t i = 0; i < control_.size(); ++i) {
      const LinkControl& item = control_.at(i);
      if (item.kind != LinkControl::Kind::kPause || item.xoff != item.enabled || item.value == 0 ||
          (item.enabled & ~paused) != 0) {
        return false;
      }
    }
    return true;
  }
  // The script; null without one.
  [[nodiscard]] ImpairmentStage* stage() { return stage_.get(); }

 private:
  // PAUSE frames and credits have different delays, and a tester's port may send PAUSE frames ahead
  // of time: control messages are not sent in the order in which they take effect.
  void receiveControl() {
    queue_->control.refresh();
    for (; !queue_->control.empty(); queue_->control.pop()) {
      control_.push(queue_->control.front());
      for (std::size_t i = control_.size() - 1; i > 0 && control_.at(i).at < control_.at(i - 1).at;
           --i) {
        std::swap(control_.at(i), control_.at(i - 1));
      }
    }
  }

  PropagationQueue* queue_;
  SpscRing<InFlightPacket>* packets_;
  std::size_t reserved_ = 0;
  std::unique_ptr<ImpairmentStage> stage_;
  Ring<LinkControl> control_;
};
static_assert(sizeof(IngressPort) == 64);  // a cache line

}  // namespace plumbline::fabric
