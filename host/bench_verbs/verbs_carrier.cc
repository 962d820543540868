#include "bench_verbs/verbs_carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "bench_verbs/verbs_channel.h"
#include "endpoint/fault.h"
#include "endpoint/host_configuration.h"

namespace plumbline::bench_verbs {
namespace {

bool isReliable(const bench::EndpointSpec& spec) {
  return spec.service == bench::QueuePairService::kReliable;
}

}  // namespace

VerbsCarrier::VerbsCarrier(bench::EndpointSpec spec, std::unique_ptr<VerbsLibrary> library)
    : spec_(std::move(spec)), library_(std::move(library)) {
  const std::vector<std::string> devices = library_->devices();
  if (devices.empty()) {
    throw Error(ErrorKind::kUnsupported, "this machine has no RDMA device", "verbs bench",
                "a machine with an RDMA NIC and its driver, or soft-RoCE (`rdma link add rxe0 type "
                "rxe netdev eth0`); `ibv_devices` lists what there is. The libfabric bench needs "
                "no such device");
  }
  if (spec_.device.empty()) spec_.device = devices.front();
  if (std::find(devices.begin(), devices.end(), spec_.device) == devices.end()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("there is no RDMA device {}", spec_.device),
                "endpoint.device", fmt::format("one of {}", fmt::join(devices, ", ")));
  }
  if (!isReliable(spec_) && spec_.connection == bench::Connection::kConnectionManager) {
    throw Error(ErrorKind::kUnsupported, "the connection manager makes reliable connections only",
                "endpoint.connection", "connection: out-of-band, or service: rc");
  }
}

std::unique_ptr<endpoint::Channel> VerbsCarrier::connect(const endpoint::ChannelSpec& spec) {
  if (!isReliable(spec_) && spec.operation == bench::Operation::kRead) {
    throw Error(ErrorKind::kUnsupported, "an unreliable connection has no read", "endpoint.service",
                "service: rc, or another operation");
  }
  if (const Bytes longest = library_->longestMessage(spec_); spec.message > longest) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("messages of {} B, the device's longest are {} B", spec.message.count(),
                            longest.count()),
                spec_.device, "smaller message_sizes");
  }
  EndSpec end{"initiator", spec.queue_pairs, spec.window,
              static_cast<std::size_t>(spec.message.count())};
  EndSpec target = end;
  target.name = "target";
  return std::make_unique<VerbsChannel>(library_->connect(spec_, end, target), spec,
                                        isReliable(spec_));
}

std::vector<std::pair<std::string, std::string>> VerbsCarrier::configuration() const {
  auto configuration = endpoint::deviceConfiguration(spec_.device);
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

}  // namespace plumbline::bench_verbs
