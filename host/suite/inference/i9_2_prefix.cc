// I9.2 Prefix-aware routing (inference draft, section 9.2).
//
// A share P of the requests begins with one of a few common prefixes of L tokens; P and L are
// swept. Each pair runs without a prefix cache, with one and round robin, with one and prefix-aware
// routing, and again while every page is sent, including those that the decode worker has.
// Arrivals, prompts and answers are the same in all four. Reported: prompt tokens found in
// prefill's cache, KV cache per request, TTFT, tokens per second; and the gain of each over no
// cache. The ceiling of the hit share is computed from the prompts:
//   P * sum(min(floor(L / page), floor((prompt - 1) / page)) * page) / sum(prompt).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "suite/inference/inference.h"
#include "suite/inference/steady_load.h"

namespace plumbline::suite {
namespace {

using serving::RequestRecord;
using serving::RouterPolicy;

struct PrefixCondition {
  const char* name;
  bool cache;
  bool aware;    // of prefixes, in routing
  bool missing;  // pages that decode has are not sent
};
constexpr std::array<PrefixCondition, 4> kPrefixConditions{
    {{"no cache", false, false, false},
     {"cache, round robin", true, false, true},
     {"cache, prefix-aware, all pages sent", true, true, false},
     {"cache, prefix-aware", true, true, true}}};
constexpr std::size_t kPrefixAware = 3;  // the configuration in heat maps

RouterPolicy awareOfPrefixes(RouterPolicy own) {
  const bool aware = own == RouterPolicy::kKvAware || own == RouterPolicy::kCongestionAware;
  return aware ? own : RouterPolicy::kPrefixAware;
}

// Tokens of a prompt that other requests with the same prefix can find.
std::uint64_t sharedTokens(std::uint64_t prompt, std::uint64_t prefix, std::uint64_t page) {
  return std::min(prefix, prompt - 1) / page * page;
}

bool reachedDecode(const RequestRecord& record) { return record.decode_start != serving::kNever; }

// Mean bytes of KV cache of a measured request that came to decode.
std::optional<Reading> bytesPerRequest(const serving::ServingResult& result) {
  double bytes = 0;
  double requests = 0;
  for (const RequestRecord& record : result.requests) {
    if (!record.measured || !reachedDecode(record)) continue;
    bytes += static_cast<double>(record.bytes);
    ++requests;
  }
  if (requests == 0) return std::nullopt;
  return Reading(bytes / requests);
}

// Share of prompt tokens, of the measured requests that prefill began with [%].
template <typename Tokens>
std::optional<Reading> promptTokenShare(const serving::ServingResult& result,
                                        const Tokens& tokens) {
  double found = 0;
  double all = 0;
  for (const RequestRecord& record : result.requests) {
    if (!record.measured || record.prefill_start == serving::kNever) continue;
    found += static_cast<double>(tokens(record));
    all += record.prompt;
  }
  if (all == 0) return std::nullopt;
  return Reading(100 * found / all);
}

std::vector<std::string> prefixLoadKpis() {
  return {"ttft_mean_ms", "ttft_p99_ms", "output_tokens_per_s", "requests_not_done"};
}

class PrefixProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I9.2"; }
  [[nodiscard]] std::string title() const override { return "Prefix-aware routing"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(prefixLoadKpis(), {"prefix_hit_percent", "kv_request_bytes", "kv_saved_percent",
                                   "ttft_reduction_ms", "output_gain_percent", "evictions_per_s"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 9.2"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

Design PrefixProcedure::design(const TestConfig& config) const {
  Design design(config);
  configureServing(config, design);
  design.axes = {{"Share", ""}, {"Prefix", "tokens"}, {"Cache", ""}};
  design.repetitions = design.numbers.repetitions(3, 1);
  const scenario::Parameters& own = config.scenario.parameters;
  serving::ServingProgram program = servingSection(config).program;
  serving::WorkloadSpec defaults = defaultLoad(config);
  defaults.prompt = {};
  defaults.prompt.low = design.numbers.isStandard() ? 4096 : 640;
  defaults.arrivals.rate = design.numbers.isStandard() ? 10 : 40;
  program.workload = loadOr(config, defaults);
  program.system.window = steadyWindow(config, design.numbers);
  serving::PrefixSpec& prefix = program.workload.prefix;
  design.numbers.configure("Common prefixes", fmt::format("{}, prefix g with probability ~ g^-{:g}",
                                                          prefix.groups, prefix.alpha));
  design.numbers.configure("Capacity", fmt::format("{:.3g} requests/s of this load at most without "
                                                   "a cache",
                                                   requestCapacity(program)));
  const serving::RouterSpec router = program.system.router;
  const double mean = serving::meanPrompt(program.workload);
  const std::uint32_t page = program.system.scheduler.page;
  const std::vector<Fraction> draft_shares{Fraction::percent(25), Fraction::percent(50),
                                           Fraction::percent(75), Fraction::percent(90)};
  const auto shares = design.numbers.sweep<Fraction>(
      "Shares", draft_shares, {Fraction::percent(50), Fraction::percent(90)}, own.prefix_shares);
  const auto lengths = design.numbers.sweep<std::uint32_t>("Prefixes", {256, 512, 1024, 2048},
                                                           {256, 512}, own.prefixes);
  for (const Fraction share : shares) {
    for (const std::uint32_t tokens : lengths) {
      prefix.share = share.toDouble();
      prefix.tokens = tokens;
      for (const PrefixCondition& condition : kPrefixConditions) {
        serving::ServingSpec& system = program.system;
        system.scheduler.prefix_cache = condition.cache;
        system.transfer.missing_only = condition.missing;
        const auto policy = [&](RouterPolicy of) {
          return condition.aware ? awareOfPrefixes(of) : RouterPolicy::kRoundRobin;
        };
        system.router.prefill = policy(router.prefill);
        system.router.decode = policy(router.decode);
        addSteadyPoint(config, design, {valueText(share), valueText(tokens), condition.name},
                       program);
        if (!design.refusals.empty()) return design;
        if (!condition.missing) continue;
        const std::uint32_t max = tokens / page * page;
        design.points.back().packet_hops *= 1 - prefix.share * std::min(1.0, max / mean);
      }
    }
  }
  return design;
}

void PrefixProcedure::report(const TestConfig& config, const Design& design,
                             const std::vector<Measured>& measured, ResultBuilder& builder) const {
  using Metrics = serving::ServingMetrics;
  using Result = serving::ServingResult;
  const serving::SloSpec& slo = servingSection(config).slo;
  const std::uint32_t page = servingSection(config).program.system.scheduler.page;
  const std::vector<Figure> all = servingFigures(slo);
  const Figure hit = servingFigure(
      "Token hit share", "%", "prefix_hit_percent", slo, [](const Metrics&, const Result& result) {
        return promptTokenShare(result, [](const RequestRecord& record) { return record.cached; });
      });
  const Figure ceiling{
      .column = "Ceiling of the hit share",
      .unit = "%",
      .kpi = {},
      .of = [&design, page](std::size_t point,
                            const bench::TrialResult& trial) -> std::optional<Reading> {
        const serving::ServingProgram& program = *design.points[point].spec.serving;
        if (!program.system.scheduler.prefix_cache) return Reading(0);
        const serving::PrefixSpec& prefix = program.workload.prefix;
        return promptTokenShare(*trial.serving, [&](const RequestRecord& record) {
          return prefix.share *
                 static_cast<double>(sharedTokens(record.prompt, prefix.tokens, page));
        });
      }};
  const Figure bytes =
      servingFigure("KV cache per request", "B", "kv_request_bytes", slo,
                    [](const Metrics&, const Result& result) { return bytesPerRequest(result); });
  const Figure ttft = chosen(all, {"ttft_mean_ms"}).front();
  const Figure tokens = chosen(all, {"output_tokens_per_s"}).front();
  // Against the same repetition without a cache.
  const auto against = [&](const char* column, const char* unit, const char* kpi, const Figure& of,
                           double (*gain)(double without, double with)) {
    Figure figure{.column = column, .unit = unit, .kpi = kpi};
    figure.absent = "not reached";
    figure.fails_limits = true;
    figure.baseline = [](std::size_t point) { return point % kPrefixConditions.size() == 0; };
    figure.paired = [&design, &measured, of, gain](
                        std::size_t point, std::size_t repetition,
                        const bench::TrialResult& trial) -> std::optional<Reading> {
      const SweepPoint* base = &design.points[point - point % kPrefixConditions.size()];
      const auto without = std::find_if(measured.begin(), measured.end(),
                                        [&](const Measured& one) { return &one.point == base; });
      if (without == measured.end() || repetition >= without->trials.size()) return std::nullopt;
      const auto before = of.of(point, without->trials[repetition]);
      const auto after = of.of(point, trial);
      if (!before || !after || before->value <= 0) return std::nullopt;
      return Reading(gain(before->value, after->value));
    };
    return figure;
  };
  Figure saved =
      against("KV saved", "%", "kv_saved_percent", bytes,
              [](double without, double with) { return 100 * (without - with) / without; });
  const Figure reduction = against("TTFT reduction", "ms", "ttft_reduction_ms", ttft,
                                   [](double without, double with) { return without - with; });
  const Figure gain =
      against("TPS gain", "%", "output_gain_percent", tokens,
              [](double without, double with) { return 100 * (with - without) / without; });
  saved.primary = true;
  std::vector<Figure> figures{hit, ceiling, bytes, saved, reduction, gain};
  append(figures, chosen(all, prefixLoadKpis()));
  append(figures, chosen(memoryFigures(slo), {"evictions_per_s"}));
  addSteadyTable(
      design, measured, figures,
      {"prefixes",
       "Common prefixes of requests",
       std::string(kServingNote) +
           " The hit share is of the prompt tokens of measured requests; its ceiling has every "
           "prefix in every cache. KV saved, TTFT reduction and TPS gain are over the same load "
           "without a cache. Hits of prefill save its time; the fabric carries less only where "
           "pages that decode has are not sent.",
       {},
       {}},
      builder);
  for (const Figure& figure : {reduction, saved}) {
    results::HeatMap map;
    map.id = figure.kpi;
    map.title = fmt::format("{}, {}", figure.column, kPrefixConditions[kPrefixAware].name);
    map.row_label = "Share of the requests";
    map.column_label = "Prefix [tokens]";
    map.value_label = fmt::format("{} [{}]", figure.column, figure.unit);
    for (const Measured& one : measured) {
      if (placeOf(design, one) % kPrefixConditions.size() != kPrefixAware) continue;
      const auto place = [](std::vector<std::string>& names, const std::string& name) {
        const auto known = std::find(names.begin(), names.end(), name);
        const auto at = static_cast<std::size_t>(known - names.begin());
        if (known == names.end()) names.push_back(name);
        return at;
      };
      const std::size_t row = place(map.rows, one.point.values[0]);
      const std::size_t column = place(map.columns, one.point.values[1]);
      map.values.resize(map.rows.size());
      for (auto& values : map.values) values.resize(map.columns.size());
      const auto mean = meanOf(design, one, figure);
      if (mean) map.values[row][column] = mean->value;
    }
    builder.result().heat_maps.push_back(std::move(map));
  }
}

}  // namespace

const Procedure& prefixProcedure() {
  static const PrefixProcedure test;
  return test;
}

}  // namespace plumbline::suite
