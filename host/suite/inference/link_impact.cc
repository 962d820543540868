#include "suite/inference/link_impact.h"

#include <algorithm>

#include "base/error.h"
#include "serving/mapping.h"
#include "suite/inference/sustained.h"

namespace plumbline::suite {
namespace {

using serving::RequestRecord;

constexpr std::int64_t kDelayShare = 10;  // of the convergence time: a delay that counts

double msOf(Picoseconds time) { return time.toSeconds() * 1e3; }

std::uint32_t hostOfNic(const TestConfig& config, const serving::ServingProgram& program,
                        std::uint32_t nic) {
  const std::vector<std::uint32_t> hosts = servingHosts(config, program);
  return hosts.empty() ? nic : hosts[nic];
}

std::uint32_t prefillNics(const serving::ServingProgram& program) {
  const serving::Mapping mapping(program.system.servers, program.system.model);
  return mapping.prefillServers() * program.system.servers.nics;
}

bool isSwitch(const fabric::Topology& topology, fabric::NodeId node) {
  return topology.nodes()[node].kind == fabric::NodeKind::kSwitch;
}

// Links from `leaf` to other switches.
std::vector<fabric::LinkId> uplinksOf(const fabric::Topology& topology, fabric::NodeId leaf) {
  std::vector<fabric::LinkId> links;
  for (const fabric::LinkId link : topology.nodes()[leaf].out_links) {
    if (isSwitch(topology, topology.links()[link].to)) links.push_back(link);
  }
  return links;
}

fabric::NodeId leafOf(const fabric::Topology& topology, std::uint32_t host) {
  const fabric::NodeId node = topology.hosts()[host];
  return topology.links()[topology.nodes()[node].out_links.front()].to;
}

bool hasHosts(const fabric::Topology& topology, fabric::NodeId node) {
  const auto& links = topology.nodes()[node].out_links;
  return std::any_of(links.begin(), links.end(), [&](fabric::LinkId link) {
    return !isSwitch(topology, topology.links()[link].to);
  });
}

// Of a request that sent KV cache.
bool sent(const RequestRecord& record) { return record.first_post != serving::kNever; }

// The pairs of the same request with and without failure.
template <typename Visit>
void eachPair(const serving::ServingResult& failed, const serving::ServingResult& intact,
              const Visit& visit) {
  const std::size_t count = std::min(failed.requests.size(), intact.requests.size());
  for (std::size_t i = 0; i < count; ++i) {
    const RequestRecord& one = failed.requests[i];
    const RequestRecord& other = intact.requests[i];
    if (one.arrival != other.arrival || one.prompt != other.prompt) {
      throw Error(ErrorKind::kTester, "a trial with a failure has other requests than without it",
                  "serving", "this is a fault of the test");
    }
    visit(one, other);
  }
}

// Tokens of the samples that [from, to] touches.
std::uint64_t tokensIn(const serving::ServingResult& result, Picoseconds from, Picoseconds to) {
  std::uint64_t tokens = 0;
  Picoseconds begin;
  for (const serving::ServingSample& sample : result.samples) {
    if (sample.time > from && begin < to) tokens += sample.tokens;
    begin = sample.time;
  }
  return tokens;
}

double received(const bench::Sample& sample) {
  double bytes = 0;
  for (const std::uint64_t flow : sample.received) bytes += static_cast<double>(flow);
  return bytes;
}

// Payload that arrived between the first sample at or after `from` and the last one up to `to`.
std::optional<double> payloadBetween(const bench::TrialResult& trial, Picoseconds from,
                                     Picoseconds to) {
  if (!trial.fabric || !trial.fabric->samples) return std::nullopt;
  const bench::Samples& samples = *trial.fabric->samples;
  const bench::Sample* first = nullptr;
  const bench::Sample* last = nullptr;
  for (std::size_t i = 0; i < samples.samples.size(); ++i) {
    const Picoseconds time = samples.interval * static_cast<std::int64_t>(i + 1);
    if (time < from || time > to) continue;
    if (first == nullptr) first = &samples.samples[i];
    last = &samples.samples[i];
  }
  if (first == last) return std::nullopt;
  return received(*last) - received(*first);
}

}  // namespace

std::optional<std::string> failuresRefusal(const TestConfig& config) {
  if (config.scenario.failures.empty()) return std::nullopt;
  return "the scenario has failures of its own (dut.failures): the test fails links itself and "
         "compares with a trial in which none fails";
}

std::vector<LinkFailure> servingFailures(const TestConfig& config,
                                         const serving::ServingProgram& program) {
  if (servingRefusal(config, program)) return {{"nothing", {}}};  // hosts that there are not
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const fabric::NodeId prefill = leafOf(topology, hostOfNic(config, program, 0));
  const fabric::NodeId decode = leafOf(topology, hostOfNic(config, program, prefillNics(program)));
  std::vector<LinkFailure> all{{"nothing", {}}};
  if (!isSwitch(topology, prefill) || prefill == decode) return all;
  const std::vector<fabric::LinkId> up = uplinksOf(topology, prefill);
  const std::vector<fabric::LinkId> down = uplinksOf(topology, decode);
  const auto name = [&](fabric::LinkId link) { return topology.linkName(link); };
  if (up.size() > 1) all.push_back({"uplink of a prefill leaf", {name(up[0])}});
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    const fabric::Link& link = topology.links()[id];
    if (!isSwitch(topology, link.from) || !isSwitch(topology, link.to)) continue;
    if (hasHosts(topology, link.from) || hasHosts(topology, link.to)) continue;
    all.push_back({"link between spines", {name(id)}});
    break;
  }
  if (down.size() > 1) all.push_back({"link of a decode leaf", {name(down[0])}});
  if (up.size() > 2) all.push_back({"two uplinks of a prefill leaf", {name(up[0]), name(up[1])}});
  if (up.size() > 2 && down.size() > 2) {
    all.push_back({"a link of each leaf", {name(up[0]), name(down[1])}});
  }
  return all;
}

Outage outageOf(const bench::TrialSpec& spec, Picoseconds down, Picoseconds up) {
  const Picoseconds convergence = spec.dut.convergence;
  const Picoseconds last = up == fabric::kNever ? down : up;  // change of a link
  return {down, up, last + 2 * convergence + firstTimeout(spec),
          std::max(convergence / kDelayShare, Picoseconds(1))};
}

LinkImpact linkImpact(const serving::ServingResult& failed, const serving::ServingResult& intact,
                      const Outage& outage) {
  LinkImpact impact;
  Picoseconds longest;
  Picoseconds recovered;
  bool lost = false;
  Picoseconds rise;
  Picoseconds ttft;
  bool without_token = false;
  eachPair(failed, intact, [&](const RequestRecord& one, const RequestRecord& other) {
    const bool open = one.arrival < outage.settled && one.first_token > outage.down;
    if (open && one.outcome != serving::Outcome::kRejected) {
      ++impact.waiting;
      without_token = without_token || one.first_token == serving::kNever;
      if (one.first_token != serving::kNever && other.first_token != serving::kNever) {
        ttft = std::max(ttft, one.first_token - one.arrival);
        rise = std::max(rise, one.first_token - other.first_token);
      }
    }
    if (!sent(one) || one.first_post >= outage.settled || one.last_arrival <= outage.down) return;
    if (!sent(other) || other.last_arrival == serving::kNever) return;
    ++impact.transfers;
    if (one.last_arrival == serving::kNever) {
      ++impact.delayed;
      lost = true;
      return;
    }
    const Picoseconds delay =
        (one.last_arrival - one.first_post) - (other.last_arrival - other.first_post);
    if (delay < outage.threshold) return;
    ++impact.delayed;
    longest = std::max(longest, delay);
    recovered = std::max(recovered, one.last_arrival - outage.down);
  });
  if (impact.transfers > 0 && !lost) {
    impact.disruption_ms = msOf(longest);
    impact.recovery_ms = msOf(recovered);
  }
  if (impact.waiting == 0 || without_token) return impact;
  impact.ttft_rise_ms = msOf(rise);
  const auto& p99 = serving::metricsOf(intact, {}).ttft.p99.value;
  if (p99) impact.ttft_above_p99_ms = msOf(ttft) - *p99 * 1e3;
  return impact;
}

std::optional<double> tokensLost(const serving::ServingResult& failed,
                                 const serving::ServingResult& intact, Picoseconds from,
                                 Picoseconds to) {
  const auto without = static_cast<double>(tokensIn(intact, from, to));
  if (without <= 0) return std::nullopt;
  return 100 * (1 - static_cast<double>(tokensIn(failed, from, to)) / without);
}

std::optional<double> rateAfter(const bench::TrialResult& failed, const bench::TrialResult& intact,
                                const Outage& outage, Picoseconds end) {
  const auto with = payloadBetween(failed, outage.settled, end);
  const auto without = payloadBetween(intact, outage.settled, end);
  if (!with || !without || *without <= 0) return std::nullopt;
  return 100 * *with / *without;
}

std::optional<double> trafficOn(const TestConfig& config, const serving::ServingProgram& program,
                                const std::vector<std::string>& elements,
                                const bench::TrialResult& intact) {
  if (!intact.fabric) return std::nullopt;
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const auto bytesOf = [&](const std::string& name) {
    for (const bench::LinkLoad& link : intact.fabric->links) {
      if (link.name == name) return static_cast<double>(link.bytes);
    }
    return 0.0;  // it carried nothing
  };
  double all = 0;
  for (std::uint32_t nic = 0; nic < prefillNics(program); ++nic) {
    const fabric::NodeId host = topology.hosts()[hostOfNic(config, program, nic)];
    all += bytesOf(topology.linkName(topology.nodes()[host].out_links.front()));
  }
  if (all <= 0) return std::nullopt;
  double crossed = 0;
  for (const std::string& element : elements) {
    const fabric::LinkId link = topology.requireLink(element, "failures");
    // KV cache flows in one direction, acknowledgements in the other.
    crossed += std::max(bytesOf(topology.linkName(link)),
                        bytesOf(topology.linkName(fabric::reverse(link))));
  }
  return 100 * crossed / all;
}

}  // namespace plumbline::suite
