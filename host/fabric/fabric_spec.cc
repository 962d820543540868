#include "fabric/fabric_spec.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "fabric/link_retry.h"
#include "fabric/schedule.h"
#include "fabric/spec_checks.h"
#include "fabric/topology.h"

namespace plumbline::fabric {
namespace {

constexpr double kMaxBitErrorRate = 1e-3;

void checkImpairments(const std::vector<Impairment>& impairments, std::uint32_t hosts) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (std::size_t i = 0; i < impairments.size(); ++i) {
    const Impairment& one = impairments[i];
    const std::string field = fmt::format("impairments[{}]", i);
    checkCount(one.host, 0, hosts - 1, field + ".host");
    switch (one.kind) {
      case ImpairmentKind::kDrop:
      case ImpairmentKind::kDuplicate:
        break;
      case ImpairmentKind::kDelay:
        checkDelay(one.delay, field + ".delay");
        break;
      default:
        refuse("unknown impairment", field + ".kind", "drop, duplicate, delay");
    }
    if (!seen.emplace(one.host, one.frame).second) {
      refuse(fmt::format("frame {} of host {} is impaired twice", one.frame, one.host),
             field + ".frame", "one impairment per frame");
    }
  }
}

void checkBitErrors(const std::vector<BitErrorSpec>& bit_errors, const Topology& topology) {
  for (std::size_t i = 0; i < bit_errors.size(); ++i) {
    const std::string field = fmt::format("bit_errors[{}]", i);
    // Written so that a NaN is refused as well.
    if (!(bit_errors[i].rate >= 0 && bit_errors[i].rate <= kMaxBitErrorRate)) {
      refuse(fmt::format("{} is out of range", bit_errors[i].rate), field + ".rate", "0 to 1e-3");
    }
    (void)topology.selectLinks(bit_errors[i].link, field + ".link");
  }
}

void checkFailures(const std::vector<FailureSpec>& failures, const Topology& topology) {
  // Down times by element, by their beginning; the end and the index in `failures` with each.
  std::map<FailedElement, std::map<Picoseconds, std::pair<Picoseconds, std::size_t>>> times;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const FailureSpec& one = failures[i];
    const std::string field = fmt::format("failures[{}]", i);
    const FailedElement element = failedElement(topology, one.element, field + ".element");
    checkTime(one.down, Picoseconds(0), kMaxTime, field + ".down");
    if (one.up) checkTime(*one.up, one.down + Picoseconds(1), kMaxTime, field + ".up");
    if (!times[element].try_emplace(one.down, one.up.value_or(kNever), i).second) {
      refuse(fmt::format("{} fails twice at one time", one.element), field + ".down",
             "times of an element that do not overlap");
    }
  }
  for (const auto& [element, outages] : times) {
    for (auto next = outages.begin(), one = next++; next != outages.end(); one = next++) {
      if (one->second.first <= next->first) continue;
      const std::size_t later = next->second.second;
      refuse(fmt::format("{} fails while it is down", failures[later].element),
             fmt::format("failures[{}].down", later), "times of an element that do not overlap");
    }
  }
}

void checkStorms(const std::vector<PauseStormSpec>& storms, std::uint32_t hosts) {
  for (std::size_t i = 0; i < storms.size(); ++i) {
    const PauseStormSpec& storm = storms[i];
    const std::string field = fmt::format("storms[{}]", i);
    checkCount(storm.host, 0, hosts - 1, field + ".host");
    checkPriorities(storm.priorities, field + ".priorities");
    checkTime(storm.start, Picoseconds(0), kMaxTime, field + ".start");
    checkTime(storm.duration, Picoseconds(1), kMaxTime, field + ".duration");
  }
}

}  // namespace

std::uint32_t FabricSpec::hostCount() const { return topology.hostCount(); }

void validate(const FabricSpec& spec) {
  checkTopology(spec.topology);
  const Topology topology = buildTopology(spec.topology);
  checkSwitches(spec.switches, topology.mostPorts());
  if (spec.switches.llr) checkLinkRetry(*spec.switches.llr, topology);
  checkImpairments(spec.impairments, spec.hostCount());
  checkBitErrors(spec.bit_errors, topology);
  checkFailures(spec.failures, topology);
  checkTime(spec.convergence, Picoseconds(0), kMaxTime, "convergence");
  checkStorms(spec.storms, spec.hostCount());
}

}  // namespace plumbline::fabric
