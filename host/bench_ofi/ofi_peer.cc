#include "bench_ofi/ofi_peer.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "bench_ofi/ofi_message.h"
#include "endpoint/peer_answer.h"

namespace plumbline::bench_ofi {
namespace {

class OfiPeerTarget final : public endpoint::PeerTarget {
 public:
  OfiPeerTarget(fi_info& info, const endpoint::ChannelSpec& channel, std::vector<OfiName> initiator)
      : target_(info, channel), initiator_(std::move(initiator)) {}

  [[nodiscard]] std::string address() const override {
    return encode(OfiAddress{target_.host().names(), target_.remote()});
  }
  std::string meet() override {
    target_.host().meet(initiator_);
    target_.begin();
    return "{}";
  }
  std::size_t serve() override { return target_.serve(); }
  // Providers carry on with a message when their queue is read.
  [[nodiscard]] bool needsServing() const override { return true; }
  [[nodiscard]] std::span<std::uint8_t> memory() override { return target_.memory(); }

 private:
  OfiTarget target_;
  std::vector<OfiName> initiator_;
};

OfiRequest requestOf(const std::string& end) {
  std::string why;
  auto request = decodeOfiRequest(end, why);
  if (request) return *std::move(request);
  throw Error(ErrorKind::kUsage, "this is no request for a target: " + why, {},
              "a plumbline of the target program's version");
}

}  // namespace

OfiPeerInitiator::OfiPeerInitiator(fi_info& info, const endpoint::ChannelSpec& channel)
    : provider_(info.fabric_attr->prov_name),
      queue_pairs_(channel.queue_pairs),
      initiator_(info, channel) {}

std::string OfiPeerInitiator::address() const {
  return encode(OfiRequest{provider_, initiator_.host().names()});
}

void OfiPeerInitiator::meet(const std::string& target) {
  std::string why;
  const auto address = decodeOfiAddress(target, why);
  if (!address) throw endpoint::malformedAnswer("the target program", why);
  if (address->names.size() != queue_pairs_) {
    throw endpoint::malformedAnswer("the target program",
                                    "not as many endpoints as were asked for");
  }
  initiator_.host().meet(address->names);
  remote_ = address->memory;
}

OfiTargetLibrary::OfiTargetLibrary(bench::EndpointSpec spec) : spec_(std::move(spec)) {
  description_ = fmt::format("libfabric with {}", fmt::join(providers(Reach::kOtherHosts), ", "));
}

Info OfiTargetLibrary::find(const std::string& provider, const std::string& own_address) const {
  bench::EndpointSpec spec = spec_;
  spec.provider = provider;
  spec.address = own_address;
  return findProvider(spec, Reach::kOtherHosts);
}

endpoint::Configuration OfiTargetLibrary::configuration(const std::string& end) const {
  return describe(*find(requestOf(end).provider, spec_.address));
}

std::unique_ptr<endpoint::PeerTarget> OfiTargetLibrary::open(const endpoint::ChannelSpec& channel,
                                                             const std::string& end,
                                                             const std::string& own_address) {
  OfiRequest request = requestOf(end);
  if (request.names.size() != channel.queue_pairs) {
    throw Error(ErrorKind::kUsage, "not as many endpoints as queue pairs are asked for", {},
                "a plumbline of the target program's version");
  }
  const Info info = find(request.provider, own_address);
  return std::make_unique<OfiPeerTarget>(*info, channel, std::move(request.names));
}

}  // namespace plumbline::bench_ofi
