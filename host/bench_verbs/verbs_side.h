// The two sides of a channel over queue pairs: what posts messages, and what receives them. Both in
// one program (VerbsChannel), or in two (bench_verbs/verbs_peer.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bench_verbs/verbs_library.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

// What the two ends of a channel are made with.
EndSpec initiatorSpec(const endpoint::ChannelSpec& channel);
EndSpec targetSpec(const endpoint::ChannelSpec& channel);

// An end with what is read out of it.
class VerbsSide {
 public:
  // Of messages.
  [[nodiscard]] std::span<std::uint8_t> memory() {
    return {end_->memory(), static_cast<std::size_t>(spec_.message.count())};
  }

 protected:
  // `name` is for messages, and outlives it.
  VerbsSide(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec, const char* name);

  // Reads at most `room` completions. Throws endpoint::fault() for one in error, and for what the
  // device tells beside.
  std::span<const WorkCompletion> complete(std::size_t room);
  // Which of `slots` work requests has completed. Throws endpoint::unaskedFault() for another one.
  [[nodiscard]] std::uint32_t slotOf(const WorkCompletion& completion, std::uint32_t slots) const;
  void fill();
  [[nodiscard]] bool holdsMessage() const;

  std::unique_ptr<VerbsEnd> end_;
  endpoint::ChannelSpec spec_;

 private:
  void askDevice();

  const char* name_;
  std::vector<WorkCompletion> completions_;
  unsigned idle_ = 0;  // polls in vain since the device was asked
};

class Initiator : public VerbsSide {
 public:
  Initiator(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec);

  // As endpoint::Channel's, to memory of the target. May be used by one thread.
  bool post(std::uint32_t queue_pair, std::uint32_t slot, const MemoryKey& remote);
  std::size_t poll(std::span<std::uint32_t> slots);
  // Of a read: whether it has brought what the target holds.
  [[nodiscard]] bool intact() const { return holdsMessage(); }
};

class Target : public VerbsSide {
 public:
  // Has posted its receives when it is made.
  Target(std::unique_ptr<VerbsEnd> end, const endpoint::ChannelSpec& spec);

  // As endpoint::Channel's.
  std::size_t serve();
  // Of anything but a read: whether its memory holds what was sent.
  [[nodiscard]] bool intact() const { return holdsMessage(); }
  [[nodiscard]] MemoryKey key() const { return end_->key(); }

 private:
  void postReceive(std::uint32_t slot);
};

}  // namespace plumbline::bench_verbs
