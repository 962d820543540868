// The DSCP of the card's frames, in a capture read by tshark, against the documentation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bench/card/flow_plan.h"
#include "session/capture_file.h"
#include "session/first_frame.h"
#include "session/planning.h"
#include "tests/results/temp_directory.h"
#include "tests/wire/tool.h"

namespace plumbline::session {
namespace {

class CardLike final : public bench::Bench {
 public:
  CardLike() {
    capabilities_.name = "rtl";
    capabilities_.max_ports = 4;
    capabilities_.line_rate = gigabitsPerSecond(100);
    capabilities_.flows_per_port = 256;
    capabilities_.groups = 32;
    capabilities_.max_qps = 256;
    capabilities_.pfc_send = true;
    capabilities_.timestamp_resolution = Picoseconds(3104);
  }
  [[nodiscard]] const bench::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const bench::TrialSpec&) const override {
    return {};
  }
  bench::TrialResult run(const bench::TrialSpec&, const bench::TrialHooks&) override { return {}; }

 private:
  bench::Capabilities capabilities_;
};

// DSCPs of the first frames of every stream of the scenario's trials.
std::set<std::string> dscpsOf(const std::string& name) {
  const CardLike card;
  const TempDirectory directory;
  const std::string file = (directory.path() / "c.pcapng").string();
  {
    CaptureFile capture(file);
    for (const PlannedTest& test : planTests(loadScenario({name, {}, {}, {}}), card)) {
      for (const suite::PlannedTrial& trial : test.plan.samples) {
        const bench::FlowPlan plan = bench::planFlows(trial.spec, card.capabilities());
        for (std::size_t i = 0; i < trial.spec.streams.size(); ++i) {
          const std::uint32_t from = trial.spec.streams[i].from;
          const card::FlowConfig& flow = plan.flows.at(from).at(plan.streams[i].flow);
          capture.write(from, flow.first_due, firstFrame(flow), trial.label);
        }
      }
    }
    EXPECT_GT(capture.packets(), 0u);
  }
  const auto shown = wire::test::runTool("tshark -r " + file + " -T fields -e ip.dsfield.dscp");
  EXPECT_EQ(shown.exit_code, 0);
  return {shown.lines.begin(), shown.lines.end()};
}

// docs/scenarios.md, `traffic.dscp`: 26 by default.
TEST(Dscp, IsTheScenarios) { EXPECT_EQ(dscpsOf("quickstart"), std::set<std::string>{"26"}); }

// docs/card-tests.md: the stream that is not paused has the class selector of another priority.
TEST(Dscp, OfAPfcStormIsThatOfThePriority) {
  EXPECT_EQ(dscpsOf("pfc-storm"), (std::set<std::string>{"26", "0"}));
}

}  // namespace
}  // namespace plumbline::session
