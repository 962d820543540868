// A small program with all elements of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace plumbline::command {

struct SampleProgram {
  SampleProgram() {
    app.require_subcommand(1);
    app.footer("Exit codes: 0 done.\n.not a request");
    CLI::App* run = app.add_subcommand("run", "Run a scenario's tests");
    run->add_option("scenario", scenario, "File, or a name")->required();
    run->add_option("-j,--jobs", jobs, "How many at a time")
        ->envname("JOBS")
        ->capture_default_str();
    run->add_option("--format", format, "Of the output")->check(CLI::IsMember({"json", "csv"}));
    run->add_option("--report", report, "Directory [new]: it's for it");
    run->add_flag("--quiet", quiet, "No progress");
    run->add_flag("--secret", secret, "For nobody")->group("");
    CLI::App* results = app.add_subcommand("results", "Look at runs");
    results->require_subcommand(1);
    results->add_subcommand("show", "Show one \\ all")->add_option("run", number, "Its number");
    results->add_subcommand("diff", "Compare two …");
  }

  CLI::App app{"A sample", "sample"};
  std::string scenario;
  unsigned jobs = 2;
  std::string format;
  std::string report;
  int number = 0;
  bool quiet = false;
  bool secret = false;
};

}  // namespace plumbline::command
