// Messages over reliable datagram endpoints of libfabric. Both ends are made here, in two domains
// of their own, so that a thread at either end shares no lock with the other one.
#pragma once

#include <vector>

#include "bench_ofi/ofi_host.h"
#include "endpoint/channel.h"

namespace plumbline::bench_ofi {

class OfiChannel final : public endpoint::Channel {
 public:
  // Connects every queue pair by a message over each. Throws as endpoint::Channel does, and when
  // a peer does not answer for 10 s.
  OfiChannel(fi_info& info, const endpoint::ChannelSpec& spec);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  std::size_t poll(std::span<std::uint32_t> slots) override;
  std::size_t serve() override;
  [[nodiscard]] bool intact() const override;

  // For tests of what happens then: the target's endpoints go away.
  void closeTarget() { target_.reset(); }
  // ... and a message that the target has not allowed.
  void spoilKey() { ++key_; }

 private:
  void postReceive(std::uint32_t slot);
  void warmUp();
  [[nodiscard]] const OfiHost& receiver() const;
  [[nodiscard]] const OfiHost& sender() const;

  endpoint::ChannelSpec spec_;
  std::size_t bytes_;
  // Of messages under way, at the initiator, and of receives, at the target: providers may use
  // them until the message completes.
  std::vector<fi_context2> posted_;
  std::vector<fi_context2> receives_;
  std::unique_ptr<OfiHost> initiator_;
  std::unique_ptr<OfiHost> target_;
  std::uint64_t key_ = 0;
  std::uint64_t remote_address_ = 0;
};

}  // namespace plumbline::bench_ofi
