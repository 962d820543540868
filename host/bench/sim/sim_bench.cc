#include "bench/sim/sim_bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>

#include "base/counted.h"
#include "base/error.h"
#include "base/work.h"
#include "bench/flow/fast_forward.h"
#include "bench/flow/flow_trial.h"
#include "bench/sim/fabric_figures.h"
#include "bench/sim/fabric_watch.h"
#include "bench/sim/flow_count.h"
#include "bench/sim/hop_watch.h"
#include "bench/sim/loss_watch.h"
#include "bench/sim/mark_watch.h"
#include "bench/sim/rate_watch.h"
#include "bench/sim/sampler.h"
#include "bench/sim/series_recorder.h"
#include "bench/sim/serving_network.h"
#include "bench/sim/serving_systems.h"
#include "bench/sim/sim_hosts.h"
#include "bench/sim/stationarity_watch.h"
#include "bench/sim/trial_faults.h"
#include "bench/trial/trial_footprint.h"
#include "bench/trial/trial_time.h"
#include "fabric/engine/fabric.h"
#include "fabric/topology/topology.h"
#include "workload/own_time.h"

namespace plumbline::bench {
namespace {

// Interval of progress reports in simulated time; also how long a trial may continue after its
// workload has finished.
constexpr Picoseconds kStep = microseconds(20);

// Detects a fabric that no longer delivers. A PFC deadlock refreshes its pauses for ever, so events
// never run out. A time without deliveries is not enough: scripts, timers and endpoints may delay
// frames for any time.
class Watch {
 public:
  [[nodiscard]] bool deadlocked(fabric::Fabric& fabric) {
    std::uint64_t delivered = 0;
    for (fabric::HostId host = 0; host < fabric.hostCount(); ++host) {
      delivered += fabric.framesReceived(host);
    }
    if (std::exchange(delivered_, delivered) != delivered) return false;
    return fabric.framesInside() > 0 && fabric.isDeadlocked();
  }

  // No payload has arrived among the last frames, which are far more than any outage leaves over:
  // senders and receivers exchange packets without progress, such as those that a switch trims
  // every time. After deadlocked(). Only without a duration: with one the trial ends anyway.
  [[nodiscard]] bool livelocked(const fabric::Fabric& fabric, const SimHosts& hosts) {
    constexpr std::uint64_t kFrames = 3'000'000;
    constexpr std::uint64_t kFramesPerHost = 100'000;
    if (delivered_ - looked_at_ <= std::max(kFrames, kFramesPerHost * fabric.hostCount())) {
      return false;
    }
    looked_at_ = delivered_;
    const std::uint64_t payload = hosts.payloadReceived();  // takes time: a sum over all flows
    return std::exchange(payload_, payload) == payload;
  }

 private:
  std::uint64_t delivered_ = 0;
  std::uint64_t payload_ = 0;    // when it was last looked at
  std::uint64_t looked_at_ = 0;  // delivered_ then
};

std::uint64_t peakRssBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void collectStreams(const TrialSpec& spec, const SimHosts& hosts, TrialResult& result) {
  const std::vector<transport::StreamOutcome> outcomes = hosts.streamOutcomes();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const StreamSpec& stream = spec.streams[hosts.streams()[i]];
    const transport::StreamOutcome& outcome = outcomes[i];
    StreamResult one;
    one.name = stream.name;
    one.sent_frames = outcome.sent.frames;
    one.sent_bytes = outcome.sent.frames * static_cast<std::uint64_t>(stream.frame.count());
    one.received_frames = outcome.received.frames;
    one.received_bytes = outcome.received.bytes;
    one.lost = outcome.lost();
    one.duplicate = outcome.received.duplicate;
    one.out_of_order = outcome.received.out_of_order;
    one.stale = outcome.received.stale;
    one.ce = outcome.received.ce;
    one.held_back = outcome.sent.given_up;
    result.streams.push_back(std::move(one));
    // Replays of link-level retry occupy a host's link. A constant load catches up with them, or
    // gives slots up. A burst is not the specified one any more.
    const bool replays = spec.dut.switches.llr && std::holds_alternative<ConstantLoad>(stream.load);
    if (outcome.sent.late > 0 && !replays) {
      result.faults.push_back(fmt::format("stream '{}': {} frames left late, by up to {} ns",
                                          stream.name, outcome.sent.late,
                                          outcome.sent.late_max.toNanoseconds()));
    }
  }
  result.latency = hosts.streamLatency();
}

// Runs the fabric to `until`, and stops at each end of an interval of `recorder`. The trial's own
// steps, which decide when it ends, are the same with and without a recorder.
void runFabric(fabric::Fabric& fabric, Picoseconds until, std::optional<SeriesRecorder>& recorder) {
  while (recorder && recorder->due() <= until) {
    fabric.runUntil(recorder->due());
    recorder->take();
  }
  fabric.runUntil(until);
}

void collectPorts(const fabric::Fabric& fabric, TrialResult& result) {
  for (const fabric::PortCounters& port : fabric.counters()) {
    result.dut.push_back({fmt::format("{} port {}", fabric.switchName(port.node), port.port),
                          port.packets, port.dropped(),
                          Bytes(static_cast<std::int64_t>(port.max_queue_bytes))});
  }
}

}  // namespace

SimBench::SimBench(const SimBenchOptions& options) : threads_(std::max(options.threads, 1U)) {
  capabilities_.name = "sim";
  capabilities_.description = "simulated hosts and fabric, packet by packet; no tester card";
  capabilities_.max_ports = fabric::kMaxHosts;
  capabilities_.line_rate = options.line_rate;
  capabilities_.flows_per_port = 1U << 16;
  capabilities_.groups = 1U << 16;
  capabilities_.max_qps = 4096;
  capabilities_.timestamp_resolution = Picoseconds(1);
  capabilities_.observed = ObservationPoint::kModelled;
  capabilities_.simulated_dut = true;
  capabilities_.trial_overhead = Picoseconds(0);
  capabilities_.wall_seconds_per_second = 0;  // packets cost, not time
  capabilities_.wall_ns_per_packet_hop = 145;
  capabilities_.wall_us_per_host = 8;
}

std::vector<std::string> SimBench::refusals(const TrialSpec& spec) const {
  if (auto why = timeRefusalOf(spec)) return {*std::move(why)};
  if (spec.flow_level) return flowTrialRefusals(spec);
  std::vector<std::string> refusals;
  if (spec.serving) {
    refusals = servingRefusals(spec);
  } else if (!spec.tenants.empty()) {
    refusals.emplace_back("tenants need a serving system");
  }
  if (!refusals.empty()) return refusals;
  // Before anything is allocated.
  if (auto why = memoryRefusalOf(spec)) return {*std::move(why)};
  if (spec.capture_port) {
    refusals.emplace_back(
        "there are no frames to capture: the sim bench moves packets without "
        "bytes; the rtl bench captures");
  }
  if (spec.streams.empty() && !spec.workload && !spec.serving) {
    refusals.emplace_back("nothing to do: neither streams, a workload, nor a serving system");
  }
  if (!spec.streams.empty() && spec.duration <= Picoseconds(0)) {
    refusals.emplace_back("streams need a duration");
  }
  if (spec.workload && spec.duration <= Picoseconds(0)) {
    for (const workload::JobSpec& job : spec.workload->jobs) {
      if (!workload::isEndless(job)) continue;
      refusals.push_back(fmt::format(
          "job '{}' posts messages without end: it needs \"messages\" or \"until\", or the trial a "
          "duration",
          job.name));
    }
  }
  for (std::string& why : cardPartRefusals(spec, capabilities_)) {
    refusals.push_back(std::move(why));
  }
  try {
    checkSimHosts(spec, fabric::FabricPlan(spec.dut));
  } catch (const Error& error) {
    refusals.emplace_back(error.what());
  }
  if (spec.sampling && spec.sampling->interval <= Picoseconds(0)) {
    refusals.emplace_back("samples need an interval above 0");
  }
  if (spec.peak_interval && *spec.peak_interval <= Picoseconds(0)) {
    refusals.emplace_back("the busiest interval needs a length above 0");
  }
  if (spec.peak_interval && spec.fast_forward) {
    refusals.emplace_back("a fast-forwarded workload has no busiest interval");
  }
  if (spec.sampling && spec.fast_forward) {
    refusals.emplace_back("a fast-forwarded workload cannot be sampled");
  }
  if (spec.count_flows && spec.fast_forward) {
    refusals.emplace_back("flows of a fast-forwarded workload cannot be counted");
  }
  if (spec.early_end && spec.early_end->figure == WatchedFigure::kIterationTime &&
      (!spec.workload || spec.workload->jobs.size() != 1 ||
       !std::holds_alternative<workload::TrainingProgram>(spec.workload->jobs.front().program))) {
    refusals.emplace_back("only a single job of collectives can end by its iterations' time");
  }
  if (spec.early_end && (!spec.workload || !spec.streams.empty())) {
    refusals.emplace_back("streams send for all of a trial's time: only workloads can end early");
  }
  if (spec.series && spec.series->intervals < 2) {
    refusals.emplace_back("a time series needs two intervals at least");
  }
  if (spec.fast_forward && refusals.empty()) return fastForwardRefusals(spec);
  return refusals;
}

TrialResult SimBench::run(const TrialSpec& spec, const TrialHooks& hooks) {
  if (const std::vector<std::string> why = refusals(spec); !why.empty()) {
    throw Error(ErrorKind::kUnsupported, fmt::format("{}", fmt::join(why, "; ")), "sim bench");
  }
  return spec.flow_level || mustFastForward(spec) ? predict(spec, hooks) : simulate(spec, hooks);
}

TrialResult SimBench::predict(const TrialSpec& spec, const TrialHooks& hooks) const {
  const auto started = std::chrono::steady_clock::now();
  TrialResult result;
  if (spec.flow_level) {
    result = runFlowTrial(spec);
  } else {
    result.fabric = fastForward(spec, threads_, hooks);
    result.fabric->peak_rss_bytes = peakRssBytes();
    result.card_time = result.fabric->sim_end;
  }
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.dut_observed = ObservationPoint::kModelled;
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  result.wall_seconds = wall.count();
  return result;
}

TrialResult SimBench::simulate(const TrialSpec& spec, const TrialHooks& hooks) const {
  fabric::Fabric fabric(spec.dut, {fabric::Core::kWindowed, threads_});
  SimHosts hosts(spec, fabric);
  HopWatch hops(fabric, spec.dut, hosts);
  const bool limited = spec.duration > Picoseconds(0);
  const Picoseconds streams_end = spec.streams.empty() ? Picoseconds(0) : spec.duration;
  const Picoseconds limit = limited ? spec.duration + spec.drain : fabric::kNever;

  std::optional<Sampler> sampler;
  if (spec.sampling) {
    sampler.emplace(*spec.sampling, fabric.topology());
    fabric.observe(*sampler);
  }

  std::optional<LossWatch> losses;
  if (spec.loss_times) losses.emplace(fabric);
  std::optional<MarkWatch> marks;
  if (spec.first_mark) marks.emplace(fabric);
  std::optional<FlowCount> flows;
  if (spec.count_flows) flows.emplace(fabric);
  std::optional<RateWatch> rates;
  if (spec.peak_interval) rates.emplace(*spec.peak_interval, fabric);

  std::optional<SeriesRecorder> recorder;
  if (spec.series) recorder.emplace(*spec.series, fabric);

  std::optional<StationarityWatch> main_figure;
  if (spec.early_end) main_figure.emplace(*spec.early_end, hosts);

  std::optional<FabricWatch> watched;
  if (hooks.observer != nullptr) watched.emplace(fabric);
  std::optional<ServingNetwork> serving_network;
  std::optional<ServingSystems> systems;
  const auto show = [&](bool ended) {
    TrialSnapshot snapshot;
    snapshot.bench = capabilities_.name;
    snapshot.observed = capabilities_.observed;
    snapshot.time = fabric.now();
    snapshot.total = limited && !ended ? limit : fabric.now();
    snapshot.ended = ended;
    for (const fabric::HostId host : hosts.hosts()) {
      snapshot.ports.push_back(watched->port(host, fabric.now()));
    }
    inspectHosts(spec, hosts, snapshot);
    watched->look(fabric.now(), snapshot);
    if (systems) systems->look(snapshot);
    hooks.observer->onSnapshot(snapshot);
  };

  const auto started = std::chrono::steady_clock::now();
  Watch watch;
  bool stuck = false;  // nothing will change any more
  bool livelocked = false;
  bool stationary = false;
  // Up to `until`, or the next sample, if that is earlier.
  const auto step = [&](Picoseconds until) {
    if (sampler) until = std::min(until, sampler->due());
    while (main_figure && !stationary && main_figure->due() <= until) {
      runFabric(fabric, main_figure->due(), recorder);
      stationary = main_figure->take();
    }
    if (!stationary) runFabric(fabric, until, recorder);
    if (sampler && fabric.now() == sampler->due()) sampler->take(hosts);
    if (hooks.progress) {
      hooks.progress({fabric.now(), limited ? limit : fabric.now(), 0, 0});
    }
    if (watched && hooks.observer->due()) show(false);
  };
  std::vector<serving::ServingResult> served;
  if (spec.serving) {
    Picoseconds looked = kStep;  // for a deadlock
    const auto advance = [&](Picoseconds time) {
      while (fabric.now() < time && !stuck) {
        checkWork();
        const Picoseconds next = fabric.nextEvent().value_or(time);
        step(std::min(std::max(next, fabric.now()) + kStep, time));
        if (fabric.now() < looked) continue;
        stuck = watch.deadlocked(fabric);
        looked = fabric.now() + kStep;
      }
    };
    serving_network.emplace(spec, hosts, fabric,
                            ServingNetwork::Driver{advance, [&] { return stuck; }});
    systems.emplace(spec, *serving_network, hooks.observer != nullptr);
    served = systems->run();
  }
  while (!spec.serving && fabric.now() < limit) {
    checkWork();
    const auto next = fabric.nextEvent();
    if (hosts.workloadFinished() && fabric.now() >= streams_end && !limited &&
        (hosts.acknowledges() || fabric.framesInside() == 0)) {
      break;
    }
    // Streams go on for the trial's time, whether or not the fabric still delivers.
    stuck = !next || (spec.streams.empty() && watch.deadlocked(fabric));
    livelocked = !stuck && !limited && watch.livelocked(fabric, hosts);
    if (stuck || livelocked) break;
    step(std::min(std::max(*next, fabric.now()) + kStep, limit));
    if (stationary) break;
  }
  if (watched) show(true);
  std::optional<TimeSeries> series;
  if (recorder) series = recorder->finish();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;

  TrialResult result;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.dut_observed = ObservationPoint::kModelled;
  result.card_time = fabric.now();
  result.wall_seconds = wall.count();
  collectStreams(spec, hosts, result);
  collectPorts(fabric, result);
  result.fabric = fabricFigures(fabric, hosts, hops, streams_end);
  result.fabric->peak_rss_bytes = peakRssBytes();
  result.fabric->series = std::move(series);
  if (main_figure) result.early_end = main_figure->finish(fabric.now());
  if (marks) result.fabric->first_mark = marks->first();
  if (losses) result.fabric->loss_times = losses->times(result.fabric->endpoints);
  if (flows) result.fabric->link_flow_mmr = flows->mmr();
  if (rates) result.fabric->peak_rate = rates->peak();
  if (sampler) result.fabric->samples = sampler->finish(fabric.now());
  if (stuck && fabric.framesInside() > 0) {
    result.faults.push_back(standstillFault(fabric, spec.dut.switches));
  } else if (limited && spec.drain > Picoseconds(0) && !spec.workload && !spec.serving &&
             result.fabric->frames_inside > 0) {
    result.faults.push_back(drainFault(result.fabric->frames_inside, spec.drain));
  } else if (livelocked) {
    result.faults.emplace_back(
        "the workload makes no progress: hosts exchange packets, and no new payload arrives (with "
        "parameters.duration, a limit on the trial's time, the counters show what they do)");
  } else if (!spec.serving && !hosts.workloadFinished() && !stationary && (stuck || !limited)) {
    result.faults.emplace_back("the workload stopped before it was finished: messages failed");
  }
  std::uint64_t lost_messages = 0;
  for (const serving::ServingResult& system : served) lost_messages += system.lost_messages;
  if (lost_messages > 0) {
    result.faults.push_back(
        fmt::format("{} of KV cache failed", counted(lost_messages, "message")));
  }
  if (!served.empty()) {
    result.serving = std::move(served.front());
    result.tenants.assign(std::make_move_iterator(served.begin() + 1),
                          std::make_move_iterator(served.end()));
  }
  // Losses of a service without acknowledgements are a result, not a fault.
  for (const JobOutcome& job : result.fabric->jobs) {
    if (hosts.acknowledges() && job.messages_failed > 0) {
      result.faults.push_back(
          fmt::format("job '{}': {} failed", job.name, counted(job.messages_failed, "message")));
    }
  }
  return result;
}

}  // namespace plumbline::bench
