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
  // Asks the target program for a target, and connects `initiator` with it. Throws fault(), what
  // `initiator` throws, and what the target program says.
  RemoteChannel(const Peer& peer, const ChannelSpec& channel,
                std::unique_ptr<PeerInitiator> initiator);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  // Throws as well when the target program is gone, which serve() has found.
  std::size_t poll(std::span<std::uint32_t> slots) override;
  // Asks the target, now and then since the questions use the link as well, until it was told of
  // all that has completed or nothing more comes.
  std::size_t serve() override;
  [[nodiscard]] bool intact() const override;
  [[nodiscard]] bool confirmsDelivery() const override { return initiator_->confirmsDelivery(); }
  void giveUp() override { given_up_.store(true); }

 private:
  void warmUp();
  std::size_t askUntilTold();
  // What `act` on the initiator returns. When it throws, the target is not waited for any longer.
  template <typename Act>
  auto orGiveUp(const Act& act);
  PeerAnswer ask(PeerQuestion question) const;

  ChannelSpec spec_;
  std::unique_ptr<PeerInitiator> initiator_;
  std::uint64_t told_ = 0;
  // Of the thread that posts, for the one that asks; and the other way round.
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<bool> given_up_{false};
  std::optional<Error> loss_;
  std::atomic<bool> lost_{false};  // loss_ says why
  // Closed first, so that the target does not take the end of the connections for a fault.
  mutable PeerSocket peer_;
};

}  // namespace plumbline::endpoint
