#include "scenario/warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "bench/card/packet.h"
#include "bench/sim/base_rtt.h"
#include "bench/trial/longest_frame.h"
#include "fabric/spec/load_balancing.h"
#include "fabric/switch/buffer_room.h"
#include "fabric/switch/headroom.h"
#include "fabric/topology/several_paths.h"
#include "fabric/topology/topology.h"
#include "scenario/few_credits.h"
#include "scenario/key_places.h"
#include "scenario/reader.h"
#include "scenario/sweep.h"
#include "scenario/yaml_tree.h"
#include "spec/field.h"
#include "workload/pattern.h"
#include "workload/placement.h"

namespace plumbline::scenario {
namespace {

using fabric::PriorityMask;

// The frame of tests on simulated hosts without a transport in the scenario, and of the card's
// longest message: 4096 B of payload in a RoCEv2 frame.
Bytes defaultFrame() { return bench::longestFrame(bench::TransportSpec(transport::RoceSpec())); }

// "100 KB", "64.5 KB", "1.2 MB"
std::string sizeText(Bytes size) {
  const auto bytes = static_cast<double>(size.count());
  if (bytes < 1e3) return fmt::format("{} B", size.count());
  if (bytes < 1e6) return fmt::format("{:.4g} KB", bytes / 1e3);
  return fmt::format("{:.4g} MB", bytes / 1e6);
}

std::string rateText(double bits_per_second) {
  return fmt::format("{:.4g} Gb/s", bits_per_second / 1e9);
}
std::string rateText(BitRate rate) { return rateText(static_cast<double>(rate.bitsPerSecond())); }

// "3", "0, 3"
std::string prioritiesText(PriorityMask mask) {
  std::vector<std::string> names;
  for (unsigned priority = 0; priority < 8; ++priority) {
    if ((mask >> priority & 1U) != 0) names.push_back(std::to_string(priority));
  }
  return joined(names);
}

PriorityMask maskOf(unsigned priority) { return static_cast<PriorityMask>(1U << priority); }

class Checks {
 public:
  Checks(const Scenario& scenario, const KeyPlaces& places, Problems& warnings)
      : scenario_(scenario),
        places_(places),
        warnings_(warnings),
        topology_(fabric::buildTopology(scenario.topology)) {}

  void run() {
    checkJobNames();
    checkTraffic();
    checkRates();
    checkMessageRates();
    checkTimeouts();
    // On other benches the switch is a real one, or there is none, whatever the file says.
    if (!simulatesDut(scenario_.bench) || topology_.switches().empty()) return;
    checkHeadroom();
    checkPauses();
    checkBuffers();
    checkCredits();
    checkEcn();
    checkPriorities();
    checkSpray();
  }

 private:
  [[nodiscard]] const fabric::SwitchSpec& switches() const { return scenario_.switches; }
  void warn(std::string_view path, std::string what, std::string allowed) {
    warnings_.add(places_.at(path), std::move(what), std::move(allowed));
  }

  // Priorities of the data that the scenario names a priority, or a transport, for; without either
  // the usual one.
  [[nodiscard]] PriorityMask dataPriorities() const {
    PriorityMask mask = 0;
    if (scenario_.transport) mask |= maskOf(transportPriority());
    if (places_.has("traffic")) mask |= maskOf(bench::priorityOf(scenario_.traffic.format));
    return mask != 0 ? mask : maskOf(transport::RoceSpec().data_priority);
  }
  [[nodiscard]] unsigned transportPriority() const {
    return std::visit([](const auto& spec) -> unsigned { return spec.data_priority; },
                      *scenario_.transport);
  }
  [[nodiscard]] PriorityMask losslessPriorities() const {
    PriorityMask mask = 0;
    if (switches().pfc) mask |= switches().pfc->priorities;
    if (switches().cbfc) mask |= switches().cbfc->channels;
    return mask;
  }

  [[nodiscard]] Bytes longestFrame() const {
    Bytes longest;
    if (scenario_.transport) longest = bench::longestFrame(*scenario_.transport);
    for (const Bytes size : scenario_.traffic.frame_sizes.value_or(std::vector<Bytes>())) {
      longest = std::max(longest, size);
    }
    return longest.count() > 0 ? longest : defaultFrame();
  }

  void checkHeadroom() {
    const auto need = fabric::largestHeadroomNeed(topology_, switches(), longestFrame());
    if (!need || need->short_of_it == 0) return;
    warn("dut.switch.pfc.headroom",
         fmt::format("headroom {} is below the {} that {} needs; {} of {} links into switches need "
                     "more than they have",
                     sizeText(switches().pfc->headroom), sizeText(need->bytes),
                     topology_.linkName(need->link), need->short_of_it, need->links),
         fmt::format("at least {}B", need->bytes.count()));
  }

  // A switch renews a PAUSE after half of its time; the renewal waits for the frame on the wire.
  void checkPauses() {
    if (!switches().pfc) return;
    constexpr std::int64_t kHalfQuantumBytes = 512 / 8 / 2;
    const std::int64_t frame = (longestFrame() + kWireOverheadBytes).count();
    const std::int64_t least = (frame + kHalfQuantumBytes - 1) / kHalfQuantumBytes;
    if (switches().pfc->quanta >= least) return;
    warn("dut.switch.pfc.quanta",
         fmt::format("a pause of {} x 512 bit times may end before it is renewed: the PAUSE frame "
                     "is repeated after half of that, and may wait for a frame of {}",
                     switches().pfc->quanta, sizeText(longestFrame())),
         fmt::format("at least {}", least));
  }

  // Of the switch with the most ports, which has the least room.
  [[nodiscard]] Bytes sharedPart() const {
    return fabric::sharedPart(switches(), topology_.maxPorts());
  }
  [[nodiscard]] Bytes xoff() const {
    return fabric::pauseThreshold(switches(), topology_.maxPorts());
  }
  [[nodiscard]] Bytes longestLossyQueue() const {
    return fabric::longestLossyQueue(switches(), topology_.maxPorts());
  }

  void checkBuffers() {
    if (!switches().pfc) return;
    const fabric::PfcSpec& pfc = *switches().pfc;
    if (!switches().shared_buffer) {
      const Bytes lossless = (pfc.xoff + pfc.headroom) * std::popcount(pfc.priorities);
      if (lossless <= switches().buffer_per_port) return;
      warn(
          "dut.switch.buffer",
          fmt::format("the buffer of a port, {}, is smaller than xoff and headroom of its lossless "
                      "priorities, {}: the model does not hold lossless frames to it, a switch "
                      "would",
                      sizeText(switches().buffer_per_port), sizeText(lossless)),
          fmt::format("at least {}B", lossless.count()));
    } else if (!pfc.dynamic_alpha && pfc.xoff > sharedPart()) {
      warn("dut.switch.pfc.xoff",
           fmt::format("no input can reach xoff of {}: headrooms and reserves leave {} of the "
                       "shared buffer",
                       sizeText(pfc.xoff), sizeText(sharedPart())),
           "a smaller xoff or headroom, or a larger shared_buffer");
    }
  }

  // Of a part of the data: where no data is sent at all, the scenario is refused.
  void checkCredits() {
    for (const FewCredits& one : fewCredits(scenario_, places_)) {
      warn(one.place, one.what(), one.allowed());
    }
  }

  void checkEcn() {
    PriorityMask named = 0;  // by an earlier rule, which then holds
    for (std::size_t i = 0; i < switches().ecn.size(); ++i) {
      const fabric::EcnSpec& ecn = switches().ecn[i];
      const auto data = static_cast<PriorityMask>(ecn.priorities & ~named & dataPriorities());
      named |= ecn.priorities;
      const std::string place = fmt::format("dut.switch.ecn.{}.kmin", i);
      if ((data & ~losslessPriorities()) != 0 && ecn.kmin >= longestLossyQueue()) {
        warn(place,
             fmt::format("ECN never marks: kmin of {} is not below the {} that a queue can hold",
                         sizeText(ecn.kmin), sizeText(longestLossyQueue())),
             fmt::format("below {}B", longestLossyQueue().count()));
      }
      if (switches().pfc && (data & switches().pfc->priorities) != 0 && xoff() < ecn.kmin) {
        warn(
            place,
            fmt::format("PFC acts before ECN where one input fills a queue: the input is paused at "
                        "xoff of {}, and packets are marked above kmin of {}",
                        sizeText(xoff()), sizeText(ecn.kmin)),
            fmt::format("at most {}B, or a larger xoff", xoff().count()));
      }
    }
  }

  void checkPriorities() {
    PriorityMask marked = 0;
    for (const fabric::EcnSpec& ecn : switches().ecn) marked |= ecn.priorities;
    const PriorityMask covered = losslessPriorities() | marked;
    if (covered == 0) return;  // no priority is protected, on purpose
    const auto check = [&](unsigned priority, const char* what, const char* place) {
      if ((covered & maskOf(priority)) != 0) return;
      warn(place,
           fmt::format("{} have priority {}, for which there is neither PFC, CBFC nor ECN; "
                       "priority {} has",
                       what, priority, prioritiesText(covered)),
           "one of these priorities");
    };
    if (scenario_.transport) {
      check(transportPriority(), "data packets of the transport", "transport.data_priority");
    }
    if (places_.has("traffic")) {
      const bool tagged = scenario_.traffic.format.vlan_id.has_value();
      check(bench::priorityOf(scenario_.traffic.format),
            tagged ? "frames of the traffic" : "untagged frames of the traffic (DSCP / 8)",
            tagged ? "traffic.priority" : "traffic.dscp");
    }
  }

  struct HostLink {
    std::string host;
    BitRate rate;
  };
  // The first of the slowest and of the fastest.
  [[nodiscard]] std::pair<HostLink, HostLink> hostLinks() const {
    std::optional<std::pair<HostLink, HostLink>> found;
    for (const fabric::NodeId host : topology_.hosts()) {
      const fabric::Node& node = topology_.nodes()[host];
      const HostLink link{node.name, topology_.links()[node.out_links.front()].rate};
      if (!found) found.emplace(link, link);
      if (link.rate < found->first.rate) found->first = link;
      if (found->second.rate < link.rate) found->second = link;
    }
    return *found;
  }

  // Checks the rates of DCQCN that the file gives.
  void checkRates() {
    const auto* roce =
        scenario_.transport ? std::get_if<transport::RoceSpec>(&*scenario_.transport) : nullptr;
    if (roce == nullptr || !roce->dcqcn.enabled) return;
    const auto [slowest, fastest] = hostLinks();
    const auto check = [&](const char* key, BitRate rate, const HostLink& link,
                           const char* consequence) {
      const std::string place = fmt::format("transport.dcqcn.{}", key);
      if (rate <= link.rate || !places_.has(place)) return;
      warn(place,
           fmt::format("{} of {} is above the {} of the link of {}: {}", key, rateText(rate),
                       rateText(link.rate), link.host, consequence),
           "at most " + rateText(link.rate));
    };
    // One host that cannot be slowed down is enough.
    check("min_rate", roce->dcqcn.min_rate, slowest, "it is never slowed down");
    check("max_rate", roce->dcqcn.max_rate, fastest, "it limits nothing");
    check("first_cnp_rate", roce->dcqcn.first_cnp_rate, fastest,
          "the first CNP slows nothing down");
    check("additive_increase", roce->dcqcn.additive_increase, fastest,
          "one step restores the full rate");
    check("hyper_increase", roce->dcqcn.hyper_increase, fastest, "one step restores the full rate");
  }

  // Checks the payload that a job posts at given times, on the busiest sending host.
  void checkMessageRates() {
    if (!scenario_.workload) return;
    const auto& jobs = scenario_.workload->jobs;
    const auto placed = workload::placeJobs(jobs, scenario_.topology.hostCount());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto* messages = std::get_if<workload::MessageProgram>(&jobs[i].program);
      if (messages == nullptr) continue;
      const auto* arrivals = std::get_if<workload::Arrivals>(&messages->load);
      if (arrivals == nullptr) continue;
      // The interval of a `load` was rounded down to a picosecond.
      const Picoseconds interval = arrivals->interval + Picoseconds(1);
      double rate = static_cast<double>(messages->bytes) * 8 / interval.toSeconds();
      if (messages->on_off) {
        const auto& [on, off] = *messages->on_off;
        rate *= on.toSeconds() / (on + off).toSeconds();
      }
      std::map<workload::Rank, std::uint32_t> pairs;
      const auto ranks = static_cast<std::uint32_t>(placed[i].size());
      for (const auto& [from, to] :
           workload::pairsOf(*messages, ranks, scenario_.seed, jobs[i].name)) {
        ++pairs[from];
      }
      for (const auto& [rank, count] : pairs) {
        const fabric::NodeId host = topology_.hosts()[placed[i][rank]];
        const fabric::Node& node = topology_.nodes()[host];
        const BitRate link = topology_.links()[node.out_links.front()].rate;
        if (rate * count <= static_cast<double>(link.bitsPerSecond())) continue;
        warn(fmt::format("workload.{}.{}", i,
                         places_.has(fmt::format("workload.{}.load", i)) ? "load" : "interval"),
             fmt::format("job '{}': {} posts {} of payload, above the {} of its link: the queue of "
                         "messages grows without limit",
                         jobs[i].name, node.name, rateText(rate * count), rateText(link)),
             "a longer interval, smaller messages, or \"outstanding\"");
        break;
      }
    }
  }

  // Checks a timeout that the file gives; others fit the topology.
  void checkTimeouts() {
    if (!scenario_.transport || !simulatesDut(scenario_.bench)) return;
    const auto* roce = std::get_if<transport::RoceSpec>(&*scenario_.transport);
    if (roce != nullptr ? roce->service == transport::RoceService::kUc
                        : std::get<transport::UetSpec>(*scenario_.transport).service ==
                              transport::UetService::kUud) {
      return;  // sends nothing again
    }
    std::string place = roce != nullptr ? "transport.ack_timeout" : "transport.rto";
    if (roce != nullptr && !places_.has(place)) place = "transport.max_ack_timeout";
    if (!places_.has(place)) return;
    const Picoseconds timeout = roce != nullptr
                                    ? roce->ack_timeout
                                    : std::get<transport::UetSpec>(*scenario_.transport).rto;
    const Picoseconds round_trip =
        bench::idleRoundTrip(scenario_.fabricSpec(), scenario_.workload, *scenario_.transport);
    if (timeout >= round_trip) return;
    warn(place,
         fmt::format("the timeout of {} is below the idle round trip of {:.4g} us: packets are "
                     "sent again while their ACK is on its way",
                     spec::timeText(timeout.count()), round_trip.toSeconds() * 1e6),
         fmt::format("at least {}us", std::ceil(round_trip.toSeconds() * 1e6)));
  }

  void checkSpray() {
    if (!scenario_.transport || !fabric::hasSeveralPaths(topology_)) return;
    if (const auto* roce = std::get_if<transport::RoceSpec>(&*scenario_.transport)) {
      checkSprayedRc(*roce);
    } else if (std::get<transport::UetSpec>(*scenario_.transport).service ==
                   transport::UetService::kRod &&
               switchesSpray()) {
      warn("dut.load_balancing",
           "packets of a flow take several paths, and a ROD target discards each that overtakes "
           "another: it is sent again",
           "service: rud, or a balancing that keeps order");
    }
  }
  [[nodiscard]] bool switchesSpray() const {
    return fabric::spraysPackets(switches().load_balancing.kind);
  }
  void checkSprayedRc(const transport::RoceSpec& roce) {
    if (roce.service != transport::RoceService::kRc) return;
    const bool go_back = roce.recovery == transport::RoceRecovery::kGoBackN;
    if (!go_back && roce.reorder_tolerance > 0) return;
    const bool by_switch = switchesSpray();
    if (!roce.spray && !by_switch) return;
    // The tests of the drafts choose the recovery themselves there (suite/framework/rc_recovery.h).
    if (go_back && by_switch && !isFree(scenario_)) return;
    warn(by_switch ? "dut.load_balancing" : "transport.spray",
         fmt::format("packets of a flow take several paths, and RC takes each that overtakes "
                     "another for a loss ({}): they are sent again",
                     go_back ? "recovery is go-back-n" : "reorder_tolerance is 0"),
         "recovery: selective-repeat with a reorder_tolerance, or a balancing that keeps order");
  }

  void checkTraffic() {
    if (!isFree(scenario_) || !places_.has("traffic")) return;
    warn("traffic", "the test free sends no frames of this: its hosts run the workload alone",
         "without it, or as a job of the workload");
  }

  void checkJobNames() {
    if (!scenario_.workload) return;
    std::set<std::string> names;
    const auto& jobs = scenario_.workload->jobs;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (names.insert(jobs[i].name).second) continue;
      warn(fmt::format("workload.{}.name", i),
           fmt::format("two jobs have the name '{}': their results would be indistinguishable",
                       jobs[i].name),
           "a name for each");
    }
  }

  const Scenario& scenario_;
  const KeyPlaces& places_;
  Problems& warnings_;
  fabric::Topology topology_;
};

}  // namespace

std::vector<Problem> warningsOf(const Scenario& scenario, const Vocabulary& vocabulary) {
  const YamlTree tree = parseYaml(scenario.text);
  const KeyPlaces places(tree.root);
  Problems warnings;
  if (scenario.sweep.empty()) {
    Checks(scenario, places, warnings).run();
    return warnings.sorted();
  }
  const Sweep sweep(scenario.text, scenario.file);
  for (std::size_t point = 0; point < sweep.size(); ++point) {
    Scenario one = sweep.scenario(point, vocabulary);
    one.bench = scenario.bench;
    Checks(one, places, warnings).run();
  }
  return warnings.sorted();
}

}  // namespace plumbline::scenario
