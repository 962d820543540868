#include "gui/data/scenario_text.h"

#include <gtest/gtest.h>

#include <set>

#include "scenario/parse.h"

namespace plumbline::gui {
namespace {

constexpr const char* kScenario = R"(# what this is for
plumbline: 1            # format of this file
name: demo
tests: [T5.1, T5.2]
dut:
  topology: {kind: switch, hosts: 3, link: 100G, host_delay: 50ns}
  switch: {buffer: 64KB, latency: 600ns}
traffic:
  transport: rocev2-write   # stays
  message_sizes: [64B, 1KiB]
seed: 7
)";

std::string edited(const std::string& path, const std::string& value) {
  const FieldEdit edit = setField(kScenario, path, value);
  EXPECT_EQ(edit.error, "") << path;
  return edit.text;
}

// The text with the one place where it differs, found by hand.
std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(ScenarioText, ReadsValuesAsTheyAreWritten) {
  EXPECT_EQ(fieldValue(kScenario, "name"), "demo");
  EXPECT_EQ(fieldValue(kScenario, "tests"), "[T5.1, T5.2]");
  EXPECT_EQ(fieldValue(kScenario, "dut.topology.host_delay"), "50ns");
  EXPECT_EQ(fieldValue(kScenario, "dut.switch"), "{buffer: 64KB, latency: 600ns}");
  EXPECT_EQ(fieldValue(kScenario, "limits.loss_ppm"), std::nullopt);
  EXPECT_EQ(fieldValue("a: [", "a"), std::nullopt);
  EXPECT_EQ(fieldValue("name: \"two words\"", "name"), "\"two words\"");
}

TEST(ScenarioText, ChangesNothingButTheValue) {
  EXPECT_EQ(edited("seed", "8"), replaced(kScenario, "seed: 7", "seed: 8"));
  EXPECT_EQ(edited("traffic.transport", "udp"), replaced(kScenario, "rocev2-write", "udp"));
  EXPECT_EQ(edited("dut.topology.hosts", "16"), replaced(kScenario, "hosts: 3", "hosts: 16"));
  EXPECT_EQ(edited("traffic.message_sizes", "[4KiB]"),
            replaced(kScenario, "[64B, 1KiB]", "[4KiB]"));
}

TEST(ScenarioText, AddsWhatIsMissingWhereItBelongs) {
  EXPECT_EQ(edited("dut.switch.forwarding", "cut-through"),
            replaced(kScenario, "{buffer", "{forwarding: cut-through, buffer"));
  EXPECT_EQ(edited("traffic.qps", "4"),
            replaced(kScenario, "  transport:", "  qps: 4\n  transport:"));
  EXPECT_EQ(edited("limits.loss_ppm", "0"), std::string(kScenario) + "limits: {loss_ppm: 0}\n");
  EXPECT_EQ(edited("dut.load_balancing", "ecmp"),
            replaced(kScenario, "  topology:", "  load_balancing: ecmp\n  topology:"));
}

TEST(ScenarioText, RefusesRatherThanSpoils) {
  EXPECT_NE(setField("a: [1,\n 2]\n", "a", "3").error, "");
  EXPECT_NE(setField(kScenario, "seed", "1 # comment").error, "");
  EXPECT_NE(setField(kScenario, "seed", "1\nevil: 2").error, "");
  EXPECT_NE(setField(kScenario, "seed", "").error, "");
  EXPECT_NE(setField("{{{", "seed", "1").error, "");
  EXPECT_NE(setField(kScenario, "dut.topology.kind", "a, b: c").error, "");
  EXPECT_TRUE(setField(kScenario, "seed", "1\n").text.empty());
}

// Every field of the form exists in scenarios: the scenario reader accepts its key and one of its
// choices.
TEST(ScenarioText, FieldsAreKeysOfTheFormat) {
  std::set<std::string> paths;
  for (const ScenarioField& field : scenarioFields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.explanation.empty()) << field.path;
    EXPECT_EQ(field.explanation.find_first_of("`*"), std::string::npos) << field.explanation;
    EXPECT_LE(field.hint.size(), 125U) << field.hint;
    const std::string value = field.choices.empty() ? "1" : field.choices.front();
    const FieldEdit edit = setField(kScenario, field.path, value);
    ASSERT_EQ(edit.error, "") << field.path;
    const scenario::Vocabulary vocabulary{{"T5.1", "T5.2", "free"}, {"rtl", "sim"}, {}, {"free"}};
    for (const scenario::Problem& problem :
         scenario::parseScenario(edit.text, "form.yaml", vocabulary).problems) {
      EXPECT_EQ(problem.what.find("unknown key"), std::string::npos)
          << field.path << ": " << problem.what;
    }
  }
}

}  // namespace
}  // namespace plumbline::gui
