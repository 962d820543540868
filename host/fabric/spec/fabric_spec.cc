#include "fabric/spec/fabric_spec.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/random.h"
#include "fabric/engine/schedule.h"
#include "fabric/link/link_retry.h"
#include "fabric/spec/spec_checks.h"
#include "fabric/spec/spec_fields.h"
#include "fabric/topology/topology.h"
#include "spec/check.h"

namespace plumbline::fabric {
namespace {

void checkImpairments(const std::vector<Impairment>& impairments, std::uint32_t hosts) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> seen;
  for (std::size_t i = 0; i < impairments.size(); ++i) {
    const Impairment& one = impairments[i];
    const std::string field = fmt::format("impairments[{}]", i);
    checkCount(one.host, 0, hosts - 1, field + ".host");
    if (one.kind == ImpairmentKind::kDelay) {
      checkTime(one.delay, Picoseconds(1), kMaxDelay, field + ".delay");
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
    if (one.up && *one.up <= one.down) {
      refuse(fmt::format("{} is up again no later than it is down", one.element), field + ".up",
             "later than down");
    }
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
    checkCount(storm.host, 0, hosts - 1, fmt::format("storms[{}].host", i));
  }
}

}  // namespace

std::uint32_t FabricSpec::hostCount() const { return topology.hostCount(); }

std::uint64_t FabricSpec::drawSeed() const { return draw == 0 ? seed : mix64(mix64(seed) ^ draw); }

void validate(const FabricSpec& spec) {
  spec::check(spec, {});
  checkTopology(spec.topology);
  const Topology topology = buildTopology(spec.topology);
  checkSwitches(spec.switches, topology.maxPorts());
  if (spec.switches.llr) checkLinkRetry(*spec.switches.llr, topology);
  checkImpairments(spec.impairments, spec.hostCount());
  checkBitErrors(spec.bit_errors, topology);
  checkFailures(spec.failures, topology);
  checkStorms(spec.storms, spec.hostCount());
}

}  // namespace plumbline::fabric
