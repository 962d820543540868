// Messages to a target on another host (TargetService).
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/error.h"
#include "endpoint/peer.h"
#include "endpoint/peer_message.h"

namespace plumbline::endpoint {

class RemoteChannel final : public Channel {
 public:
  // Requests a target from the target program, and connects `initiator` to it. Throws fault(), the
  // exceptions of `initiator`, and errors from the target program.
  RemoteChannel(const Peer& peer, const ChannelSpec& channel,
                std::unique_ptr<PeerInitiator> initiator);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  // Also throws when the target program is gone, as serve() found.
  std::size_t poll(std::span<std::uint32_t> slots) override;
  // Queries the target, at intervals since the queries use the link as well, until its count
  // includes all completed messages or no longer grows.
  std::size_t serve() override;
  [[nodiscard]] bool intact() const override;
  [[nodiscard]] bool confirmsDelivery() const override { return initiator_->confirmsDelivery(); }
  void giveUp() override { given_up_.store(true); }

 private:
  void warmUp();
  std::size_t queryUntilCompleted();
  // Returns the result of `act` on the initiator. When it throws, cancels waiting for the target.
  template <typename Act>
  auto orFail(const Act& act);
  PeerAnswer ask(PeerQuestion question) const;

  ChannelSpec spec_;
  std::unique_ptr<PeerInitiator> initiator_;
  std::uint64_t told_ = 0;
  // Written by the posting thread, read by the querying one; and vice versa.
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<bool> given_up_{false};
  std::optional<Error> loss_;
  std::atomic<bool> lost_{false};  // loss_ says why
  // Closed first, so that the target does not take the end of the connections for a fault.
  mutable PeerSocket peer_;
};

}  // namespace plumbline::endpoint
