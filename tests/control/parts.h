// A whole server without sockets, over a results directory of its own.
#pragma once

#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <utility>

#include "control/api.h"
#include "results/store.h"
#include "tests/control/small_scenario.h"
#include "tests/results/temp_directory.h"

namespace plumbline::control {

class ServerParts {
 public:
  explicit ServerParts(Api::Access access = {}, LiveHub::Limits kept = {})
      : live("instance", kept), api({runs, ports, live, metrics}, std::move(access)) {}

  // Directory below which uploaded scenarios may name files.
  [[nodiscard]] std::filesystem::path files() const { return directory.path() / "files"; }

  // State of the simulated hosts: "free", "reserved", "running".
  std::string hosts() {
    for (const PortState& port : ports.list()) {
      if (port.name == "sim") return port.state;
    }
    return "none";
  }

  // Stores `times` copies of run 1, without its trials.
  void copyRun(int times) const {
    sqlite3* database = nullptr;
    const auto file = directory.path() / "results" / results::ResultStore::kFileName;
    sqlite3_open(file.c_str(), &database);
    const std::string copy =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
        std::to_string(times) +
        ") INSERT INTO runs(created, scenario_name, scenario_file, scenario_text, bench, profile, "
        "seed, software, machine, finished, status, files) SELECT created, scenario_name, "
        "scenario_file, scenario_text, bench, profile, seed, software, machine, finished, status, "
        "files FROM runs, n WHERE id = 1";
    sqlite3_exec(database, copy.c_str(), nullptr, nullptr, nullptr);
    sqlite3_close(database);
  }

  TempDirectory directory;

 private:
  std::string madeFiles() const {
    std::filesystem::create_directories(files());
    return files().string();
  }

 public:
  LiveHub live;
  Metrics metrics;
  PortTable ports{allPorts()};
  RunManager runs{directory.path() / "results",
                  live,
                  ports,
                  HostClock(),
                  {scenario::Origin::kNetwork, madeFiles(), {}}};
  Api api;
};

}  // namespace plumbline::control
