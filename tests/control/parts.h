// A whole server without sockets, over a results directory of its own.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "control/api.h"
#include "tests/control/small_scenario.h"
#include "tests/results/temp_directory.h"

namespace plumbline::control {

class ServerParts {
 public:
  explicit ServerParts(Api::Access access = {}, LiveHub::Limits kept = {})
      : live("instance", kept), api({runs, ports, live, metrics}, std::move(access)) {}

  // Below it scenarios that are sent may name files.
  [[nodiscard]] std::filesystem::path files() const { return directory.path() / "files"; }

  // Who has the simulated hosts: "free", "reserved", "running".
  std::string hosts() {
    for (const PortState& port : ports.list()) {
      if (port.name == "sim") return port.state;
    }
    return "none";
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
