#include "results/export.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/json.h"
#include "results/import.h"
#include "tests/results/sample.h"

namespace plumbline::results {
namespace {

StoredRun sampleRun() {
  StoredRun run;
  run.info.id = 4;
  run.info.created = "2026-02-26T14:03:59Z";
  run.info.identity = {"demo", "demo.yaml", "plumbline: 1\n", "rtl", "quick", ~std::uint64_t{0}};
  run.info.software = "0.1.0";
  run.info.machine = "Linux";
  run.info.finished = "2026-02-26T15:00:00Z";
  run.info.status = RunStatus::kDone;
  run.info.trials = 12;
  run.tests = {sampleResult()};
  return run;
}

TEST(Export, JsonHoldsTheWholeRun) {
  const auto json = nlohmann::json::parse(exportJson(sampleRun()));
  EXPECT_EQ(json["run"], 4);
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["created"], "2026-02-26T14:03:59Z");
  EXPECT_EQ(json["finished"], "2026-02-26T15:00:00Z");
  EXPECT_EQ(json["machine"], "Linux");
  EXPECT_EQ(json["scenario"], "plumbline: 1\n");
  EXPECT_EQ(json["seed"], ~std::uint64_t{0});
  ASSERT_EQ(json["tests"].size(), 1u);
  EXPECT_EQ(json["tests"][0], nlohmann::json::parse(sampleResult().toJson()));
}

TEST(Export, CsvIsExact) {
  EXPECT_EQ(exportCsv(sampleRun()),
            std::string(kCsvHeader) +
                "\n"
                "T5.2,latency,1,size,64 B,,,,,,,,,,,,\n"
                "T5.2,latency,1,\"P99, loaded\",600,ns,tester,2,,,,,,,,,\n"
                "T5.2,latency,2,size,\"1,024 B\",,,,,,,,,,,,\n"
                "T5.2,latency,2,\"P99, loaded\",0.3333333333333333,ns,dut-reported,1,,,,,,,,,\n"
                "T5.2,kpi,\"1024 B, 50 % load\",latency_p99_ns,0.1,ns,tester,3,,,,,,,,,\n"
                "T5.2,kpi,\"1024 B, 50 % load\",loss_ppm,0,ppm,modelled,1,0,,,,,,,,\n");
}

TEST(Export, CsvQuotesWhatNeedsIt) {
  StoredRun run = sampleRun();
  run.tests[0].kpis.clear();
  run.tests[0].tables[0].rows = {{Cell("say \"hi\"\nnow")}};
  EXPECT_EQ(exportCsv(run), std::string(kCsvHeader) +
                                "\nT5.2,latency,1,size,\"say \"\"hi\"\"\nnow\",,,,,,,,,,,,\n");
}

TEST(Import, ReadsWhatExportWrote) {
  StoredRun run = sampleRun();
  run.agents = {AgentRecord{}};
  run.agents[0].name = "tester7";
  const StoredRun back = importJson(exportJson(run), "run.json");
  EXPECT_EQ(back.info.id, 4);
  EXPECT_EQ(back.info.identity.seed, ~std::uint64_t{0});
  EXPECT_EQ(back.info.status, RunStatus::kDone);
  ASSERT_EQ(back.agents.size(), 1u);
  EXPECT_EQ(back.agents[0].name, "tester7");
  EXPECT_EQ(exportJson(back), exportJson(run));
}

// report.json lies beside report.html and is easily taken for the results.
TEST(Import, SaysThatAReportIsNoResult) {
  try {
    importJson(R"({"format": "plumbline-report", "run": 4})", "report.json");
    FAIL() << "a report was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the JSON of a report"), std::string::npos);
    EXPECT_NE(std::string(error.remedy()).find("results export"), std::string::npos);
  }
}

TEST(Import, RefusesWhatIsNoResult) {
  for (const char* text : {"", "[]", "{}", "{\"run\": \"four\"}"}) {
    EXPECT_THROW(importJson(text, "run.json"), Error) << text;
  }
  std::string other = exportJson(sampleRun());
  other.replace(other.find("\"done\""), 6, "\"gone\"");
  try {
    importJson(other, "run.json");
    FAIL() << "a status that there is not was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_EQ(error.where(), "run.json");
    EXPECT_NE(std::string(error.what()).find("gone"), std::string::npos);
  }
}

}  // namespace
}  // namespace plumbline::results
