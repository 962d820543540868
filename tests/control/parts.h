// A whole server without sockets, over a results directory of its own.
#pragma once

#include <utility>

#include "control/api.h"
#include "tests/control/small_scenario.h"
#include "tests/results/temp_directory.h"

namespace plumbline::control {

class ServerParts {
 public:
  explicit ServerParts(Api::Access access = {}, LiveHub::Limits kept = {})
      : live("instance", kept), api({runs, ports, live, metrics}, std::move(access)) {}

  // Who has the simulated hosts: "free", "reserved", "running".
  std::string hosts() {
    for (const PortState& port : ports.list()) {
      if (port.name == "sim") return port.state;
    }
    return "none";
  }

  TempDirectory directory;
  LiveHub live;
  Metrics metrics;
  PortTable ports{allPorts()};
  RunManager runs{directory.path() / "results", live, ports};
  Api api;
};

}  // namespace plumbline::control
