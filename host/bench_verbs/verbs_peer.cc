#include "bench_verbs/verbs_peer.h"

#include <utility>

#include "base/error.h"
#include "bench_verbs/device_choice.h"
#include "endpoint/device_configuration.h"
#include "endpoint/peer_answer.h"

namespace plumbline::bench_verbs {
namespace {

class VerbsPeerTarget final : public endpoint::PeerTarget {
 public:
  VerbsPeerTarget(const endpoint::ChannelSpec& channel, std::unique_ptr<UnconnectedEnd> open,
                  EndAddress initiator)
      : channel_(channel), open_(std::move(open)), peer_(std::move(initiator)) {}

  [[nodiscard]] std::string address() const override { return encode(open_->address()); }
  std::string meet() override {
    target_.emplace(open_->meet(peer_), channel_);
    return encode(target_->key());
  }
  std::size_t serve() override { return target_->serve(); }
  [[nodiscard]] bool needsServing() const override {
    return endpoint::targetIsNotified(channel_.operation);
  }
  [[nodiscard]] std::span<std::uint8_t> memory() override { return target_->memory(); }

 private:
  endpoint::ChannelSpec channel_;
  std::unique_ptr<UnconnectedEnd> open_;
  EndAddress peer_;
  std::optional<Target> target_;
};

Error noRequest(const std::string& why) {
  return Error(ErrorKind::kUsage, "this is no request for a target: " + why, {},
               "a plumbline of the target program's version");
}

void check(const VerbsRequest& request, const endpoint::ChannelSpec& channel) {
  if (request.connection == bench::Connection::kOutOfBand &&
      request.address.pairs.size() != channel.queue_pairs) {
    throw noRequest("not as many queue pairs as are asked for");
  }
  if (request.service == bench::QueuePairService::kUnreliable &&
      channel.operation == bench::Operation::kRead) {
    throw noRequest("an unreliable connection has no read");
  }
}

}  // namespace

VerbsPeerInitiator::VerbsPeerInitiator(const bench::EndpointSpec& spec, VerbsLibrary& library,
                                       const endpoint::ChannelSpec& channel)
    : service_(spec.service),
      connection_(spec.connection),
      channel_(channel),
      open_(library.open(spec, initiatorSpec(channel), Role::kInitiator)) {}

std::string VerbsPeerInitiator::address() const {
  return encode(VerbsRequest{service_, connection_, open_->address()});
}

void VerbsPeerInitiator::meet(const std::string& target) {
  std::string why;
  const auto address = decodeAddress(target, why);
  if (!address) throw endpoint::malformedAnswer("the target program", why);
  const bool managed = connection_ == bench::Connection::kConnectionManager;
  if (managed == address->manager_address.empty() ||
      (!managed && address->pairs.size() != channel_.queue_pairs)) {
    throw endpoint::malformedAnswer("the target program",
                                    "an address of another kind of connection");
  }
  initiator_.emplace(open_->meet(*address), channel_);
}

void VerbsPeerInitiator::begin(const std::string& target) {
  std::string why;
  const auto key = decodeKey(target, why);
  if (!key) throw endpoint::malformedAnswer("the target program", why);
  key_ = *key;
}

bool VerbsPeerInitiator::post(std::uint32_t queue_pair, std::uint32_t slot) {
  return initiator_->post(queue_pair, slot, key_);
}

bool VerbsPeerInitiator::confirmsDelivery() const {
  return service_ == bench::QueuePairService::kReliable;
}

VerbsTargetLibrary::VerbsTargetLibrary(bench::EndpointSpec spec,
                                       std::unique_ptr<VerbsLibrary> library)
    : spec_(std::move(spec)), library_(std::move(library)) {
  spec_.device = chooseDevice(*library_, spec_.device);
}

std::string VerbsTargetLibrary::name() const { return kVerbs; }

endpoint::Configuration VerbsTargetLibrary::configuration(const std::string& /*end*/) const {
  return endpoint::deviceConfiguration({spec_.device, spec_.port, spec_.gid_index});
}

std::unique_ptr<endpoint::PeerTarget> VerbsTargetLibrary::open(const endpoint::ChannelSpec& channel,
                                                               const std::string& end,
                                                               const std::string& own_address) {
  std::string why;
  const auto request = decodeVerbsRequest(end, why);
  if (!request) throw noRequest(why);
  check(*request, channel);
  bench::EndpointSpec spec = spec_;
  spec.service = request->service;
  spec.connection = request->connection;
  spec.address = own_address;
  return std::make_unique<VerbsPeerTarget>(
      channel, library_->open(spec, targetSpec(channel), Role::kTarget), request->address);
}

}  // namespace plumbline::bench_verbs
