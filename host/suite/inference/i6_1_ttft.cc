// I6.1 End-to-end disaggregated TTFT (inference draft, section 6.1).
//
// Single requests over prompt length through prefill, KV cache transfer and the first decode step.
// Reported: TTFT and its parts, mean and percentiles; the share of the fabric.
#include "suite/inference/inference.h"
#include "suite/inference/single_requests.h"

namespace plumbline::suite {
namespace {

class DisaggregatedTtftProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I6.1"; }
  [[nodiscard]] std::string title() const override { return "End-to-end disaggregated TTFT"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(with(ttftKpis(), transferKpis()), {"kv_request_bytes"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override {
    return singleRequestDesign(
        config, {{128, 512, 1024, 2048, 4096, 8192, 16384}, {128, 512, 2048, 4096}, 20});
  }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

void DisaggregatedTtftProcedure::report(const TestConfig& config, const Design& design,
                                        const std::vector<Measured>& measured,
                                        ResultBuilder& builder) const {
  reportSingleRequests(config, design, measured, builder);
  results::Chart chart;
  chart.id = "ttft_parts";
  chart.title = "Parts of the TTFT over prompt length";
  chart.kind = results::ChartKind::kBar;
  chart.stacked = true;
  chart.x_label = "Prompt [tokens]";
  chart.y_label = "Mean [ms]";
  chart.series = overPrompt(
      design, measured,
      chosen(ttftFigures(servingSection(config).slo),
             {"ttft_queue_ms", "ttft_prefill_ms", "ttft_fabric_ms", "ttft_decode_init_ms"}));
  builder.result().charts.push_back(std::move(chart));
}

}  // namespace

const Procedure& disaggregatedTtftProcedure() {
  static const DisaggregatedTtftProcedure test;
  return test;
}

}  // namespace plumbline::suite
