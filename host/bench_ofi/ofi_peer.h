// The ends of a libfabric channel in two programs: the initiator's in the bench, the target's in
// the target program.
#pragma once

#include <memory>
#include <string>

#include "bench_ofi/ofi_provider.h"
#include "bench_ofi/ofi_side.h"
#include "endpoint/peer.h"
#include "endpoint/peer_target.h"

namespace plumbline::bench_ofi {

// The name in requests.
inline constexpr const char* kLibfabric = "libfabric";

class OfiPeerInitiator final : public endpoint::PeerInitiator {
 public:
  // Opens the endpoints. Throws as ofiFault() does.
  OfiPeerInitiator(fi_info& info, const endpoint::ChannelSpec& channel);

  [[nodiscard]] std::string address() const override;
  void meet(const std::string& target) override;
  void begin(const std::string& /*target*/) override {}
  [[nodiscard]] bool connectsByMessages() const override { return true; }
  bool post(std::uint32_t queue_pair, std::uint32_t slot) override {
    return initiator_.post(queue_pair, slot, remote_);
  }
  std::size_t poll(std::span<std::uint32_t> slots) override { return initiator_.poll(slots); }
  [[nodiscard]] bool confirmsDelivery() const override { return true; }
  [[nodiscard]] std::span<std::uint8_t> memory() override { return initiator_.memory(); }

 private:
  std::string provider_;
  std::uint32_t queue_pairs_;
  OfiInitiator initiator_;
  OfiMemory remote_;
};

class OfiTargetLibrary final : public endpoint::TargetLibrary {
 public:
  // `spec`: the domain; provider and address come with each request. Throws
  // endpoint::fault(kNoDevice) when libfabric cannot be loaded.
  explicit OfiTargetLibrary(bench::EndpointSpec spec);

  [[nodiscard]] std::string name() const override { return kLibfabric; }
  [[nodiscard]] std::string description() const override { return description_; }
  [[nodiscard]] endpoint::Configuration configuration(const std::string& end) const override;
  [[nodiscard]] std::unique_ptr<endpoint::PeerTarget> open(const endpoint::ChannelSpec& channel,
                                                           const std::string& end,
                                                           const std::string& own_address) override;

 private:
  [[nodiscard]] Info find(const std::string& provider, const std::string& own_address) const;

  bench::EndpointSpec spec_;
  std::string description_;
};

}  // namespace plumbline::bench_ofi
