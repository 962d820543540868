#include "suite/training/incast.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "suite/framework/data_priority.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/reading.h"

namespace plumbline::suite {
namespace {

constexpr const char* kJoining = "joining";
constexpr const char* kVictim = "victim";

workload::JobSpec messagesTo(const char* name, std::vector<workload::HostId> hosts, Bytes message,
                             Picoseconds until) {
  workload::JobSpec job;
  job.name = name;
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = std::move(hosts);
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kIncast;  // every other rank to rank 0
  program.bytes = static_cast<std::uint64_t>(message.count());
  if (until > Picoseconds(0)) {
    program.until = until;
    // The next message is posted before the previous one is complete: a sender never falls silent.
    program.load = workload::ClosedLoop{.outstanding = 2};
  } else {
    program.messages = 1;
  }
  job.program = program;
  return job;
}

bool isSingleFlow(const Incast& incast) { return incast.senders == 1 && incast.flows == 1; }

}  // namespace

bench::TrialSpec incastTrial(const TestConfig& config, const Incast& incast) {
  bench::TrialSpec spec = emptyTrial(config);
  applyVariant(incast.variant, spec);
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const std::uint32_t early = incast.early == 0 ? incast.senders : incast.early;
  // The last host is the victim's, or stays idle unless it is needed.
  const std::uint32_t last = incast.victim || incast.senders + 2 <= hosts ? hosts - 2 : hosts - 1;
  std::vector<workload::HostId> first{0};
  std::vector<workload::HostId> late{0};
  for (std::uint32_t i = 0; i < incast.senders; ++i) {
    (i < early ? first : late).push_back(last - i);
  }
  spec.workload->jobs.push_back(
      messagesTo("incast", std::move(first), incast.message, incast.until));
  if (late.size() > 1) {
    workload::JobSpec joining = messagesTo(kJoining, std::move(late), incast.message, incast.until);
    joining.start = incast.join_at;
    spec.workload->jobs.push_back(std::move(joining));
  }
  for (workload::JobSpec& job : spec.workload->jobs) {
    job.flows = incast.flows;
    job.flow_use = workload::FlowUse::kSplit;
  }
  if (incast.victim) {
    // Host 1 is on the receiver's leaf, the last host on that of the first senders.
    spec.workload->jobs.push_back(
        messagesTo(kVictim, {1, hosts - 1}, incast.message, Picoseconds(0)));
  }
  return spec;
}

std::optional<std::string> incastRefusal(const TestConfig& config, const Incast& incast) {
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const std::uint32_t others = incast.victim ? 3 : 1;
  if (incast.senders + others <= hosts) return std::nullopt;
  return fmt::format(
      "an incast of {} needs {} hosts, {}, and there are {}", counted(incast.senders, "sender"),
      incast.senders + others,
      incast.victim ? "with a receiver and the two hosts of the victim" : "with a receiver", hosts);
}

std::optional<std::string> pfcRefusal(const TestConfig& config, const Variant& variant) {
  const auto& pfc = config.scenario.switches.pfc;
  if (!pfc) return "the DUT has no PFC: dut.switch.pfc";
  const unsigned priority = dataPriority(variant.transport);
  if ((pfc->priorities >> priority & 1U) != 0) return std::nullopt;
  return fmt::format(
      "the data has priority {}, which PFC of the DUT does not pause: dut.switch.pfc.priorities "
      "has to contain it (or transport.data_priority is another)",
      priority);
}

double incastHops(const TestConfig& config, const Incast& incast) {
  const double flows = incast.senders + (incast.victim ? 1 : 0);
  const double payload =
      incast.until > Picoseconds(0)
          ? static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond()) / 8 *
                incast.until.toSeconds()
          : flows * static_cast<double>(incast.message.count());
  return payloadHops(config, payload);
}

std::optional<Picoseconds> sharingDuration(const TestConfig& config) {
  if (mayEndEarly(config)) return kMaxIncastTime;
  return config.scenario.parameters.duration;
}

Picoseconds joiningTime(const TestConfig& config, Picoseconds duration) {
  return mayEndEarly(config) ? kEarlyJoining : duration / 4;
}

void endSharingEarly(const TestConfig& config, const Incast& incast, bench::TrialSpec& spec) {
  if (!mayEndEarly(config)) return;
  spec.early_end = earlyEnd(bench::WatchedFigure::kGoodput, 0);
  spec.early_end->from = incast.join_at;
  spec.early_end->not_before = kMinIncastTime;
}

double sharingHops(const TestConfig& config, const Incast& incast) {
  if (!mayEndEarly(config)) return incastHops(config, incast);
  Incast expected = incast;
  expected.until = kMinIncastTime;
  return incastHops(config, expected);
}

Picoseconds sendersEnd(const Incast& incast, const bench::TrialResult& trial) {
  return trial.early_end ? std::min(incast.until, trial.early_end->end) : incast.until;
}

std::vector<std::uint32_t> senderSweep(const TestConfig& config, Numbers& numbers,
                                       const std::vector<std::uint32_t>& standard,
                                       const std::vector<std::uint32_t>& quick) {
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  return numbers.sweep<std::uint32_t>("Senders", standard, quick,
                                      config.scenario.parameters.incast_ratios,
                                      [hosts](std::uint32_t n) { return n + 3 <= hosts; });
}

double incastGoodputPercent(const TestConfig& config, const Incast& incast,
                            const bench::TrialResult& trial) {
  const auto line = static_cast<double>(config.scenario.topology.link_rate.bitsPerSecond());
  if (incast.until > Picoseconds(0)) {
    const bench::Samples& samples = *trial.fabric->samples;
    const auto count = std::min<std::size_t>(
        static_cast<std::size_t>(sendersEnd(incast, trial) / samples.interval),
        samples.samples.size());
    if (count == 0) return kNotMeasured;
    const auto& received = samples.samples[count - 1].received;
    const double bytes = std::accumulate(received.begin(), received.end(), 0.0);
    const Picoseconds span = samples.interval * static_cast<std::int64_t>(count);
    return 100 * 8 * bytes / span.toSeconds() / line;
  }
  // When the last job of the incast was done; all begin at once.
  Picoseconds end;
  double bits = 0;
  for (const bench::JobOutcome& job : trial.fabric->jobs) {
    if (job.name == kVictim) continue;
    if (!job.finished) return kNotMeasured;
    end = std::max(end, job.completion);
    bits += 8.0 * static_cast<double>(job.bytes_arrived);
  }
  if (end <= Picoseconds(0)) return kNotMeasured;
  return 100 * bits / end.toSeconds() / line;
}

Picoseconds sharingSampling(const TestConfig& config, const Incast& incast) {
  constexpr Bytes kFullFrame{4178};
  constexpr std::int64_t kPackets = 40;
  constexpr Picoseconds kShortestWindow = microseconds(100);
  constexpr std::int64_t kMaxNumbers = 2'000'000;
  const std::int64_t flows = std::int64_t{incast.senders} * incast.flows;
  const Picoseconds packets =
      frameSlot(kFullFrame, config.scenario.topology.link_rate) * (flows * kPackets);
  return std::max(std::max(packets, kShortestWindow) / std::int64_t{ConvergenceRule().window},
                  incast.until / (kMaxNumbers / flows));
}

Convergence joiningConvergence(const Incast& incast, const bench::TrialResult& trial) {
  const SharingSpan span{.flows = std::size_t{incast.senders} * incast.flows,
                         .from = incast.join_at,
                         .until = sendersEnd(incast, trial)};
  return convergenceOf(*trial.fabric->samples, span);
}

std::vector<Figure> convergenceFigures(const TestConfig& config, const Design& design,
                                       std::vector<Incast> incasts, ResultBuilder& builder) {
  constexpr ConvergenceRule kRule;
  std::vector<bool> unseen;
  for (std::size_t i = 0; i < incasts.size(); ++i) {
    const Incast& incast = incasts[i];
    if (isSingleFlow(incast)) {
      unseen.push_back(true);
      builder.anomaly("convergence not observed: a single flow shares the link with no other",
                      design.points[i].label);
      continue;
    }
    const Picoseconds window = sharingSampling(config, incast) * std::int64_t{kRule.window};
    const Picoseconds held = window * std::int64_t{kRule.windows_held};
    unseen.push_back(incast.until - incast.join_at < held);
    if (!unseen.back()) continue;
    builder.anomaly(
        fmt::format("convergence not observed: senders stop {} after the joining, and flows must "
                    "share fairly for {} rate windows of {}",
                    roundedTimeText(incast.until - incast.join_at), kRule.windows_held,
                    roundedTimeText(window)),
        design.points[i].label);
  }
  const auto all = std::make_shared<const std::vector<Incast>>(std::move(incasts));
  return {{.column = "Convergence",
           .unit = "us",
           .kpi = "convergence_us",
           .of = [all](std::size_t i, const bench::TrialResult& trial) -> std::optional<Reading> {
             const auto settled = joiningConvergence((*all)[i], trial).settled;
             if (!settled) return std::nullopt;
             return within(settled->toMicroseconds(),
                           trial.fabric->samples->interval.toMicroseconds(), "sample interval:");
           },
           .absent = "never converged",
           .fails_limits = true,
           .hidden = [unseen = std::move(unseen)](std::size_t i) { return unseen[i]; }},
          {.column = "Fair time",
           .unit = "%",
           .kpi = "",
           .of = [all](std::size_t i, const bench::TrialResult& trial) -> std::optional<double> {
             if (isSingleFlow((*all)[i])) return std::nullopt;
             const auto share = joiningConvergence((*all)[i], trial).fair_share_of_windows;
             return share ? std::optional(100 * *share) : std::nullopt;
           }},
          {.column = "Rate window",
           .unit = "us",
           .kpi = "",
           .of = [](std::size_t, const bench::TrialResult& trial) {
             const Picoseconds interval = trial.fabric->samples->interval;
             return (interval * std::int64_t{ConvergenceRule().window}).toMicroseconds();
           }}};
}

}  // namespace plumbline::suite
