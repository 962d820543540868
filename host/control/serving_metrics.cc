#include "control/serving_metrics.h"

#include <array>
#include <optional>

namespace plumbline::control {
namespace {

constexpr const char* kFromModel = " (modelled)";

std::uint64_t moreThan(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

MetricLabels labelsOf(const std::string& bench, const std::string& system) {
  MetricLabels labels = {{"bench", bench}};
  if (!system.empty()) labels.push_back({"system", system});
  return labels;
}

MetricLabels with(MetricLabels labels, const char* name, const std::string& value) {
  labels.push_back({name, value});
  return labels;
}

void addQuantiles(const char* name, const char* what, const MetricLabels& labels,
                  const std::array<std::optional<double>, 3>& seconds, MetricFamilies& families) {
  constexpr std::array kQuantiles = {"0.5", "0.95", "0.99"};
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (!seconds[i]) continue;
    families.gauge(name, what + std::string(kFromModel), with(labels, "quantile", kQuantiles[i]),
                   *seconds[i]);
  }
}

void addPool(const char* pool, const LiveServingPool& state, const MetricLabels& labels,
             MetricFamilies& families) {
  const MetricLabels of = with(labels, "pool", pool);
  const auto add = [&](const char* name, const char* help, std::optional<std::uint64_t> value) {
    if (value) families.gauge(name, help + std::string(kFromModel), of, *value);
  };
  add("plumbline_serving_requests_waiting", "Requests in the queues of the pool's workers",
      state.all.waiting);
  add("plumbline_serving_requests_running", "Requests that the pool's workers compute",
      state.all.running);
  add("plumbline_serving_kv_pages_used", "Pages of KV cache in use in the pool",
      state.all.pages_used);
  add("plumbline_serving_kv_pages", "Pages of KV cache that the pool has", state.all.pages);
}

}  // namespace

void ServingTotals::count(const LiveInterval& now, const LiveInterval& before) {
  for (const LiveServing& system : now.serving) {
    LiveServing old;
    for (const LiveServing& earlier : before.serving) {
      if (earlier.name == system.name) old = earlier;
    }
    Totals& totals = systems_[{now.bench, system.name}];
    totals.arrived += moreThan(system.arrived, old.arrived);
    totals.done += moreThan(system.done, old.done);
    totals.rejected += moreThan(system.rejected, old.rejected);
    totals.failed += moreThan(system.failed, old.failed);
    totals.tokens += moreThan(system.tokens, old.tokens);
    totals.within_limits += moreThan(system.within_limits, old.within_limits);
    totals.tokens_within_limits += moreThan(system.tokens_within_limits, old.tokens_within_limits);
  }
}

void ServingTotals::addTotals(MetricFamilies& families) const {
  for (const auto& [key, totals] : systems_) {
    const MetricLabels labels = labelsOf(key.first, key.second);
    const auto add = [&families, &labels](const char* name, const char* help, std::uint64_t value) {
      families.counter(name, help + std::string(kFromModel), labels, value);
    };
    add("plumbline_serving_requests_arrived_total", "Requests that arrived, warm-up included",
        totals.arrived);
    add("plumbline_serving_requests_done_total", "Requests answered in full", totals.done);
    add("plumbline_serving_requests_within_limits_total",
        "Requests answered in full within the limits of TTFT and ITL", totals.within_limits);
    add("plumbline_serving_requests_rejected_total",
        "Requests refused, since no worker has the KV cache for them", totals.rejected);
    add("plumbline_serving_requests_failed_total", "Requests that failed", totals.failed);
    add("plumbline_serving_tokens_total", "Output tokens", totals.tokens);
    add("plumbline_serving_tokens_within_limits_total",
        "Output tokens of requests within the limits", totals.tokens_within_limits);
  }
}

void addServingLevels(const LiveInterval& now, MetricFamilies& families) {
  for (const LiveServing& system : now.serving) {
    const MetricLabels labels =
        with(labelsOf(now.bench, system.name), "run", std::to_string(now.run));
    const auto add = [&](const char* name, const char* help, std::optional<std::uint64_t> value) {
      if (value) families.gauge(name, help + std::string(kFromModel), labels, *value);
    };
    add("plumbline_serving_requests_routing", "Requests on the way to a prefill worker",
        system.routing);
    add("plumbline_serving_requests_transferring", "Requests whose KV cache is being transferred",
        system.transferring);
    addPool("prefill", system.prefill, labels, families);
    addPool("decode", system.decode, labels, families);
    const LiveMeasured& measured = system.measured;
    addQuantiles("plumbline_serving_ttft_seconds",
                 "Time to first token of requests of the measuring window, so far", labels,
                 {measured.ttft_p50_s, measured.ttft_p95_s, measured.ttft_p99_s}, families);
    addQuantiles("plumbline_serving_itl_seconds",
                 "Time between tokens of requests of the measuring window, so far", labels,
                 {measured.itl_p50_s, measured.itl_p95_s, measured.itl_p99_s}, families);
  }
}

}  // namespace plumbline::control
