#include "scenario/keys.h"

#include <string_view>
#include <utility>

#include "base/json.h"
#include "fabric/spec/spec_fields.h"
#include "kpi/kpi.h"
#include "scenario/key_text.h"
#include "scenario/spec_fields.h"
#include "serving/spec_fields.h"
#include "spec/declare.h"
#include "transport/spec_fields.h"
#include "workload/spec_fields.h"

namespace plumbline::scenario {
namespace {

using spec::Field;
using spec::Fields;
using spec::special;

constexpr const char* kText = R"({"type": "string", "minLength": 1, "maxLength": 100})";

template <typename Spec>
const void* fresh() {
  static const Spec kSpec{};
  return &kSpec;
}

template <typename Spec>
spec::Variant variant(std::vector<std::string> words) {
  return {std::move(words), []() -> const Fields& { return spec::fieldsOf<Spec>(); }, fresh<Spec>};
}

Field required(Field field) {
  field.required = true;
  return field;
}

Field otherwise(std::string meaning, Field field) {
  field.absent = std::move(meaning);
  return field;
}

Field fastForward() {
  Field one =
      otherwise("`false`",
                special("fast_forward", "`test: free`: permission to predict what has more packets",
                        "`true`, `false`, or a map", {}));
  one.fields = []() -> const Fields& { return spec::fieldsOf<bench::FastForwardSpec>(); };
  one.fresh = fresh<bench::FastForwardSpec>;
  one.or_flag = true;
  return one;
}

// The fabric's fields and the other keys of `dut:`.
const Fields& dutKeys() {
  static const Fields kFields = [] {
    Fields fields = spec::fieldsOf<fabric::FabricSpec>();
    fields.push_back(special("identification", "For the report: vendor, model, nos, …",
                             "a map of free keys and texts, at most 64, up to 500 characters each",
                             R"({"type": "object", "maxProperties": 64})"));
    return fields;
  }();
  return kFields;
}

Field dut() {
  Field one = required(special("dut", "The device under test", "a map", {}));
  one.fields = dutKeys;
  one.fresh = fresh<fabric::FabricSpec>;
  return one;
}

Field transport() {
  Field one = otherwise("the test's; required for `test: free`",
                        special("transport", "Transport of simulated hosts",
                                "a map with `kind`: `roce` or `uet`", {}));
  one.variants = {variant<transport::RoceSpec>({"roce"}), variant<transport::UetSpec>({"uet"})};
  return one;
}

// A section that is one specification.
template <typename Spec>
Field section(const char* key, const char* help) {
  Field one = special(key, help, "a map", {});
  one.fields = []() -> const Fields& { return spec::fieldsOf<Spec>(); };
  one.fresh = fresh<Spec>;
  return one;
}

// The keys of jobs of one kind, without `except`.
template <typename... Programs>
Fields jobKeys(std::string_view except) {
  Fields all = spec::fieldsOf<workload::JobSpec>();
  const auto add = [&](const Fields& fields, const void* usual) {
    for (Field field : fields) {
      if (field.key == except || field.key.empty()) continue;
      // Their defaults are those of another struct than the job's.
      if (field.absent.empty() && field.get) field.absent = defaultOf(field, usual);
      field.get = {};
      all.push_back(std::move(field));
    }
  };
  (add(spec::fieldsOf<Programs>(), fresh<Programs>()), ...);
  return all;
}

const Fields& collectiveJob() {
  static const Fields kFields = [] {
    Fields fields = jobKeys<workload::TrainingProgram, workload::CollectiveSpec>("collectives");
    std::erase_if(fields, [](const Field& field) { return field.key == "kind"; });
    return fields;
  }();
  return kFields;
}
const Fields& trainingJob() {
  static const Fields kFields = jobKeys<workload::TrainingProgram>({});
  return kFields;
}
const Fields& messageJob() {
  static const Fields kFields = jobKeys<workload::MessageProgram>({});
  return kFields;
}

const Fields& traceFileKeys() {
  static const Fields kFields{
      required(special("file", "In the scenario's folder or below it, up to 256 MiB", "a CSV file",
                       R"({"type": "string"})")),
      otherwise("`messages`",
                special("format", "Lines of messages, or of requests to a model",
                        "`messages`, `requests`", R"({"enum": ["messages", "requests"]})")),
      special("prefill", "`requests`, required: ranks that compute prompts, the first ones",
              "a number, below that of ranks", R"({"type": "integer", "minimum": 1})"),
      special("kv_per_token", "`requests`, required: KV cache of a token", "a size, 1B to 1TiB",
              R"({"type": "string"})"),
      otherwise("all", special("requests", "`requests`: at most so many, from the first on",
                               "a number", R"({"type": "integer", "minimum": 1})")),
  };
  return kFields;
}

const Fields& traceJob() {
  static const Fields kFields = [] {
    Fields fields = spec::fieldsOf<workload::JobSpec>();
    Field entries = section<workload::TraceEntry>("entries", "Messages; either these or `trace`");
    entries.special_form = "list of maps";
    entries.is_list = true;
    fields.push_back(std::move(entries));
    Field file = special("trace", "A file of messages or requests", "a map", {});
    file.fields = traceFileKeys;
    fields.push_back(std::move(file));
    return fields;
  }();
  return kFields;
}

const Fields& moeJob() {
  static const Fields kFields = [] {
    Fields fields = jobKeys<workload::MoeProgram>({});
    fields.push_back(special("matrix",
                             "`routing: matrix`, required: selections of each expert, a line for "
                             "each rank; in the scenario's folder or below it, up to 256 MiB",
                             "a CSV file", R"({"type": "string"})"));
    return fields;
  }();
  return kFields;
}

const Fields& servingTraceKeys() {
  static const Fields kFields = [] {
    Fields fields = spec::fieldsOf<serving::TraceRules>();
    fields.insert(fields.begin(),
                  required(special("file", "In the scenario's folder or below it, up to 256 MiB",
                                   "a CSV file, or one of JSON lines", R"({"type": "string"})")));
    return fields;
  }();
  return kFields;
}

// The section's fields, and the files that it may name.
const Fields& servingKeys() {
  static const Fields kFields = [] {
    Fields fields = spec::fieldsOf<ServingSection>();
    fields.push_back(otherwise(
        "by roofline", special("times",
                               "Measured step times instead (docs/model/serving.md); in the "
                               "scenario's folder or below it",
                               "a CSV file", R"({"type": "string"})")));
    Field trace = otherwise("none", special("trace",
                                            "A public trace of requests: what of arrivals, prompts "
                                            "and answers the workload does not give",
                                            "a map", {}));
    trace.fields = servingTraceKeys;
    trace.fresh = fresh<serving::TraceRules>;
    fields.push_back(std::move(trace));
    return fields;
  }();
  return kFields;
}

Field serving() {
  Field one = special("serving", "The serving system of inference tests", "a map", {});
  one.fields = servingKeys;
  one.fresh = fresh<ServingSection>;
  return one;
}

Field workloadKeys() {
  std::vector<std::string> kinds;
  for (const spec::Word& word : spec::fieldsOf<workload::CollectiveSpec>().front().words) {
    kinds.push_back(word.name);
  }
  std::vector<std::string> patterns;
  for (const spec::Word& word : spec::fieldsOf<workload::MessageProgram>().front().words) {
    patterns.push_back(word.name);
  }
  Field one = otherwise("the test's; required for `test: free`, which alone has it",
                        special("workload", "What simulated hosts do",
                                "a job, a map with `kind`, or a list of jobs", {}));
  one.is_list = true;
  one.max_items = workload::kMaxJobs;
  one.variants = {{std::move(kinds), collectiveJob, fresh<workload::JobSpec>},
                  {{"training"}, trainingJob, fresh<workload::JobSpec>},
                  {std::move(patterns), messageJob, fresh<workload::JobSpec>},
                  {{"trace"}, traceJob, fresh<workload::JobSpec>},
                  {{"moe"}, moeJob, fresh<workload::JobSpec>}};
  return one;
}

// A limit for each KPI of which more or less is better.
Field limits() {
  nlohmann::json properties = nlohmann::json::object();
  for (const kpi::Declaration& one : kpi::declarations()) {
    if (one.better == kpi::Better::kNeither) continue;
    properties[one.name] = {{"type", "number"},
                            {"minimum", one.min},
                            {"maximum", one.max},
                            {"description", one.meaning + ". " + one.rangeText() + "."}};
  }
  const nlohmann::json schema{
      {"type", "object"}, {"additionalProperties", false}, {"properties", std::move(properties)}};
  return otherwise("no verdict", special("limits", "What makes a verdict",
                                         "a map of [KPIs](kpis.md) to numbers", schema.dump()));
}

}  // namespace

const Fields& scenarioKeys() {
  static const Fields kFields{
      required(special("plumbline", "Format of the file", "`1`", R"({"const": 1})")),
      required(special("name", "Title of the report", "text, 1 to 100 characters", kText)),
      special("test", "One test (`plumbline list tests`); `free` runs the file's own workload",
              "a test; either this or `tests`", R"({"type": "string"})"),
      special("tests", "Tests, run in this order", "a test, or a list of different ones",
              R"({"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "maxItems": 64,
                  "items": {"type": "string"}}]})"),
      otherwise("`rtl`; `sim` for tests on simulated hosts",
                special("bench", "Where to run (`plumbline list benches`)", "a bench",
                        R"({"type": "string", "examples": ["rtl", "sim", "compare"]})")),
      otherwise("`quick`",
                special("profile", "Seconds instead of hours, or the numbers of the methodology",
                        "`quick` or `standard`", R"({"enum": ["quick", "standard"]})")),
      otherwise("`1`", special("seed", "Same file and seed, same numbers", "0 to 2^64 - 1",
                               R"({"type": "integer", "minimum": 0})")),
      dut(),
      transport(),
      workloadKeys(),
      fastForward(),
      serving(),
      section<bench::EndpointSpec>("endpoint", "What carries messages between ordinary hosts"),
      section<bench::FpgaSpec>("fpga", "Cards in this host"),
      section<Traffic>("traffic", "Frame format, and pairs of sender and receiver"),
      section<Parameters>("parameters", "What replaces the profile's numbers"),
      otherwise("none",
                special("dut_metrics", "T12.1, T12.2: where the DUT's own figures come from",
                        "a map of either `command` (a program and its arguments) or `file`",
                        R"({"type": "object", "additionalProperties": false, "properties": {
                                    "command": {"anyOf": [{"type": "string"}, {"type": "array",
                                     "minItems": 1, "maxItems": 32}]},
                                    "file": {"type": "string"}}})")),
      limits(),
      otherwise("one scenario", special("sweep", "Many scenarios in one, at most 1000",
                                        "a map of keys, joined by dots, to lists of their values",
                                        R"({"type": "object"})")),
  };
  return kFields;
}

}  // namespace plumbline::scenario
