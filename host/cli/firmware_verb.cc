#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/printable.h"
#include "bench/trial/registry.h"
#include "card/built_in_firmware.h"
#include "card/firmware.h"
#include "card/firmware_image.h"
#include "cli/verbs.h"
#include "session/text_table.h"

namespace plumbline::cli {
namespace {

struct FirmwareOptions {
  std::string bench = "rtl";
  bench::FpgaSpec cards;
  std::string image;
  bool load = false;
  bool json = false;
};

// What one card has to say.
struct CardReport {
  std::string description;
  card::FirmwareInfo info;
  firmware::Shared shared{};
  std::vector<std::pair<Picoseconds, firmware::LogEntry>> log;
};

card::FirmwareImage readImage(const std::string& file) {
  if (file.empty()) {
    if (card::builtInFirmware().empty()) {
      throw Error(ErrorKind::kUnsupported, "this program was built without firmware", {},
                  "--image FILE, or a build with the package gcc-riscv64-unknown-elf");
    }
    return card::parseFirmwareImage(card::builtInFirmware(), "built-in firmware");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::kUsage, "the image of the firmware cannot be read", file,
                "a file that is there and may be read");
  }
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  return card::parseFirmwareImage(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, file);
}

CardReport reportOf(bench::OpenCard& open, const std::optional<card::FirmwareImage>& image) {
  card::Firmware firmware(*open.bus);
  if (image) {
    firmware.load(*image);
    firmware.start();
  }
  CardReport report{.description = open.description, .info = firmware.info(), .log = {}};
  report.shared = firmware.shared();
  for (const firmware::LogEntry& entry : card::logOf(report.shared)) {
    const std::uint64_t clocks = entry.time_low | std::uint64_t{entry.time_high} << 32U;
    report.log.emplace_back(firmware.timeOf(clocks), entry);
  }
  return report;
}

std::string seconds(Picoseconds time) {
  return fmt::format("{:.6f} s", static_cast<double>(time.count()) / 1e12);
}

void print(std::size_t number, const CardReport& report) {
  fmt::print("card {}: {}\n", number, printable(report.description));
  const firmware::Statistics& counts = report.shared.statistics;
  fmt::print("{}",
             session::alignedTable(
                 {"firmware", ""},
                 {{"version", card::firmwareVersionText(report.info.version)},
                  {"interface", card::interfaceVersionText(report.info.interface_version)},
                  {"state", card::stateName(report.info.state)},
                  {"uptime", seconds(report.info.uptime)},
                  {"watchdog", report.info.watchdog ? seconds(*report.info.watchdog) : "not armed"},
                  {"commands carried out", std::to_string(counts.commands)},
                  {"commands refused", std::to_string(counts.refused)},
                  {"transmitter parked", std::to_string(counts.parks)},
                  {"accesses refused by the card", std::to_string(counts.failed_accesses)}}));
  std::vector<std::vector<std::string>> lines;
  for (const auto& [time, entry] : report.log) {
    lines.push_back({seconds(time), card::describe(entry)});
  }
  fmt::print("\n{}", session::alignedTable({"time", "log"}, lines));
}

nlohmann::json jsonOf(const CardReport& report) {
  const firmware::Statistics& counts = report.shared.statistics;
  nlohmann::json log = nlohmann::json::array();
  for (const auto& [time, entry] : report.log) {
    log.push_back({{"time_ps", time.count()},
                   {"event", entry.event},
                   {"argument", entry.argument},
                   {"text", card::describe(entry)}});
  }
  nlohmann::json json{{"card", report.description},
                      {"version", card::firmwareVersionText(report.info.version)},
                      {"interface", card::interfaceVersionText(report.info.interface_version)},
                      {"state", card::stateName(report.info.state)},
                      {"uptime_ps", report.info.uptime.count()},
                      {"watchdog_ps", nullptr},
                      {"commands", counts.commands},
                      {"commands_refused", counts.refused},
                      {"parks", counts.parks},
                      {"failed_accesses", counts.failed_accesses},
                      {"log", std::move(log)}};
  if (report.info.watchdog) json["watchdog_ps"] = report.info.watchdog->count();
  return json;
}

ExitCode showFirmware(const FirmwareOptions& options) {
  if (options.bench == "fpga" && options.cards.xclbin.empty()) {
    throw Error(ErrorKind::kUsage, "the bench fpga needs the file of the packed card", "--bench",
                "--xclbin FILE");
  }
  // A simulated card has just come out of reset: nothing runs on it yet.
  const bool loads = options.load || !options.image.empty() || options.bench == "rtl";
  const auto image = loads ? std::optional(readImage(options.image)) : std::nullopt;
  std::vector<bench::OpenCard> cards = bench::openCards(options.bench, options.cards);
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const CardReport report = reportOf(cards[i], image);
    if (options.json) {
      all.push_back(jsonOf(report));
    } else {
      print(i, report);
    }
  }
  if (options.json)
    fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  return ExitCode::kDone;
}

}  // namespace

void addFirmwareVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<FirmwareOptions>();
  CLI::App* verb =
      app.add_subcommand("firmware", "Show version, state and log of the cards' firmware");
  verb->add_option("--bench", options->bench, "Bench whose cards are read: rtl or fpga")
      ->capture_default_str();
  verb->add_option("--device", options->cards.devices, "fpga: devices of the Xilinx Runtime")
      ->capture_default_str();
  verb->add_option("--xclbin", options->cards.xclbin, "fpga: file of the packed card");
  verb->add_option("--image", options->image,
                   "Image to load and start (default: the built-in one)");
  verb->add_flag("--load", options->load,
                 "Load and start firmware first; a simulated card always does");
  verb->add_flag("--json", options->json, "Print JSON instead of tables");
  verb->callback([options, &action] { action = [options] { return showFirmware(*options); }; });
}

}  // namespace plumbline::cli
