#include "bench_verbs/verbs_carrier.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "bench_verbs/device_choice.h"
#include "bench_verbs/verbs_channel.h"
#include "bench_verbs/verbs_peer.h"
#include "endpoint/device_configuration.h"
#include "endpoint/device_counters.h"
#include "endpoint/remote_channel.h"

namespace plumbline::bench_verbs {
namespace {

// A port that is down before the start is an error of the setup, not a fault.
void checkPort(const VerbsLibrary& library, const bench::EndpointSpec& spec) {
  try {
    static_cast<void>(library.port(spec));
  } catch (const Error& error) {
    throw Error(ErrorKind::kUnsupported, error.what(), "endpoint.port");
  }
}

}  // namespace

VerbsCarrier::VerbsCarrier(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library)
    : spec_(std::move(spec)), library_(std::move(library)) {
  spec_.device = chooseDevice(*library_, spec_.device);
  if (!isReliable(spec_) && spec_.connection == bench::Connection::kConnectionManager) {
    throw Error(ErrorKind::kUnsupported, "the connection manager makes reliable connections only",
                "endpoint.connection", "connection: out-of-band, or service: rc");
  }
  checkPort(*library_, spec_);
  if (!spec_.peer.empty()) peer_.emplace(spec_, kVerbs, "{}");
}

std::unique_ptr<endpoint::Channel> VerbsCarrier::connect(const endpoint::ChannelSpec& spec) {
  if (!peer_) return connectHere(spec);
  check(spec);
  return std::make_unique<endpoint::RemoteChannel>(
      *peer_, spec, std::make_unique<VerbsPeerInitiator>(spec_, *library_, spec));
}

std::unique_ptr<endpoint::Channel> VerbsCarrier::connectHere(const endpoint::ChannelSpec& spec) {
  check(spec);
  bench::EndpointSpec here = spec_;
  // With a peer, `address` need not be one that the connection manager reaches from here.
  if (peer_) here.connection = bench::Connection::kOutOfBand;
  return std::make_unique<VerbsChannel>(
      library_->connect(here, initiatorSpec(spec), targetSpec(spec)), spec, isReliable(spec_));
}

void VerbsCarrier::check(const endpoint::ChannelSpec& spec) const {
  if (!isReliable(spec_) && spec.operation == bench::Operation::kRead) {
    throw Error(ErrorKind::kUnsupported, "an unreliable connection has no read", "endpoint.service",
                "service: rc, or another operation");
  }
  if (const Bytes longest = library_->port(spec_).longest_message; spec.message > longest) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("messages of {} B, the device's longest are {} B", spec.message.count(),
                            longest.count()),
                spec_.device, "smaller message_sizes");
  }
}

std::vector<std::pair<std::string, std::string>> VerbsCarrier::configuration() const {
  auto configuration = endpoint::deviceConfiguration({spec_.device, spec_.port, spec_.gid_index});
  configuration.emplace_back("Path MTU", fmt::format("{} B, or the peer's where that is smaller",
                                                     library_->port(spec_).mtu.count()));
  const bool managed = spec_.connection == bench::Connection::kConnectionManager;
  configuration.emplace_back("Queue pairs",
                             fmt::format("{}, connected {}", isReliable(spec_) ? "RC" : "UC",
                                         managed ? "by rdma_cm" : "out of band"));
  configuration.emplace_back("A completion means",
                             isReliable(spec_) ? "the target's NIC has acknowledged the message"
                                               : "the message has left this host's NIC");
  return configuration;
}

std::vector<bench::HostCounter> VerbsCarrier::counters() const {
  return endpoint::deviceCounters(spec_.device, spec_.port);
}

std::vector<bench::Unobserved> VerbsCarrier::uncounted() const {
  return endpoint::uncountedFigures(spec_.device, endpoint::driverOf(spec_.device), counters());
}

}  // namespace plumbline::bench_verbs
