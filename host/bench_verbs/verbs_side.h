// The two sides of a channel over queue pairs: one posts messages, the other receives them. Both in
// one program (VerbsChannel), or in two (bench_verbs/verbs_peer.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench_verbs/verbs_library.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

// Specifications of a channel's two ends.
EndSpec initiatorSpec(const endpoint::ChannelSpec& channel);
EndSpec targetSpec(const endpoint::ChannelSpec& channel);

// An end with a buffer for its completions.
class VerbsSide {
 public:
  // Of messages.
  [[nodiscard]] std::span<std::uint8_t> memory() {
    return {end_->memory(), static_cast<std::size_t>(spec_.message.count())};
  }

 protected:
  // `name` is for messages, and outlives it.
  VerbsSide(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec, const char* name);

  // Reads at most `room` completions. Throws endpoint::fault() for one in error, and for the
  // device's asynchronous events.
  std::span<const WorkCompletion> complete(std::size_t room);
  // Which of `slots` work requests has completed. Throws endpoint::unexpectedCompletion() for any
  // other one.
  [[nodiscard]] std::uint32_t slotOf(const WorkCompletion& completion, std::uint32_t slots) const;
  void fill();
  [[nodiscard]] bool holdsMessage() const;

  std::unique_ptr<VerbsEnd> end_;
  endpoint::ChannelSpec spec_;

 private:
  void queryDevice();

  const char* name_;
  std::vector<WorkCompletion> completions_;
  unsigned idle_ = 0;  // fruitless polls since the device was last queried
};

class Initiator : public VerbsSide {
 public:
  Initiator(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec);

  // As endpoint::Channel's, to memory of the target. May be used by one thread.
  bool post(std::uint32_t queue_pair, std::uint32_t slot, const MemoryKey& remote);
  std::size_t poll(std::span<std::uint32_t> slots);
  // For a read: whether it has delivered the target's pattern.
  [[nodiscard]] bool intact() const { return holdsMessage(); }
};

class Target : public VerbsSide {
 public:
  // Posts its receives in the constructor.
  Target(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec);

  // As endpoint::Channel's.
  std::size_t serve();
  // For all operations except reads: whether its memory holds the sent pattern.
  [[nodiscard]] bool intact() const { return holdsMessage(); }
  [[nodiscard]] MemoryKey key() const { return end_->key(); }

 private:
  void postReceive(std::uint32_t slot);
};

}  // namespace plumbline::bench_verbs
