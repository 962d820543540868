// The published schema agrees with the written documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "results/export.h"
#include "tests/paths/paths.h"
#include "tests/results/json_schema.h"
#include "tests/results/sample.h"

namespace plumbline::results {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::IsEmpty;

json schema() {
  std::ifstream file(checkoutPath("docs/result.schema.json"));
  return json::parse(file);
}

json sampleExport() {
  StoredRun run;
  run.info.id = 4;
  run.info.created = "2026-02-26T14:03:59Z";
  run.info.identity = {"demo", "demo.yaml", "plumbline: 1\n", "rtl", "quick", ~std::uint64_t{0}};
  run.info.status = RunStatus::kDone;
  TestResult plain;  // without optional members
  plain.id = "T9.1";
  plain.profile = "standard";
  run.tests = {sampleResult(), plain};
  return json::parse(exportJson(run));
}

TEST(Schema, AcceptsWhatIsExported) {
  EXPECT_THAT(schemaFaults(schema(), sampleExport()), IsEmpty());
}

TEST(Schema, KnowsEveryMember) {
  // The sample has all members, and none of them is merely tolerated: the schema allows no others,
  // and requires those that are always written.
  const json sample = sampleExport();
  json document = sample;
  document["tests"][0]["charts"][0]["colour"] = "red";
  EXPECT_THAT(schemaFaults(schema(), document), Contains("/tests/0/charts/0: may not have colour"));
  for (const auto& [name, unused] : sample["tests"][1].items()) {
    document = sample;
    document["tests"][1].erase(name);
    EXPECT_THAT(schemaFaults(schema(), document), Contains("/tests/1: lacks " + name));
  }
}

TEST(Schema, RefusesWrongValues) {
  const auto faultsOf = [](const char* pointer, const json& value) {
    json document = sampleExport();
    document[json::json_pointer(pointer)] = value;
    return schemaFaults(schema(), document);
  };
  EXPECT_THAT(faultsOf("/status", "finished"), Contains("/status: not one of the allowed values"));
  EXPECT_THAT(faultsOf("/seed", -1), Contains("/seed: too small"));
  EXPECT_THAT(faultsOf("/tests/0/format", 2), Contains("/tests/0/format: not the constant"));
  EXPECT_THAT(faultsOf("/tests/0/valid", 1), Contains("/tests/0/valid: not of type boolean"));
  EXPECT_THAT(faultsOf("/tests/0/kpis/0/quantity/cv", "5 %"),
              Contains("/tests/0/kpis/0/quantity/cv: not of type number"));
  EXPECT_THAT(faultsOf("/tests/0/tables/0/rows/0/0", true),
              Contains("/tests/0/tables/0/rows/0/0: none of the alternatives"));
  EXPECT_THAT(faultsOf("/tests/0/heat_maps/0/values/0/0", "12"),
              Contains("/tests/0/heat_maps/0/values/0/0: none of the alternatives"));
  EXPECT_THAT(faultsOf("/tests/0/timelines/0/lanes/0/spans/0", json::array({1})),
              Contains("/tests/0/timelines/0/lanes/0/spans/0: too short"));
  EXPECT_THAT(faultsOf("/tests/0/configuration/0", json::array({"a", "b", "c"})),
              Contains("/tests/0/configuration/0: too long"));
}

}  // namespace
}  // namespace plumbline::results
