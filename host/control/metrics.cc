#include "control/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <utility>
#include <vector>

#include "control/live_metrics.h"

namespace plumbline::control {

class Metrics::Impl {
 public:
  prometheus::Gauge& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
  }
  prometheus::Counter& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add({});
  }

  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests = prometheus::BuildCounter()
                                                          .Name("plumbline_http_requests_total")
                                                          .Help("Requests answered, by status")
                                                          .Register(registry);
  prometheus::Gauge& connections = gauge("plumbline_connections", "Open connections");
  prometheus::Gauge& runs = gauge("plumbline_runs_active", "Runs in hand");
  prometheus::Gauge& clients = gauge("plumbline_live_clients", "Clients of the live stream");
  prometheus::Gauge& bytes = gauge("plumbline_live_kept_bytes", "Live messages kept for clients");
  prometheus::Gauge& taken = gauge("plumbline_ports_taken", "Ports reserved or in use by a run");
  prometheus::Gauge& ports = gauge("plumbline_ports", "Ports");
  prometheus::Counter& intervals =
      counter("plumbline_live_intervals_total", "Live intervals published");
  prometheus::Counter& lost = counter("plumbline_live_intervals_lost_total",
                                      "Intervals that clients did not get, summed over clients");
  // A family without members is not shown.
  prometheus::Family<prometheus::Gauge>& clock =
      family("plumbline_clock_offset_seconds",
             "What this clock shows more than that of the controller of the latest common start");
  prometheus::Family<prometheus::Gauge>& clock_uncertainty =
      family("plumbline_clock_offset_uncertainty_seconds", "How far from it the truth may be");
  LiveMetrics live;
  std::mutex scraping;

 private:
  prometheus::Family<prometheus::Gauge>& family(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

LiveListener& Metrics::liveListener() { return impl_->live; }

void Metrics::countRequest(int status) {
  impl_->requests.Add({{"status", std::to_string(status)}}).Increment();
}

void Metrics::connectionOpened() { impl_->connections.Increment(); }
void Metrics::connectionClosed() { impl_->connections.Decrement(); }

void Metrics::clockFound(std::int64_t offset_ns, std::int64_t uncertainty_ns) {
  impl_->clock.Add({}).Set(static_cast<double>(offset_ns) / 1e9);
  impl_->clock_uncertainty.Add({}).Set(static_cast<double>(uncertainty_ns) / 1e9);
}

std::string Metrics::text(const Levels& levels) {
  const std::scoped_lock lock(impl_->scraping);
  const auto set = [](prometheus::Gauge& gauge, std::uint64_t value) {
    gauge.Set(static_cast<double>(value));
  };
  // The hub has the counts; only the increase since the previous scrape is added.
  const auto raise = [](prometheus::Counter& counter, std::uint64_t value) {
    counter.Increment(static_cast<double>(value) - counter.Value());
  };
  set(impl_->runs, levels.runs_active);
  set(impl_->clients, levels.live_clients);
  set(impl_->bytes, levels.live_bytes);
  set(impl_->taken, levels.ports_reserved);
  set(impl_->ports, levels.ports);
  raise(impl_->intervals, levels.live_intervals);
  raise(impl_->lost, levels.live_intervals_lost);
  std::vector<prometheus::MetricFamily> families = impl_->registry.Collect();
  for (prometheus::MetricFamily& family : impl_->live.collect()) {
    families.push_back(std::move(family));
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace plumbline::control
