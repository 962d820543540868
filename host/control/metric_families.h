// Families of Prometheus metrics, put together metric by metric.
#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumbline::control {

using MetricLabels = std::vector<prometheus::ClientMetric::Label>;

// Families in the order in which they are first named. Metrics of one name have one help and type.
class MetricFamilies {
 public:
  void counter(const char* name, const std::string& help, MetricLabels labels, double value);
  void counter(const char* name, const std::string& help, MetricLabels labels, std::uint64_t value);
  void gauge(const char* name, const std::string& help, MetricLabels labels, double value);
  void gauge(const char* name, const std::string& help, MetricLabels labels, std::uint64_t value);
  void summary(const char* name, const std::string& help, MetricLabels labels,
               prometheus::ClientMetric::Summary value);
  std::vector<prometheus::MetricFamily> take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& add(const std::string& name, const std::string& help,
                                prometheus::MetricType type, MetricLabels labels);

  std::vector<prometheus::MetricFamily> families_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace plumbline::control
