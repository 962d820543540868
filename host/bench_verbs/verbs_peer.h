// The ends of a verbs channel in two programs: the initiator's in the bench, the target's in the
// target program.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench_verbs/verbs_message.h"
#include "bench_verbs/verbs_side.h"
#include "endpoint/peer.h"
#include "endpoint/peer_target.h"

namespace plumbline::bench_verbs {

class VerbsPeerInitiator final : public endpoint::PeerInitiator {
 public:
  // Opens the end. Throws what `library` throws.
  VerbsPeerInitiator(const bench::EndpointSpec& spec, VerbsLibrary& library,
                     const endpoint::ChannelSpec& channel);

  [[nodiscard]] std::string address() const override;
  void meet(const std::string& target) override;
  void begin(const std::string& target) override;
  [[nodiscard]] bool connectsByMessages() const override { return false; }
  bool post(std::uint32_t queue_pair, std::uint32_t slot) override;
  std::size_t poll(std::span<std::uint32_t> slots) override { return initiator_->poll(slots); }
  [[nodiscard]] bool confirmsDelivery() const override;
  [[nodiscard]] std::span<std::uint8_t> memory() override { return initiator_->memory(); }

 private:
  bench::QueuePairService service_;
  bench::Connection connection_;
  endpoint::ChannelSpec channel_;
  std::unique_ptr<UnconnectedEnd> open_;
  std::optional<Initiator> initiator_;
  MemoryKey key_;
};

class VerbsTargetLibrary final : public endpoint::TargetLibrary {
 public:
  // `spec`: device, port and gid_index; the rest comes with each request. Throws
  // Error(kUnsupported) when this machine does not have the device.
  VerbsTargetLibrary(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library);

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::string description() const override { return "device " + spec_.device; }
  [[nodiscard]] endpoint::Configuration configuration(const std::string& end) const override;
  [[nodiscard]] std::unique_ptr<endpoint::PeerTarget> open(const endpoint::ChannelSpec& channel,
                                                           const std::string& end,
                                                           const std::string& own_address) override;

 private:
  bench::EndpointSpec spec_;
  std::unique_ptr<VerbsLibrary> library_;
};

// The name in requests.
inline constexpr const char* kVerbs = "verbs";

}  // namespace plumbline::bench_verbs
