#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "bench/trial/registry.h"
#include "cli/note.h"
#include "cli/verbs.h"
#include "control/port_table.h"
#include "control/run_manager.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

// The devices of the fpga bench's ports. It is no error if there are none.
std::vector<std::string> cardDevices() {
  std::vector<std::string> devices;
  try {
    for (const bench::CardSlot& slot : bench::cardSlots()) {
      std::string device = "device " + slot.number;
      for (const std::string& more : {slot.bdf, slot.name}) {
        if (!more.empty()) device += ", " + more;
      }
      devices.push_back(std::move(device));
    }
    if (devices.empty()) note(stderr, "fpga: the Xilinx Runtime finds no device\n");
  } catch (const Error& error) {
    note(stderr, "fpga: {}\n", error.what());
  }
  return devices;
}

ExitCode ports() {
  std::vector<std::vector<std::string>> rows;
  for (const control::PortState& port : control::PortTable(control::allPorts()).list()) {
    const std::string rate =
        fmt::format("{:.6g} Gb/s", static_cast<double>(port.line_rate_bps) / 1e9);
    const std::vector<std::string> devices =
        port.bench == "fpga" ? cardDevices() : std::vector<std::string>();
    for (const std::string& device : devices) rows.push_back({port.name, rate, port.state, device});
    if (devices.empty()) rows.push_back({port.name, rate, port.state, ""});
  }
  fmt::print("{}", session::alignedTable({"port", "line rate", "state", "device"}, rows));
  return ExitCode::kDone;
}

}  // namespace

void addPortsVerb(CLI::App& app, Action& action) {
  app.add_subcommand("ports", "Show the tester's ports, and the cards in this host")
      ->callback([&action] { action = ports; });
}

}  // namespace plumbline::cli
