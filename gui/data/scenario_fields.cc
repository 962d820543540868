// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the scenario editor's form. Descriptions and allowed words come from the schema,
// docs/scenario.schema.json, which the program itself writes.
#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/text_width.h"
#include "gui/data/embedded_schema.h"
#include "gui/data/scenario_text.h"

namespace plumbline::gui {
namespace {

using Json = nlohmann::json;

struct Line {
  const char* path;
  const char* label;
};

constexpr std::array kLines{
    Line{"name", "Name"},
    Line{"tests", "Tests"},
    Line{"test", "Test"},
    Line{"bench", "Bench"},
    Line{"profile", "Profile"},
    Line{"seed", "Seed"},
    Line{"dut.topology.kind", "Topology"},
    Line{"dut.topology.hosts", "Hosts"},
    Line{"dut.topology.leaves", "Leaves"},
    Line{"dut.topology.spines", "Spines"},
    Line{"dut.topology.hosts_per_leaf", "Hosts per leaf"},
    Line{"dut.topology.link", "Link rate"},
    Line{"dut.topology.host_delay", "Host delay"},
    Line{"dut.switch.buffer", "Switch buffer"},
    Line{"dut.switch.latency", "Switch latency"},
    Line{"dut.switch.forwarding", "Forwarding"},
    Line{"dut.switch.ecn", "ECN"},
    Line{"dut.switch.pfc", "PFC"},
    Line{"dut.load_balancing", "Load balancing"},
    Line{"dut.failures", "Failures"},
    Line{"transport.kind", "Transport"},
    Line{"workload.kind", "Workload"},
    Line{"workload.ranks", "Ranks of it"},
    Line{"workload.size", "Size of it"},
    Line{"serving.model", "Model served"},
    Line{"serving.accelerator", "Accelerator"},
    Line{"serving.efficiency", "Step times"},
    Line{"serving.servers.prefill", "Prefill workers"},
    Line{"serving.servers.decode", "Decode workers"},
    Line{"serving.servers.nics", "NICs per server"},
    Line{"serving.servers.gpus", "GPUs per server"},
    Line{"serving.workload.arrivals.kind", "Arrivals"},
    Line{"serving.workload.arrivals.rate", "Requests per s"},
    Line{"serving.workload.prompt", "Prompt [tokens]"},
    Line{"serving.workload.output", "Answer [tokens]"},
    Line{"serving.scheduler.batching", "Batching"},
    Line{"serving.scheduler.max_batch", "Decode batch"},
    Line{"serving.scheduler.prefix_cache", "Prefix cache"},
    Line{"serving.transfer.unit", "KV message"},
    Line{"serving.transfer.verb", "KV verb"},
    Line{"serving.router.prefill", "Prefill router"},
    Line{"serving.router.decode", "Decode router"},
    Line{"serving.first_token", "First token"},
    Line{"serving.slo.ttft", "Limit of TTFT"},
    Line{"serving.slo.tpot", "Limit of TPOT"},
    Line{"serving.warmup", "Warm-up"},
    Line{"serving.drain", "Drain"},
    Line{"traffic.transport", "Frames"},
    Line{"traffic.message_sizes", "Message sizes"},
    Line{"traffic.frame_sizes", "Frame sizes"},
    Line{"traffic.qps", "QPs"},
    Line{"traffic.direction", "Direction"},
    Line{"traffic.pairs", "Pairs"},
    Line{"parameters.loads", "Loads"},
    Line{"parameters.repetitions", "Repetitions"},
    Line{"parameters.duration", "Duration"},
    Line{"parameters.sizes", "Sizes"},
    Line{"parameters.ranks", "Ranks"},
    Line{"parameters.balancing", "Balancing"},
    Line{"limits.latency_p99_ns", "Limit: P99 [ns]"},
    Line{"limits.loss_ppm", "Limit: loss [ppm]"},
};

// Calls `visit` with `schema` and each alternative that it names.
template <typename Visit>
void forEachForm(const Json& schema, const Visit& visit) {
  visit(schema);
  if (!schema.contains("anyOf")) return;
  for (const Json& form : schema["anyOf"]) forEachForm(form, visit);
}

// The schemas of the value at `path`, one for each form of the enclosing map.
void find(const Json& schema, std::string_view path, std::vector<const Json*>& found) {
  const std::string_view key = path.substr(0, path.find('.'));
  const bool last = key.size() == path.size();
  forEachForm(schema, [&](const Json& form) {
    const auto properties = form.find("properties");
    if (properties == form.end()) return;
    const auto property = properties->find(std::string(key));
    if (property == properties->end()) return;
    if (last) {
      found.push_back(&*property);
    } else {
      find(*property, path.substr(key.size() + 1), found);
    }
  });
}

void addWords(const Json& schema, const char* keyword, std::vector<std::string>& choices) {
  if (!schema.contains(keyword)) return;
  for (const Json& word : schema[keyword]) {
    if (!word.is_string()) continue;
    const auto text = word.get<std::string>();
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) choices.push_back(text);
  }
}

// Descriptions are written for documents and editors: `words` and *letters* are marked there.
std::string withoutMarks(const std::string& description) {
  static const std::regex kEmphasis(R"(\*(\w+)\*)");
  std::string text = std::regex_replace(description, kEmphasis, "$1");
  std::erase(text, '`');
  return text;
}

ScenarioField fieldOf(const Line& line, const Json& schema) {
  constexpr std::size_t kHintColumns = 120;  // three lines of the form
  ScenarioField field{line.path, line.label, {}, {}, {}};
  std::vector<const Json*> found;
  find(schema, line.path, found);
  for (const Json* one : found) {
    if (field.explanation.empty()) field.explanation = one->value("description", std::string());
    forEachForm(*one, [&](const Json& form) {
      addWords(form, "enum", field.choices);
      addWords(form, "examples", field.choices);
    });
  }
  field.explanation = withoutMarks(field.explanation);
  field.hint = clippedText(field.explanation, kHintColumns);
  return field;
}

}  // namespace

const std::vector<ScenarioField>& scenarioFields() {
  static const std::vector<ScenarioField> kFields = [] {
    const Json schema = Json::parse(embeddedSchema());
    std::vector<ScenarioField> fields;
    fields.reserve(kLines.size());
    for (const Line& line : kLines) fields.push_back(fieldOf(line, schema));
    return fields;
  }();
  return kFields;
}

}  // namespace plumbline::gui
