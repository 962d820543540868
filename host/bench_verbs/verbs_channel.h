// Messages over queue pairs of rdma-core, both ends in this program.
#pragma once

#include "bench_verbs/verbs_side.h"

namespace plumbline::bench_verbs {

class VerbsChannel final : public endpoint::Channel {
 public:
  // `ends` are connected. `reliable`: of their service.
  VerbsChannel(EndPair ends, const endpoint::ChannelSpec& spec, bool reliable);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  std::size_t poll(std::span<std::uint32_t> slots) override { return initiator_.poll(slots); }
  std::size_t serve() override { return target_.serve(); }
  [[nodiscard]] bool intact() const override;
  [[nodiscard]] bool confirmsDelivery() const override { return reliable_; }

 private:
  bool read_;
  bool reliable_;
  Initiator initiator_;
  Target target_;
  MemoryKey key_;
};

}  // namespace plumbline::bench_verbs
