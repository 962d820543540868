// Channels of one provider of libfabric, on this host or to a target program on another one.
#pragma once

#include <memory>
#include <optional>

#include "bench_ofi/ofi_provider.h"
#include "endpoint/channel.h"
#include "endpoint/peer.h"

namespace plumbline::bench_ofi {

class OfiCarrier final : public endpoint::Carrier {
 public:
  // Throws Error(kUnsupported) when this machine does not have the endpoint of `spec`, and as
  // endpoint::Peer does when it names one.
  explicit OfiCarrier(const bench::EndpointSpec& spec);

  std::unique_ptr<endpoint::Channel> connect(const endpoint::ChannelSpec& spec) override;
  std::unique_ptr<endpoint::Channel> connectHere(const endpoint::ChannelSpec& spec) override;
  [[nodiscard]] const endpoint::Peer* peer() const override { return peer_ ? &*peer_ : nullptr; }
  [[nodiscard]] Bytes minMessage() const override { return bench_ofi::minMessage(*info_); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> configuration() const override;
  // None: libfabric has no counters of a NIC.
  [[nodiscard]] std::vector<bench::HostCounter> counters() const override { return {}; }

 private:
  void check(const endpoint::ChannelSpec& spec) const;

  Info info_;
  std::optional<endpoint::Peer> peer_;
};

}  // namespace plumbline::bench_ofi
