#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "bench/trial/registry.h"
#include "cli/selftest.h"
#include "cli/verbs.h"
#include "session/text_table.h"
#ifdef PLUMBLINE_CARD_SIM
#include "card/driver.h"
#include "sim/card_sim.h"
#endif

namespace plumbline::cli {
namespace {

bool show(const char* title, const std::vector<Check>& checks) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(checks.size());
  for (const Check& check : checks) {
    rows.push_back({check.passed ? "pass" : "FAIL", check.what, check.expected, check.found});
  }
  fmt::print("{}\n{}\n", title, session::alignedTable({"", "check", "expected", "found"}, rows));
  return allPassed(checks);
}

#ifdef PLUMBLINE_CARD_SIM
// The register bus by itself. The driver refuses a foreign card and a bus that loses bits.
void checkBus() {
  sim::CardSim card(sim::CardSimOptions{});
  card::Driver driver(card);
  const card::CardInfo& info = driver.info();
  fmt::print("The card answers: {} ports, {} bytes per clock, {} flows and {} rows per port\n\n",
             info.ports, info.data_bytes, info.flows, info.rows);
}
#endif

ExitCode selftest(const std::string& name) {
  const auto bench = bench::makeBench(name, {});
#ifdef PLUMBLINE_CARD_SIM
  if (name == "rtl") checkBus();
#endif
  const bool loopback = show("Line rate over a bare link, both ways", checkLoopback(*bench));
  const bool accounting =
      show("A link that drops, duplicates and delays by script", checkAccounting(*bench));
  const bool passed = loopback && accounting;
  fmt::print("{}\n", passed ? "The tester is sound" : "THE TESTER IS NOT SOUND");
  return passed ? ExitCode::kDone : ExitCode::kTesterFault;
}

}  // namespace

void addSelftestVerb(CLI::App& app, Action& action) {
  auto bench = std::make_shared<std::string>("rtl");
  CLI::App* verb =
      app.add_subcommand("selftest", "Check the tester itself: bus, timestamps, every counter");
  verb->add_option("--bench", *bench, "Bench to check")->capture_default_str();
  verb->callback([bench, &action] { action = [bench] { return selftest(*bench); }; });
}

}  // namespace plumbline::cli
