// Messages over reliable datagram endpoints of libfabric. Both ends are made here, in two separate
// domains, so that the threads at the ends share no lock.
#pragma once

#include <memory>

#include "bench_ofi/ofi_side.h"

namespace plumbline::bench_ofi {

class OfiChannel final : public endpoint::Channel {
 public:
  // Connects every queue pair by a message over each. Throws as endpoint::Channel does, and when a
  // peer does not answer for 10 s.
  OfiChannel(fi_info& info, const endpoint::ChannelSpec& spec);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override {
    return initiator_->post(queue_pair, slot, remote_);
  }
  std::size_t poll(std::span<std::uint32_t> slots) override { return initiator_->poll(slots); }
  std::size_t serve() override { return target_->serve(); }
  [[nodiscard]] bool intact() const override;

  // For tests: closes the target's endpoints.
  void closeTarget() { target_.reset(); }
  // For tests: makes later messages use a wrong key.
  void invalidateKey() { ++remote_.key; }

 private:
  void warmUp();
  [[nodiscard]] std::span<std::uint8_t> receivingMemory() const;

  endpoint::ChannelSpec spec_;
  std::unique_ptr<OfiInitiator> initiator_;
  std::unique_ptr<OfiTarget> target_;
  OfiMemory remote_;
};

}  // namespace plumbline::bench_ofi
