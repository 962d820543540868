#include "control/metric_families.h"

namespace plumbline::control {

using prometheus::ClientMetric;
using prometheus::MetricType;

void MetricFamilies::counter(const char* name, const std::string& help, MetricLabels labels,
                             double value) {
  add(name, help, MetricType::Counter, std::move(labels)).counter.value = value;
}

void MetricFamilies::counter(const char* name, const std::string& help, MetricLabels labels,
                             std::uint64_t value) {
  counter(name, help, std::move(labels), static_cast<double>(value));
}

void MetricFamilies::gauge(const char* name, const std::string& help, MetricLabels labels,
                           double value) {
  add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
}

void MetricFamilies::gauge(const char* name, const std::string& help, MetricLabels labels,
                           std::uint64_t value) {
  gauge(name, help, std::move(labels), static_cast<double>(value));
}

void MetricFamilies::summary(const char* name, const std::string& help, MetricLabels labels,
                             ClientMetric::Summary value) {
  add(name, help, MetricType::Summary, std::move(labels)).summary = std::move(value);
}

ClientMetric& MetricFamilies::add(const std::string& name, const std::string& help, MetricType type,
                                  MetricLabels labels) {
  const auto [place, fresh] = places_.try_emplace(name, families_.size());
  if (fresh) families_.push_back({name, help, type, {}});
  ClientMetric& metric = families_[place->second].metric.emplace_back();
  metric.label = std::move(labels);
  return metric;
}

}  // namespace plumbline::control
