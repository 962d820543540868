#include "suite/inference/transfers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/sim/sim_hosts.h"
#include "kpi/kpi.h"
#include "suite/framework/early_end.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/wire_bytes.h"

namespace plumbline::suite {
namespace {

std::optional<Reading> quantileIn(const stats::Histogram& times, double q) {
  if (times.count() == 0) return std::nullopt;
  return quantileMicroseconds(times, q);
}

using TimesOf = const stats::Histogram& (*)(const bench::TrialResult& trial, std::size_t job);

const stats::Histogram& acknowledgedTimes(const bench::TrialResult& trial, std::size_t job) {
  return trial.fabric->jobs.at(job).message_time;
}

Figure quantileFigure(const char* column, std::string kpi, TimesOf times, std::size_t job,
                      double q) {
  return {.column = column,
          .unit = "us",
          .kpi = std::move(kpi),
          .of = [times, job, q](std::size_t, const bench::TrialResult& trial) {
            return quantileIn(times(trial, job), q);
          }};
}

}  // namespace

std::int64_t packetsOf(Bytes message) {
  const std::int64_t payload = kPacketPayload.count();
  return std::max<std::int64_t>((message.count() + payload - 1) / payload, 1);
}

Picoseconds wireTimeOf(Bytes message, BitRate rate) {
  return frameSlot(kPacketFrame, rate) * packetsOf(message) + serializationTime(kReth, rate);
}

double payloadCeiling(const bench::TransportSpec& transport, BitRate rate) {
  return payloadShareOf(transport) * static_cast<double>(rate.bitsPerSecond()) / 8e9;
}

void labelDut(DutLabel label, Numbers& numbers) {
  const auto text = [label] {
    switch (label) {
      case DutLabel::kSwitch:
        return "DUT-S: one leaf switch, simulated";
      case DutLabel::kNic:
        return "DUT-N: NIC and transport of the endpoints";
      case DutLabel::kPath:
        return "DUT-PD: memory to memory; the fabric between the NICs simulated, the rest modelled "
               "from rates";
      case DutLabel::kSystem:
        return "SUT-E: the fabric packet by packet, a serving model above it";
      case DutLabel::kFabric:
        break;
    }
    return "DUT-F: the fabric from NIC to NIC, with simulated NICs";
  };
  numbers.configure("DUT label", text());
}

void lengthOfTrial(const std::string& what, Picoseconds standard, Numbers& numbers) {
  numbers.configure("Duration", what);
  numbers.deviation(fmt::format("Duration: {} instead of {}", what, valueText(standard)));
}

workload::JobSpec transferJob(std::string name, const std::vector<Transfer>& transfers,
                              Bytes message) {
  workload::JobSpec job;
  job.name = std::move(name);
  job.placement.rule = workload::PlacementRule::kExplicit;
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kExplicit;
  program.bytes = static_cast<std::uint64_t>(message.count());
  program.arrival_times = true;
  auto& hosts = job.placement.hosts;
  const auto rankOf = [&hosts](workload::HostId host) {
    const auto known = std::find(hosts.begin(), hosts.end(), host);
    const auto rank = static_cast<workload::Rank>(known - hosts.begin());
    if (known == hosts.end()) hosts.push_back(host);
    return rank;
  };
  for (const Transfer& one : transfers) {
    const workload::Rank from = rankOf(one.from);
    program.pairs.emplace_back(from, rankOf(one.to));
  }
  job.program = std::move(program);
  return job;
}

workload::MessageProgram& programOf(workload::JobSpec& job) {
  return std::get<workload::MessageProgram>(job.program);
}

workload::JobSpec dispatchJob(std::vector<workload::HostId> hosts, Bytes message,
                              std::uint32_t iterations) {
  workload::CollectiveSpec dispatch;
  dispatch.kind = workload::CollectiveKind::kAllToAll;
  dispatch.algorithm = workload::Algorithm::kLinearShift;
  dispatch.bytes = static_cast<std::uint64_t>(message.count()) * hosts.size();
  workload::TrainingProgram program;
  program.iterations = iterations;
  program.collectives = {dispatch};
  workload::JobSpec job;
  job.name = "ep";
  job.placement.rule = workload::PlacementRule::kExplicit;
  job.placement.hosts = std::move(hosts);
  job.first_flow = 1;
  job.program = std::move(program);
  return job;
}

std::optional<std::string> unacknowledgedRefusal(const TestConfig& config) {
  bench::TrialSpec spec;
  spec.transport = config.scenario.transport;
  if (bench::acknowledgesMessages(spec)) return std::nullopt;
  return "transfers of KV cache need a transport that acknowledges: transport.service (RC, or UET "
         "RUD, ROD or RUDI)";
}

std::optional<std::string> mixedLeavesRefusal(const fabric::TopologySpec& topology) {
  if (topology.kind == fabric::TopologyKind::kClos2 && topology.hosts_per_leaf % 2 == 0 &&
      topology.leaves >= 2) {
    return std::nullopt;
  }
  return "every leaf has prefill and decode hosts: a two-tier Clos of two leaves at least with an "
         "even number of hosts on each";
}

const stats::Histogram& arrivalTimes(const bench::TrialResult& trial, std::size_t job) {
  return trial.fabric->jobs.at(job).arrival_time.value();
}

std::vector<Figure> kvTransferTimes(std::size_t job) {
  const auto at = [job](const char* column, const char* what, double q) {
    return quantileFigure(column, fmt::format("kv_transfer_{}_us", what), &arrivalTimes, job, q);
  };
  std::vector<Figure> figures;
  figures.push_back(at("Min", "min", 0));
  figures.push_back(
      {.column = "Mean",
       .unit = "us",
       .kpi = "kv_transfer_mean_us",
       .of = [job](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
         const stats::Histogram& times = arrivalTimes(trial, job);
         if (times.count() == 0) return std::nullopt;
         return times.mean() / 1e6;
       }});
  figures.push_back(at("P50", "p50", 0.5));
  figures.push_back(at("P95", "p95", 0.95));
  figures.push_back(at("P99", "p99", 0.99));
  figures.back().primary = true;
  figures.push_back(at("P99.9", "p999", 0.999));
  figures.push_back(at("Max", "max", 1));
  figures.push_back(
      {.column = "P99 − P50",
       .unit = "us",
       .kpi = "kv_transfer_p99_less_p50_us",
       .of = [job](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
         const auto p99 = quantileIn(arrivalTimes(trial, job), 0.99);
         const auto p50 = quantileIn(arrivalTimes(trial, job), 0.5);
         if (!p99 || !p50) return std::nullopt;
         Reading spread = *p99;
         spread.value -= p50->value;
         // Both are in the middle of a bucket.
         spread.width = std::hypot(p99->width, p50->width);
         return spread;
       }});
  return figures;
}

std::vector<Figure> completionTimes(std::size_t job) {
  return {
      quantileFigure("Acknowledged P50", "kv_completion_p50_us", &acknowledgedTimes, job, 0.5),
      quantileFigure("Acknowledged P99", "kv_completion_p99_us", &acknowledgedTimes, job, 0.99)};
}

std::vector<std::string> transferTimeKpis() {
  return with(kpi::statistics("kv_transfer", "us"),
              {"kv_transfer_p99_less_p50_us", "kv_completion_p50_us", "kv_completion_p99_us"});
}

Reading kvGigabytesPerSecond(const bench::TrialResult& trial) {
  return withBatches(trial, goodputGbps(trial) / 8);
}

double shareOfLinks(const TestConfig& config, const bench::TrialResult& trial,
                    std::uint32_t senders) {
  return 100 * goodputGbps(trial) /
         (config.scenario.topology.link_rate.toGigabitsPerSecond() * senders);
}

double hostLinkPercent(const bench::TrialResult& trial) {
  double busiest = kNotMeasured;
  for (const bench::LinkLoad& link : trial.fabric->links) {
    if (link.between_switches) continue;
    busiest = std::fmax(busiest, 100 * link.utilisation);
  }
  return busiest;
}

void addTransferDistributions(const Design& design, const std::vector<Measured>& measured,
                              std::size_t job, ResultBuilder& builder) {
  for (const Measured& one : measured) {
    stats::Histogram all;
    for (const bench::TrialResult& trial : one.trials) all.merge(arrivalTimes(trial, job));
    if (all.count() == 0) continue;
    builder.result().distributions.push_back({fmt::format("transfer_{}", placeOf(design, one)),
                                              one.point.label + ": time of a transfer", "ps",
                                              ObservationPoint::kModelled, std::move(all)});
  }
}

}  // namespace plumbline::suite
