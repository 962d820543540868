#include "bench_ofi/ofi_carrier.h"

#include <fmt/format.h>
#include <rdma/fi_endpoint.h>

#include "base/error.h"
#include "bench_ofi/ofi_channel.h"

namespace plumbline::bench_ofi {

OfiCarrier::OfiCarrier(const bench::EndpointSpec& spec) : info_(findProvider(spec)) {}

std::unique_ptr<endpoint::Channel> OfiCarrier::connect(const endpoint::ChannelSpec& spec) {
  const std::uint64_t longest = info_->ep_attr->max_msg_size;
  if (static_cast<std::uint64_t>(spec.message.count()) > longest) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("messages of {} B, the provider's longest are {} B",
                            spec.message.count(), longest),
                info_->fabric_attr->prov_name, "smaller message_sizes");
  }
  return std::make_unique<OfiChannel>(*info_, spec);
}

std::vector<std::pair<std::string, std::string>> OfiCarrier::configuration() const {
  return describe(*info_);
}

}  // namespace plumbline::bench_ofi
