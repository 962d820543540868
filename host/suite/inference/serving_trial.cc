#include "suite/inference/serving_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/counted.h"
#include "fabric/topology/topology.h"
#include "serving/mapping.h"
#include "serving/model_profile.h"
#include "serving/workload.h"
#include "suite/inference/transfers.h"

namespace plumbline::suite {
namespace {

using serving::Stage;

constexpr double kMsPerSecond = 1e3;

std::vector<std::string> namesOf(const std::vector<Figure>& figures) {
  std::vector<std::string> names;
  for (const Figure& one : figures) {
    if (!one.kpi.empty()) names.push_back(one.kpi);
  }
  return names;
}

std::size_t placeOf(Stage stage) { return static_cast<std::size_t>(stage); }

// Mean of one stage up to the first token [s]; absent where a request had none, as the TTFT's mean
// is: those that had one are the faster ones.
std::optional<double> partMean(const serving::ServingMetrics& metrics, Stage stage) {
  if (metrics.ttft.not_reached > 0) return std::nullopt;
  return metrics.ttft_parts[placeOf(stage)];
}

Figure partFigure(std::string column, std::string kpi, const serving::SloSpec& slo, Stage stage) {
  return servingFigure(
      std::move(column), "ms", std::move(kpi), slo,
      [stage](const serving::ServingMetrics& metrics, const serving::ServingResult&) {
        return inMilliseconds(partMean(metrics, stage));
      });
}

std::string poolText(const serving::PoolShape& pool) {
  std::string text = fmt::format("{} x TP {}", pool.workers, pool.tp);
  if (pool.dp_attention > 1) text += fmt::format(", DP attention {}", pool.dp_attention);
  return text;
}

}  // namespace

const scenario::ServingSection& servingSection(const TestConfig& config) {
  static const scenario::ServingSection kDefault;
  return config.scenario.serving ? *config.scenario.serving : kDefault;
}

std::vector<std::uint32_t> servingHosts(const TestConfig& config,
                                        const serving::ServingProgram& program) {
  const fabric::TopologySpec& topology = config.scenario.topology;
  if (!program.hosts.empty() || topology.kind != fabric::TopologyKind::kPools) {
    return program.hosts;
  }
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const std::uint32_t prefill = mapping.prefillServers() * program.system.servers.nics;
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t nic = 0; nic < mapping.nics(); ++nic) {
    const std::uint32_t decode_host =
        topology.prefill_leaves * topology.hosts_per_leaf + (nic - prefill);
    hosts.push_back(nic < prefill ? nic : decode_host);
  }
  return hosts;
}

bench::TrialSpec servingTrial(const TestConfig& config, serving::ServingProgram program) {
  bench::TrialSpec spec = emptyTrial(config);
  spec.workload.reset();
  spec.transport = transportOr(config, defaultRoce());
  program.system.seed = config.scenario.seed;
  program.slo = servingSection(config).slo;
  program.hosts = servingHosts(config, program);
  spec.serving = std::move(program);
  return spec;
}

std::optional<std::string> servingRefusal(const TestConfig& config,
                                          const serving::ServingProgram& program) {
  const std::uint32_t nics = serving::Mapping(program.system.servers, program.system.model).nics();
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  const std::vector<std::uint32_t> placed = servingHosts(config, program);
  const bool fits = std::all_of(placed.begin(), placed.end(),
                                [hosts](std::uint32_t host) { return host < hosts; });
  const std::uint32_t prefill =
      serving::Mapping(program.system.servers, program.system.model).prefillServers() *
      program.system.servers.nics;
  const fabric::TopologySpec& topology = config.scenario.topology;
  const bool pools = topology.kind == fabric::TopologyKind::kPools && program.hosts.empty();
  const std::uint32_t prefill_hosts = topology.prefill_leaves * topology.hosts_per_leaf;
  if (pools && (prefill > prefill_hosts || !fits)) {
    return fmt::format(
        "the serving system has {} prefill and {} decode NICs, and the topology's pools {} and {} "
        "hosts",
        prefill, nics - prefill, prefill_hosts, hosts - prefill_hosts);
  }
  if (nics <= hosts && fits) return std::nullopt;
  return fmt::format(
      "the serving system has {} and the topology {}: fewer servers or NICs "
      "(serving.servers), or a larger topology",
      counted(nics, "NIC"), counted(hosts, "host"));
}

serving::MappingLoad requestLoad(const serving::ServingProgram& program, std::uint64_t tokens) {
  const serving::Mapping mapping(program.system.servers, program.system.model);
  return serving::mappingLoad(mapping.flows({0, 0}, {0, 0}, 0),
                              serving::kvBytesPerToken(program.system.model), tokens);
}

double servingHops(const TestConfig& config, const serving::ServingProgram& program,
                   double requests) {
  const double prompt = serving::meanPrompt(program.workload);
  const auto bytes = static_cast<double>(requestLoad(program, 1).bytes);
  return payloadHops(config, requests * prompt * bytes);
}

double receivingRate(const TestConfig& config, const serving::ServingProgram& program) {
  const fabric::Topology topology = fabric::buildTopology(config.scenario.topology);
  const serving::Mapping mapping(program.system.servers, program.system.model);
  const std::uint32_t decode = mapping.prefillServers() * program.system.servers.nics;
  double rate = 0;
  for (std::uint32_t nic = decode; nic < mapping.nics(); ++nic) {
    const std::uint32_t host = program.hosts.empty() ? nic : program.hosts.at(nic);
    const fabric::Node& node = topology.nodes()[topology.hosts().at(host)];
    rate += static_cast<double>(topology.links()[node.out_links.front()].rate.bitsPerSecond()) / 8;
  }
  return rate;
}

void configureServing(const TestConfig& config, Design& design) {
  configureModel(config, design);
  const serving::MappingSpec& servers = servingSection(config).program.system.servers;
  design.numbers.configure("Prefill pool", poolText(servers.prefill));
  design.numbers.configure("Decode pool", poolText(servers.decode));
}

void configureModel(const TestConfig& config, Design& design) {
  const scenario::ServingSection& section = servingSection(config);
  const serving::ServingSpec& system = section.program.system;
  const serving::MappingSpec& servers = system.servers;
  Numbers& numbers = design.numbers;
  labelDut(DutLabel::kSystem, numbers);
  numbers.configure("Model", fmt::format("{}, {:.3g} parameters, {} bytes of KV cache per token",
                                         system.model.name, serving::totalParameters(system.model),
                                         serving::kvBytesPerToken(system.model)));
  numbers.configure("Servers", fmt::format("{} ({}), {} each", counted(servers.gpus, "accelerator"),
                                           system.accelerator.name, counted(servers.nics, "NIC")));
  numbers.configure("Framework", fmt::format("Plumbline serving model, step times \"{}\"",
                                             system.times ? "table" : system.efficiency.name));
  const auto limit = [](const std::optional<Picoseconds>& time) {
    return time ? valueText(*time) : std::string("none");
  };
  numbers.configure("Limits of goodput",
                    fmt::format("TTFT {}, mean time per further token {}, longest gap {}",
                                limit(section.slo.ttft), limit(section.slo.tpot),
                                limit(section.slo.longest_gap)));
  const serving::SloSpec draft;
  if (section.slo.ttft != draft.ttft || section.slo.tpot != draft.tpot) {
    numbers.deviation(fmt::format(
        "Limits of goodput: TTFT {} and mean time per further token {} instead of {} and {}",
        limit(section.slo.ttft), limit(section.slo.tpot), limit(draft.ttft), limit(draft.tpot)));
  }
}

Figure servingFigure(std::string column, std::string unit, std::string kpi,
                     const serving::SloSpec& slo, OfServing of) {
  Figure figure{.column = std::move(column), .unit = std::move(unit), .kpi = std::move(kpi)};
  figure.of = [slo, of = std::move(of)](std::size_t,
                                        const bench::TrialResult& trial) -> std::optional<Reading> {
    if (!trial.serving) return std::nullopt;
    return of(serving::metricsOf(*trial.serving, slo), *trial.serving);
  };
  figure.absent = "not reached";
  figure.fails_limits = !figure.kpi.empty();
  return figure;
}

std::optional<Reading> inMilliseconds(std::optional<double> seconds) {
  if (!seconds) return std::nullopt;
  return Reading(*seconds * kMsPerSecond);
}

std::optional<Reading> percentileMs(const serving::Distribution& distribution, double quantile) {
  const serving::Percentile* found = &distribution.p50;
  if (quantile >= 0.999) {
    found = &distribution.p999;
  } else if (quantile >= 0.99) {
    found = &distribution.p99;
  } else if (quantile >= 0.95) {
    found = &distribution.p95;
  }
  if (!found->value) return std::nullopt;
  return quantileOf(*found->value * kMsPerSecond, quantile, distribution.count);
}

serving::Distribution transferTimes(const serving::ServingResult& result) {
  std::vector<double> times;
  std::uint64_t not_reached = 0;
  for (const serving::RequestRecord& record : result.requests) {
    if (!record.measured) continue;
    // The decode worker already had all pages.
    const bool nothing_sent = record.bytes == 0 && record.decode_start != serving::kNever;
    if (nothing_sent) continue;
    if (record.last_arrival == serving::kNever) {
      ++not_reached;
    } else {
      times.push_back((record.last_arrival - record.first_post).toSeconds());
    }
  }
  return serving::distribution(std::move(times), not_reached);
}

void addMainFigure(const Design& design, const std::vector<Measured>& measured,
                   const std::vector<Figure>& figures, ResultBuilder& builder) {
  const auto primary = std::find_if(figures.begin(), figures.end(),
                                    [](const Figure& figure) { return figure.primary; });
  if (primary == figures.end()) return;
  for (auto one = measured.rbegin(); one != measured.rend(); ++one) {
    auto mean = meanOf(design, *one, *primary);
    if (!mean) continue;
    std::string& summary = builder.result().summary;
    if (summary.empty()) {
      summary = fmt::format("{}: {} {}.", one->point.label, primary->column, builder.text(*mean));
    }
    builder.primary(primary->column + ", " + one->point.label, *std::move(mean));
    return;
  }
  std::string& summary = builder.result().summary;
  if (!summary.empty()) return;
  summary = measured.empty() ? "No point gave a valid result."
                             : primary->column + " was not reached at any point.";
}

std::vector<Figure> ttftFigures(const serving::SloSpec& slo) {
  using Metrics = serving::ServingMetrics;
  using Result = serving::ServingResult;
  const auto percentile = [&](const char* column, const char* kpi, double quantile) {
    return servingFigure(column, "ms", kpi, slo, [quantile](const Metrics& metrics, const Result&) {
      return percentileMs(metrics.ttft, quantile);
    });
  };
  Figure mean = servingFigure(
      "TTFT mean", "ms", "ttft_mean_ms", slo,
      [](const Metrics& metrics, const Result&) { return inMilliseconds(metrics.ttft.mean); });
  mean.primary = true;
  return {
      std::move(mean),
      percentile("TTFT P50", "ttft_p50_ms", 0.5),
      percentile("TTFT P95", "ttft_p95_ms", 0.95),
      percentile("TTFT P99", "ttft_p99_ms", 0.99),
      partFigure("Queue", "ttft_queue_ms", slo, Stage::kPrefillQueue),
      partFigure("Prefill", "ttft_prefill_ms", slo, Stage::kPrefill),
      partFigure("Transfer", "ttft_fabric_ms", slo, Stage::kTransfer),
      servingFigure("Decode init", "ms", "ttft_decode_init_ms", slo,
                    [](const Metrics& metrics, const Result&) -> std::optional<Reading> {
                      const auto queue = partMean(metrics, Stage::kDecodeQueue);
                      const auto step = partMean(metrics, Stage::kDecode);
                      if (!queue || !step) return std::nullopt;
                      return inMilliseconds(*queue + *step);
                    }),
      servingFigure("Fabric share", "%", "ttft_fabric_percent", slo,
                    [](const Metrics& metrics, const Result&) -> std::optional<Reading> {
                      const auto transfer = partMean(metrics, Stage::kTransfer);
                      if (!transfer || !metrics.ttft.mean || *metrics.ttft.mean <= 0) {
                        return std::nullopt;
                      }
                      return Reading(100 * *transfer / *metrics.ttft.mean);
                    }),
  };
}

std::vector<Figure> transferFigures(const serving::SloSpec& slo) {
  const auto percentile = [&](const char* column, const char* kpi, double quantile) {
    return servingFigure(
        column, "ms", kpi, slo,
        [quantile](const serving::ServingMetrics&, const serving::ServingResult& result) {
          return percentileMs(transferTimes(result), quantile);
        });
  };
  return {
      percentile("KV transfer P50", "request_transfer_p50_ms", 0.5),
      percentile("KV transfer P95", "request_transfer_p95_ms", 0.95),
      percentile("KV transfer P99", "request_transfer_p99_ms", 0.99),
      servingFigure("KV bandwidth", "GB/s", "kv_gigabytes_per_s", slo,
                    [](const serving::ServingMetrics&,
                       const serving::ServingResult& result) -> std::optional<Reading> {
                      double bytes = 0;
                      double time = 0;
                      for (const serving::RequestRecord& record : result.requests) {
                        if (!record.measured) continue;
                        // The transfers that were over may have been the faster ones.
                        if (record.first_post != serving::kNever &&
                            record.last_arrival == serving::kNever) {
                          return std::nullopt;
                        }
                        if (record.last_arrival == serving::kNever) continue;
                        bytes += static_cast<double>(record.bytes);
                        time += (record.last_arrival - record.first_post).toSeconds();
                      }
                      if (time <= 0) return std::nullopt;
                      return Reading(bytes / time * 1e-9);
                    }),
  };
}

bool hasNoGaps(const bench::TrialResult& trial) {
  return trial.serving && serving::onlySingleTokens(*trial.serving);
}

std::vector<Figure> tokenFigures(const serving::SloSpec& slo) {
  using Metrics = serving::ServingMetrics;
  using Result = serving::ServingResult;
  const auto of = [&](const char* column, const char* kpi, double quantile,
                      serving::Distribution Metrics::*member) {
    return servingFigure(column, "ms", kpi, slo,
                         [quantile, member](const Metrics& metrics, const Result&) {
                           return percentileMs(metrics.*member, quantile);
                         });
  };
  const auto ofGaps = [&](const char* column, const char* kpi, double quantile,
                          serving::Distribution Metrics::*member) {
    Figure figure = of(column, kpi, quantile, member);
    figure.moot = hasNoGaps;
    return figure;
  };
  return {
      ofGaps("ITL P50", "itl_p50_ms", 0.5, &Metrics::itl),
      ofGaps("ITL P95", "itl_p95_ms", 0.95, &Metrics::itl),
      ofGaps("ITL P99", "itl_p99_ms", 0.99, &Metrics::itl),
      ofGaps("TPOT P99", "tpot_p99_ms", 0.99, &Metrics::tpot),
      of("E2E P50", "e2e_p50_ms", 0.5, &Metrics::e2e),
      of("E2E P99", "e2e_p99_ms", 0.99, &Metrics::e2e),
  };
}

std::vector<Figure> throughputFigures(const serving::SloSpec& slo) {
  using Metrics = serving::ServingMetrics;
  using Result = serving::ServingResult;
  return {
      servingFigure("TPS output", "tokens/s", "output_tokens_per_s", slo,
                    [](const Metrics& metrics, const Result&) {
                      return std::optional<Reading>(metrics.tokens_per_second);
                    }),
      servingFigure("TPS input", "tokens/s", "input_tokens_per_s", slo,
                    [](const Metrics& metrics, const Result& result) -> std::optional<Reading> {
                      if (metrics.window <= 0) return std::nullopt;
                      double tokens = 0;
                      for (const serving::RequestRecord& record : result.requests) {
                        const bool counts =
                            record.measured && record.first_token != serving::kNever;
                        if (counts) tokens += record.prompt;
                      }
                      return Reading(tokens / metrics.window);
                    }),
      servingFigure("Goodput", "tokens/s", "goodput_tokens_per_s", slo,
                    [](const Metrics& metrics, const Result&) {
                      return std::optional<Reading>(metrics.goodput);
                    }),
      servingFigure("Goodput share", "%", "goodput_share_percent", slo,
                    [](const Metrics& metrics, const Result&) -> std::optional<Reading> {
                      if (!metrics.goodput_share) return std::nullopt;
                      return Reading(100 * *metrics.goodput_share);
                    }),
      servingFigure("Requests within limits", "%", "slo_percent", slo,
                    [](const Metrics& metrics, const Result&) -> std::optional<Reading> {
                      if (metrics.measured == 0) return std::nullopt;
                      return Reading(100 * static_cast<double>(metrics.within_slo) /
                                     static_cast<double>(metrics.measured));
                    }),
      servingFigure("Requests not done", "", "requests_not_done", slo,
                    [](const Metrics& metrics, const Result&) -> std::optional<Reading> {
                      if (metrics.measured == 0) return std::nullopt;  // none arrived
                      return Reading(static_cast<double>(metrics.measured - metrics.done));
                    }),
  };
}

std::vector<Figure> memoryFigures(const serving::SloSpec& slo) {
  using Metrics = serving::ServingMetrics;
  using Result = serving::ServingResult;
  // Of the whole run, warm-up and drain included.
  const auto rate = [&](const char* column, const char* unit, const char* kpi,
                        double (*count)(const Result&)) {
    return servingFigure(column, unit, kpi, slo,
                         [count](const Metrics&, const Result& result) -> std::optional<Reading> {
                           const double time = result.end.toSeconds();
                           if (time <= 0) return std::nullopt;
                           return Reading(count(result) / time);
                         });
  };
  return {
      rate("Evictions", "/s", "evictions_per_s",
           [](const Result& result) { return static_cast<double>(result.evictions); }),
      rate("Preemptions", "/s", "preemptions_per_s",
           [](const Result& result) {
             double all = 0;
             for (const serving::RequestRecord& record : result.requests) all += record.preemptions;
             return all;
           }),
      rate("KV sent again", "GB/s", "wasted_kv_gigabytes_per_s",
           [](const Result& result) { return static_cast<double>(result.resent_bytes) * 1e-9; }),
      rate("Prefill stalled", "%", "prefill_stalled_percent",
           [](const Result& result) {
             return 100 * result.prefill_stalled.toSeconds() /
                    static_cast<double>(result.prefill.size());
           }),
  };
}

void append(std::vector<Figure>& figures, std::vector<Figure> more) {
  figures.insert(figures.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

std::vector<Figure> chosen(std::vector<Figure> all, const std::vector<std::string>& kpis) {
  std::vector<Figure> kept;
  for (const std::string& kpi : kpis) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Figure& figure) { return figure.kpi == kpi; });
    if (found != all.end()) kept.push_back(*found);
  }
  return kept;
}

std::vector<Figure> servingFigures(const serving::SloSpec& slo) {
  std::vector<Figure> figures = ttftFigures(slo);
  append(figures, transferFigures(slo));
  append(figures, tokenFigures(slo));
  append(figures, throughputFigures(slo));
  return figures;
}

std::vector<std::string> memoryKpis() { return namesOf(memoryFigures({})); }
std::vector<std::string> ttftKpis() { return namesOf(ttftFigures({})); }
std::vector<std::string> transferKpis() { return namesOf(transferFigures({})); }
std::vector<std::string> tokenKpis() { return namesOf(tokenFigures({})); }
std::vector<std::string> throughputKpis() { return namesOf(throughputFigures({})); }

}  // namespace plumbline::suite
