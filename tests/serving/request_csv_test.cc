#include "serving/request_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/serving/serving_setup.h"

namespace plumbline::serving {
namespace {

std::vector<std::string> csvLines(const ServingResult& result, const Mapping& mapping) {
  std::ostringstream out;
  out << requestCsvHeader() << '\n';
  writeRequestCsv(out, result, mapping, {});
  std::istringstream in(out.str());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// One request alone, as in closed_form_test.cc: 1,000 tokens, 100 ms of prefill, 131,072,000 bytes
// at 20 ps over two flows, three steps of 2 ms.
TEST(RequestCsv, OneLinePerRequest) {
  ServingSpec spec = plainSpec();
  spec.servers.gpus = spec.servers.nics = 2;
  spec.servers.prefill = spec.servers.decode = {1, 2, 1};
  WorkloadSpec workload = fixedWorkload(1, 1000, 3, 1);
  workload.arrivals.kind = ArrivalKind::kClosed;
  SharedRateNetwork network(4, gigabitsPerSecond(400), {});
  const auto lines =
      csvLines(runServing(spec, workload, network), Mapping(spec.servers, spec.model));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1],
            "0,done,1,1000,3,3,0,0.000000,0.000000,0.000000,100000.000000,100000.000000,"
            "101310.720000,101310.720000,103310.720000,103310.720000,107310.720000,2000.000000,"
            "131072000,0,0,0,0,0,0,0>0 1>1,0 1,2 3,1");
}

// Missing events are empty, never zero; every line has every column.
TEST(RequestCsv, WhatDidNotHappenIsEmpty) {
  ServingSpec spec = plainSpec();
  spec.decode_pages = 10;
  spec.window.measure = milliseconds(1500);
  spec.window.drain = Picoseconds();
  WorkloadSpec workload = fixedWorkload(1, 100, 1, 3);
  workload.arrivals.kind = ArrivalKind::kConstant;
  workload.prompt.low = 200;
  const Mapping mapping(spec.servers, spec.model);
  const auto rejected = csvLines(runServing(spec, workload), mapping);
  EXPECT_EQ(rejected[1], "0,rejected,1,200,1,0,0,1000000.000000,,,,,,,,,,,0,0,0,,,,,,,,0");
  workload.prompt.low = 10'000;
  spec.decode_pages = 1000;
  const auto unfinished = csvLines(runServing(spec, workload), mapping);
  // It would have posted its KV cache after 2 s.
  EXPECT_EQ(unfinished[1],
            "0,unfinished,1,10000,1,0,0,1000000.000000,1000000.000000,1000000.000000,,,,,,,,,0,0,0,"
            "0,0,0,0,,,,0");
  for (const std::string& line : unfinished) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 28) << line;
  }
}

}  // namespace
}  // namespace plumbline::serving
