// Options of `plumbline run`, and common parts of runs here and on agents, both of which are stored
// here.
#pragma once

#include <cstdint>
#include <string>

#include "cli/exit_code.h"
#include "cli/setup.h"
#include "results/store.h"
#include "scenario/scenario.h"
#include "session/run.h"

namespace plumbline::cli {

// A server, and the credentials for it.
struct ServerOptions {
  std::string address;
  std::string token_file;
  std::string ca_file;
};

struct RunOptions {
  unsigned threads = 1;
  ScenarioOptions scenario;
  bool resume = false;
  bool quiet = false;
  bool tables = false;
  std::string results;
  std::string report;
  std::string json;
  std::string jsonl;
  std::string capture;
  std::uint32_t capture_port = 0;
  std::string trace;
  ServerOptions server;
  std::string agents;  // "HOST:PORT,HOST:PORT"
  std::string start_tolerance = "1ms";
  std::string agent_timeout = "10s";
};

// The run to continue, or a new one.
std::int64_t chooseRun(results::ResultStore& store, const results::RunIdentity& identity,
                       const RunOptions& options);

// Prints a finished run: its summary and limits, or with `tables` all its tables, and how to see
// more. `results` is the directory in which it is stored. Returns the resulting exit code.
ExitCode printRun(const results::StoredRun& run, const session::Verdict& verdict, bool tables,
                  const std::string& results);

class OutputErrors;

// Prints a finished run and writes its files; returns the resulting exit code. `errors`: of the
// outputs so far, those written while it ran. Throws the first error of all after the rest.
ExitCode conclude(const scenario::Scenario& scenario, const results::StoredRun& run,
                  const RunOptions& options, OutputErrors& errors);

// The command that continues it.
std::string resumeCommand(const RunOptions& options);

}  // namespace plumbline::cli
