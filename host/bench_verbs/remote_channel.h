// Messages over queue pairs of rdma-core to a target on another host (TargetService).
#pragma once

#include <atomic>
#include <memory>

#include "bench_verbs/peer_message.h"
#include "bench_verbs/peer_socket.h"
#include "bench_verbs/verbs_side.h"

namespace plumbline::bench_verbs {

class RemoteChannel final : public endpoint::Channel {
 public:
  // Asks the target program at `spec.peer` for a target, and connects with it. Throws
  // endpoint::fault(), what `library` throws, and what the target program says.
  RemoteChannel(const bench::EndpointSpec& spec, VerbsLibrary& library,
                const endpoint::ChannelSpec& channel);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  std::size_t poll(std::span<std::uint32_t> slots) override;
  // Asks the target, now and then since the questions use the link as well, until it was told of
  // all that has completed or nothing more comes.
  std::size_t serve() override;
  [[nodiscard]] bool intact() const override;
  [[nodiscard]] bool confirmsDelivery() const override { return reliable_; }

 private:
  // What `act` on the initiator returns. When it throws, the target is not waited for any longer.
  template <typename Act>
  auto orGiveUp(const Act& act);
  PeerAnswer answer() const;
  PeerAnswer ask(PeerQuestion question) const;

  endpoint::ChannelSpec spec_;
  bool reliable_;
  std::unique_ptr<Initiator> initiator_;
  MemoryKey key_;
  std::uint64_t told_ = 0;
  // Of the thread that posts, for the one that asks.
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<bool> given_up_{false};
  // Closed first, so that the target does not take the end of the queue pairs for a fault.
  mutable PeerSocket peer_;
};

}  // namespace plumbline::bench_verbs
