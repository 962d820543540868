#include "bench_ofi/ofi_carrier.h"

#include <fmt/format.h>
#include <rdma/fi_endpoint.h>

#include "base/error.h"
#include "base/ip_address.h"
#include "bench_ofi/ofi_channel.h"
#include "bench_ofi/ofi_message.h"
#include "bench_ofi/ofi_peer.h"
#include "endpoint/remote_channel.h"

namespace plumbline::bench_ofi {

OfiCarrier::OfiCarrier(const bench::EndpointSpec& spec)
    : info_(findProvider(spec, spec.peer.empty() ? Reach::kThisHost : Reach::kOtherHosts)) {
  if (spec.peer.empty()) return;
  peer_.emplace(spec, kLibfabric, encode(OfiRequest{info_->fabric_attr->prov_name, {}}));
  // The loopback interface reaches only this host.
  if (!isLoopback(spec.address) || isLoopback(peer_->ownAddress())) return;
  bench::EndpointSpec outward = spec;
  outward.address = peer_->ownAddress();
  info_ = findProvider(outward, Reach::kOtherHosts);
}

std::unique_ptr<endpoint::Channel> OfiCarrier::connect(const endpoint::ChannelSpec& spec) {
  if (!peer_) return connectHere(spec);
  check(spec);
  return std::make_unique<endpoint::RemoteChannel>(
      *peer_, spec, std::make_unique<OfiPeerInitiator>(*info_, spec));
}

std::unique_ptr<endpoint::Channel> OfiCarrier::connectHere(const endpoint::ChannelSpec& spec) {
  check(spec);
  return std::make_unique<OfiChannel>(*info_, spec);
}

void OfiCarrier::check(const endpoint::ChannelSpec& spec) const {
  const std::uint64_t longest = info_->ep_attr->max_msg_size;
  if (static_cast<std::uint64_t>(spec.message.count()) > longest) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("messages of {} B, the provider's longest are {} B",
                            spec.message.count(), longest),
                info_->fabric_attr->prov_name, "smaller message_sizes");
  }
}

std::vector<std::pair<std::string, std::string>> OfiCarrier::configuration() const {
  return describe(*info_);
}

}  // namespace plumbline::bench_ofi
