// Channels of one provider of libfabric.
#pragma once

#include "bench_ofi/ofi_provider.h"
#include "endpoint/channel.h"

namespace plumbline::bench_ofi {

class OfiCarrier final : public endpoint::Carrier {
 public:
  // Throws Error(kUnsupported) when this machine does not have the endpoint of `spec`.
  explicit OfiCarrier(const bench::EndpointSpec& spec);

  std::unique_ptr<endpoint::Channel> connect(const endpoint::ChannelSpec& spec) override;
  [[nodiscard]] Bytes leastMessage() const override { return bench_ofi::leastMessage(*info_); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> configuration() const override;
  // None: libfabric has no counters of a NIC.
  [[nodiscard]] std::vector<bench::HostCounter> counters() const override { return {}; }

 private:
  Info info_;
};

}  // namespace plumbline::bench_ofi
