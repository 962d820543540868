// Messages over reliable datagram endpoints of libfabric. Both ends are made here, in two domains
// of their own, so that a thread at either end shares no lock with the other one.
#pragma once

#include <memory>

#include "bench_ofi/ofi_side.h"

namespace plumbline::bench_ofi {

class OfiChannel final : public endpoint::Channel {
 public:
  // Connects every queue pair by a message over each. Throws as endpoint::Channel does, and when
  // a peer does not answer for 10 s.
  OfiChannel(fi_info& info, const endpoint::ChannelSpec& spec);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override {
    return initiator_->post(queue_pair, slot, remote_);
  }
  std::size_t poll(std::span<std::uint32_t> slots) override { return initiator_->poll(slots); }
  std::size_t serve() override { return target_->serve(); }
  [[nodiscard]] bool intact() const override;

  // For tests of what happens then: the target's endpoints go away.
  void closeTarget() { target_.reset(); }
  // ... and a message that the target has not allowed.
  void spoilKey() { ++remote_.key; }

 private:
  void warmUp();
  [[nodiscard]] std::span<std::uint8_t> receivingMemory() const;

  endpoint::ChannelSpec spec_;
  std::unique_ptr<OfiInitiator> initiator_;
  std::unique_ptr<OfiTarget> target_;
  OfiMemory remote_;
};

}  // namespace plumbline::bench_ofi
