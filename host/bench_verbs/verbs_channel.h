// Messages over queue pairs of rdma-core.
#pragma once

#include <vector>

#include "bench_verbs/verbs_library.h"
#include "endpoint/channel.h"

namespace plumbline::bench_verbs {

class VerbsChannel final : public endpoint::Channel {
 public:
  // `ends` are connected. `reliable`: of their service.
  VerbsChannel(EndPair ends, const endpoint::ChannelSpec& spec, bool reliable);

  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  std::size_t poll(std::span<std::uint32_t> slots) override;
  std::size_t serve() override;
  [[nodiscard]] bool intact() const override;
  [[nodiscard]] bool confirmsDelivery() const override { return reliable_; }

 private:
  // One end with what is read out of it.
  struct Side {
    std::unique_ptr<VerbsEnd> end;
    const char* name;
    std::vector<WorkCompletion> completions;
    unsigned idle = 0;  // polls in vain since the device was asked
  };

  std::size_t pollSide(Side& side, std::size_t room);
  void askDevice(Side& side);
  void postReceive(std::uint32_t slot);

  endpoint::ChannelSpec spec_;
  bool reliable_;
  Side initiator_;
  Side target_;
};

}  // namespace plumbline::bench_verbs
