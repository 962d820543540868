// I10.1 TTFT under varying prompt lengths (inference draft, section 10.1).
//
// As I6.1, single requests without concurrent load, over the draft's eight prompt lengths with 100
// repetitions, and as lines.
#include "suite/inference/inference.h"
#include "suite/inference/single_requests.h"

namespace plumbline::suite {
namespace {

class PromptLengthProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "I10.1"; }
  [[nodiscard]] std::string title() const override { return "TTFT under varying prompt lengths"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return with(with(ttftKpis(), transferKpis()), {"kv_request_bytes"});
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 10.1"; }
  [[nodiscard]] Design design(const TestConfig& config) const override {
    return singleRequestDesign(
        config, {{128, 256, 512, 1024, 2048, 4096, 8192, 16384}, {128, 512, 2048, 4096}, 100});
  }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;
};

void PromptLengthProcedure::report(const TestConfig& config, const Design& design,
                                   const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  reportSingleRequests(config, design, measured, builder);
  results::Chart chart;
  chart.id = "ttft_over_prompt";
  chart.title = "TTFT and transfer over prompt length";
  chart.x_label = "Prompt [tokens]";
  chart.y_label = "Time [ms]";
  chart.log_x = true;
  chart.log_y = true;
  chart.series = overPrompt(design, measured,
                            chosen(ttftFigures(servingSection(config).slo),
                                   {"ttft_p50_ms", "ttft_p99_ms", "ttft_fabric_ms"}));
  chart.series.back().area = true;
  builder.result().charts.push_back(std::move(chart));
}

}  // namespace

const Procedure& promptLengthProcedure() {
  static const PromptLengthProcedure test;
  return test;
}

}  // namespace plumbline::suite
