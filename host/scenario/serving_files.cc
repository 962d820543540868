#include "scenario/serving_files.h"

#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "scenario/field_reader.h"
#include "scenario/trace_file.h"
#include "serving/spec_fields.h"
#include "serving/stored_trace.h"

namespace plumbline::scenario {
namespace {

bool isStored(const Scenario& scenario) { return scenario.access.origin == Origin::kStored; }

// Passes the file that `node` names to `parse`, which returns what it read.
void readFile(const YamlNode& node, Scenario& scenario, Problems& problems,
              const std::function<TextExtent(std::istream&, const std::string&)>& parse) {
  const auto name = readText(node, kMaxFileName, problems);
  if (!name) return;
  auto stream = openTable(node, *name, scenario, kMaxTraceBytes, problems);
  if (!stream) return;
  try {
    const TextExtent extent = parse(*stream, *name);
    if (stream->bad()) {
      problems.add(node, shown(*name) + " cannot be read to its end", "a file that may be read");
    }
    scenario.files.push_back({*name, extent.bytes, extent.hash});
  } catch (const Error& error) {
    problems.add(node, error.where() + ": " + faultOf(error), error.remedy());
  }
}

void readTrace(SpecReader map, ServingSection& section, Scenario& scenario, Problems& problems) {
  const std::size_t before = problems.count();
  serving::TraceRules rules;
  readFields(map, rules);
  const YamlNode* file = map.required("file");
  map.finish();
  if (file == nullptr || problems.count() != before) return;
  std::shared_ptr<const serving::StoredTrace> trace;
  if (isStored(scenario)) {
    serving::Request second;
    second.arrival = seconds(1);
    trace = std::make_shared<const serving::StoredTrace>(
        std::vector<serving::Request>{serving::Request(), second});
  } else {
    readFile(*file, scenario, problems, [&](std::istream& text, const std::string& name) {
      trace = std::make_shared<const serving::StoredTrace>(
          serving::StoredTrace::read(text, name, rules));
      return trace->extent();
    });
  }
  if (!trace) return;
  ServingSection::LeftOut& left_out = section.left_out;
  if (!section.workload) {
    section.workload.emplace();
    left_out = {.arrivals = true, .prompt = true, .output = true};
  }
  if (left_out.arrivals) section.workload->arrivals.kind = serving::ArrivalKind::kTrace;
  if (left_out.prompt) section.workload->prompt.kind = serving::LengthKind::kTrace;
  if (left_out.output) section.workload->output.kind = serving::LengthKind::kTrace;
  left_out = {};
  section.workload->trace = std::move(trace);
}

}  // namespace

void readServingFiles(SpecReader& map, ServingSection& section, Scenario& scenario,
                      Problems& problems) {
  if (const YamlNode* file = map.optional("times")) {
    const auto parse = [&](std::istream& text, const std::string& name) {
      TextExtent extent;
      section.program.system.times = serving::StepTable::parse(text, name, &extent);
      return extent;
    };
    if (isStored(scenario)) {
      std::istringstream one("phase,batch,tokens,context,ms\nprefill,1,1,0,1\ndecode,1,1,0,1\n");
      parse(one, "times");
    } else {
      readFile(*file, scenario, problems, parse);
    }
  }
  if (auto trace = map.block("trace", "trace")) {
    readTrace(*std::move(trace), section, scenario, problems);
  }
}

}  // namespace plumbline::scenario
