// Channels over one RDMA device, to itself or to a target program on another host.
#pragma once

#include <memory>
#include <optional>

#include "bench_verbs/verbs_library.h"
#include "endpoint/channel.h"
#include "endpoint/peer.h"

namespace plumbline::bench_verbs {

class VerbsCarrier final : public endpoint::Carrier {
 public:
  // Throws Error(kUnsupported) when this machine has no RDMA device, or not the one of `spec`, or
  // when no target program answers at its peer.
  VerbsCarrier(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library);

  std::unique_ptr<endpoint::Channel> connect(const endpoint::ChannelSpec& spec) override;
  std::unique_ptr<endpoint::Channel> connectHere(const endpoint::ChannelSpec& spec) override;
  [[nodiscard]] const endpoint::Peer* peer() const override { return peer_ ? &*peer_ : nullptr; }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> configuration() const override;
  [[nodiscard]] std::vector<bench::HostCounter> counters() const override;
  [[nodiscard]] std::vector<bench::Unobserved> uncounted() const override;

 private:
  void check(const endpoint::ChannelSpec& spec) const;

  bench::EndpointSpec spec_;
  std::unique_ptr<VerbsLibrary> library_;
  std::optional<endpoint::Peer> peer_;
};

}  // namespace plumbline::bench_verbs
