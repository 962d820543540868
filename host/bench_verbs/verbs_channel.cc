#include "bench_verbs/verbs_channel.h"

#include <utility>

namespace plumbline::bench_verbs {

VerbsChannel::VerbsChannel(EndPair ends, const endpoint::ChannelSpec& spec, bool reliable)
    : read_(spec.operation == bench::Operation::kRead),
      reliable_(reliable),
      initiator_(std::move(ends.initiator), spec),
      target_(std::move(ends.target), spec),
      key_(target_.key()) {}

bool VerbsChannel::post(std::uint32_t queue_pair, std::uint32_t slot) {
  return initiator_.post(queue_pair, slot, key_);
}

bool VerbsChannel::intact() const { return read_ ? initiator_.intact() : target_.intact(); }

}  // namespace plumbline::bench_verbs
