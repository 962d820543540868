#include "results/import.h"

#include "base/error.h"
#include "base/json.h"

namespace plumbline::results {
namespace {

using Json = nlohmann::ordered_json;

RunStatus statusOf(const std::string& name) {
  for (const RunStatus status :
       {RunStatus::kRunning, RunStatus::kDone, RunStatus::kAborted, RunStatus::kFailed}) {
    if (runStatusName(status) == name) return status;
  }
  throw Error(ErrorKind::kTester, "there is no run status \"" + name + "\"");
}

StoredRun runOf(const Json& json) {
  StoredRun run;
  json.at("run").get_to(run.info.id);
  json.at("created").get_to(run.info.created);
  json.at("finished").get_to(run.info.finished);
  json.at("software").get_to(run.info.software);
  json.at("machine").get_to(run.info.machine);
  run.info.status = statusOf(json.at("status").get<std::string>());
  json.at("trials").get_to(run.info.trials);
  RunIdentity& identity = run.info.identity;
  json.at("scenario_name").get_to(identity.scenario_name);
  json.at("scenario").get_to(identity.scenario_text);
  json.at("bench").get_to(identity.bench);
  json.at("profile").get_to(identity.profile);
  json.at("seed").get_to(identity.seed);
  for (const Json& test : json.at("tests")) {
    run.tests.push_back(TestResult::fromJson(test.dump()));
  }
  if (json.contains("agents")) run.agents = agentsFromJson(json["agents"].dump());
  return run;
}

}  // namespace

StoredRun importJson(const std::string& json, const std::string& file) {
  std::string fault;
  try {
    const Json parsed = parseJson<Json>(json);
    if (parsed.is_object() && parsed.value("format", "") == "plumbline-report") {
      fault = "it is the JSON of a report";
    } else {
      return runOf(parsed);
    }
  } catch (const Json::exception& error) {
    fault = error.what();
  } catch (const Error& error) {
    fault = error.what();
  }
  throw Error(ErrorKind::kUsage, "this is not a result of Plumbline: " + fault, file,
              "a file that `plumbline run --json` or `results export` wrote");
}

}  // namespace plumbline::results
