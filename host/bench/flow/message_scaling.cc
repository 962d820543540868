#include "bench/flow/message_scaling.h"

#include <algorithm>

#include "bench/trial/longest_frame.h"
#include "workload/placement.h"

namespace plumbline::bench {
namespace {

using workload::Algorithm;
using workload::CollectiveKind;
using workload::CollectiveSpec;
using workload::TrainingProgram;

// Messages of the last run have at most this many bandwidth-delay products, beyond which results no
// longer change, and at least two (the middle run then has one).
constexpr std::uint64_t kMaxBdp = 16;
constexpr std::uint64_t kMinBdp = 2;

std::uint64_t ceilDivide(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::uint64_t mtuOf(const TrialSpec& spec) {
  return static_cast<std::uint64_t>(
      packetPayload(spec.transport.value_or(transport::RoceSpec())).count());
}

CollectiveCut cutOf(const CollectiveSpec& collective, std::uint64_t ranks) {
  CollectiveCut cut;
  const std::uint64_t chunk = ceilDivide(collective.bytes, ranks);
  const bool ring = collective.kind != CollectiveKind::kAllToAll;
  if (ring && collective.chunk_bytes > 0) {
    cut.slices = std::max<std::uint64_t>(1, ceilDivide(chunk, collective.chunk_bytes));
  }
  cut.message = ceilDivide(chunk, cut.slices);
  const std::uint64_t members = collective.algorithm == Algorithm::kHierarchical
                                    ? ranks / collective.ranks_per_server
                                    : ranks;
  const std::uint64_t passes = collective.kind == CollectiveKind::kAllReduce ? 2 : 1;
  cut.messages = ranks * passes * (members - 1) * cut.slices;
  return cut;
}

}  // namespace

MessageScaling::MessageScaling(const TrialSpec& spec)
    : spec_(spec),
      mtu_(mtuOf(spec)),
      hosts_(workload::placeJobs(spec.workload->jobs, spec.dut.hostCount()).front()) {
  for (const CollectiveSpec& collective : programOf(spec).collectives) {
    cuts_.push_back(cutOf(collective, hosts_.size()));
    largest_ = std::max(largest_, cuts_.back().message);
    messages_ += cuts_.back().messages;
  }
}

// Whole elements, at least one.
std::uint64_t MessageScaling::bytesOf(std::size_t collective, std::uint64_t message) const {
  if (message == largest_) return cuts_[collective].message;
  const std::uint64_t element = programOf(spec_).collectives[collective].element_bytes;
  const auto share = static_cast<Int128>(cuts_[collective].message) * message / largest_;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share) / element) * element;
}

std::uint64_t MessageScaling::packets(std::uint64_t message) const {
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    packets += cuts_[i].messages * ceilDivide(bytesOf(i, message), mtu_);
  }
  return packets;
}

TrialSpec MessageScaling::at(std::uint64_t message, std::uint32_t iterations) const {
  TrialSpec spec = spec_;
  auto& program = std::get<TrainingProgram>(spec.workload->jobs.front().program);
  program.iterations = std::min(program.iterations, iterations);
  if (message == largest_) return spec;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    CollectiveSpec& collective = program.collectives[i];
    const std::uint64_t bytes = bytesOf(i, message);
    collective.bytes = bytes * cuts_[i].slices * hosts_.size();
    if (collective.chunk_bytes > 0) collective.chunk_bytes = bytes;
  }
  return spec;
}

std::uint64_t MessageScaling::packetsOfRuns(std::uint64_t message) const {
  std::uint64_t all = 0;
  for (const std::uint64_t ratio : kRunRatio) {
    const std::uint32_t max =
        ratio == kRunRatio.back() ? kCheckedIterations : kCalibratedIterations;
    all += packets(message * ratio / kRunRatio.back()) * std::min(programOf(spec_).iterations, max);
  }
  return all;
}

// Most bytes that are under way between the first rank's host and another's.
std::uint64_t MessageScaling::bandwidthDelay(const fabric::FabricPlan& fabric) const {
  Picoseconds longest;
  for (std::size_t i = 1; i < hosts_.size(); ++i) {
    const auto full = Bytes(static_cast<std::int64_t>(mtu_));
    longest = std::max(longest, fabric.unloadedLatency(hosts_[0], hosts_[i], full) +
                                    fabric.unloadedLatency(hosts_[i], hosts_[0], Bytes(64)));
  }
  const fabric::Topology& topology = fabric.topology();
  const fabric::Node& first = topology.nodes()[topology.hosts()[hosts_[0]]];
  const auto bps =
      static_cast<Int128>(topology.links()[first.out_links.front()].rate.bitsPerSecond());
  return static_cast<std::uint64_t>(bps * longest.count() / 8'000'000'000'000);
}

std::uint64_t MessageScaling::ofLastRun(const fabric::FabricPlan& fabric,
                                        std::uint64_t& needed) const {
  const std::uint64_t unit = kRunRatio.back() * mtu_;
  const std::uint64_t bdp = std::max<std::uint64_t>(1, bandwidthDelay(fabric));
  const auto bounded = [&](std::uint64_t products) {
    return std::min(ceilDivide(products * bdp, unit) * unit, largest_);
  };
  const std::uint64_t min = bounded(kMinBdp);
  needed = packetsOfRuns(min);
  const std::uint64_t allowed = spec_.fast_forward->packets;
  if (needed > allowed) return 0;
  std::uint64_t message = bounded(kMaxBdp);
  while (message > min && packetsOfRuns(message) > allowed) {
    message = std::max(min, (message - 1) / unit * unit);
  }
  return message;
}

}  // namespace plumbline::bench
