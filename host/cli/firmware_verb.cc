#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
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
#include "card/firmware_ports.h"
#include "cli/clock_role.h"
#include "cli/host_name.h"
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
  std::vector<std::string> clocks;  // roles, as parseClockRole() reads them
};

struct PortReport {
  firmware::PortStatus status{};
  Picoseconds link_changed{};
  Picoseconds retry_changed{};
  card::MacHealth health;
  Picoseconds counted{};  // the time that the counts are of
};

// What one card has to say.
struct CardReport {
  std::string description;
  card::FirmwareInfo info;
  firmware::Shared shared{};
  std::vector<std::pair<Picoseconds, firmware::LogEntry>> log;
  std::vector<PortReport> ports;
  card::CardClock clock;
  Picoseconds clock_changed{};
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

CardReport reportOf(bench::OpenCard& open, const std::optional<card::FirmwareImage>& image,
                    const std::optional<card::PtpSettings>& clock) {
  card::Firmware firmware(*open.bus);
  if (image) {
    firmware.load(*image);
    firmware.start();
  }
  if (clock) {
    card::PtpSettings settings = *clock;
    settings.mac = clockAddress(hostName(), open.description, settings.port);
    firmware.setPtp(settings);
  }
  CardReport report{.description = open.description,
                    .info = firmware.info(),
                    .log = {},
                    .ports = {},
                    .clock = {}};
  report.shared = firmware.shared();
  for (const firmware::LogEntry& entry : card::logOf(report.shared)) {
    const std::uint64_t clocks = entry.time_low | std::uint64_t{entry.time_high} << 32U;
    report.log.emplace_back(firmware.timeOf(clocks), entry);
  }
  for (std::uint32_t port = 0; port < firmware.ports(); ++port) {
    PortReport is;
    is.status = firmware.port(port);
    is.link_changed = firmware.timeOf(card::wide(is.status.link.changed));
    is.retry_changed = firmware.timeOf(card::wide(is.status.retry.changed));
    is.health = card::healthOf(is.status.health);
    is.counted = firmware.timeOf(is.health.clocks);
    report.ports.push_back(is);
  }
  report.clock = card::clockOf(firmware.ptp());
  report.clock_changed = firmware.timeOf(report.clock.changed);
  return report;
}

std::string seconds(Picoseconds time) {
  return fmt::format("{:.6f} s", static_cast<double>(time.count()) / 1e12);
}

std::string ratioText(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.3e}", *ratio) : "-";
}

template <std::size_t n>
std::string perLane(const std::array<std::uint64_t, n>& lanes) {
  return fmt::format("{}", fmt::join(lanes, " "));
}

// Rows of a port's link, its link-level retry and its counts: what it does not have is left out.
std::vector<std::vector<std::string>> portRows(const PortReport& report) {
  std::vector<std::vector<std::string>> rows;
  const firmware::LinkStatus& link = report.status.link;
  if (report.status.has_mac == 0) {
    rows.push_back({"link", "the card has no MAC registers for this port"});
  } else {
    const card::MacCounters& health = report.health.counted;
    rows = {{"link", card::linkStateName(link.state)},
            {"reason", card::linkReasonText(link.reason)},
            {"mode", card::linkModeName(link.mode)},
            {"FEC asked for", card::fecPolicyName(link.fec)},
            {"FEC in use", link.rs_fec != 0 ? "RS-FEC" : "off"},
            {"losses", std::to_string(link.losses)},
            {"last change", seconds(report.link_changed)},
            {"counted for", seconds(report.counted)},
            {"FEC codewords", std::to_string(health.fec_codewords)},
            {"corrected",
             fmt::format("{} ({})", health.fec_corrected, ratioText(health.correctedRatio()))},
            {"uncorrected",
             fmt::format("{} ({})", health.fec_uncorrected, ratioText(health.uncorrectedRatio()))},
            {"symbol error ratio", ratioText(health.symbolErrorRatio())},
            {"symbol errors by FEC lane", perLane(health.fec_symbol_errors)},
            {"BIP errors by PCS lane", perLane(health.bip_errors)},
            {"bad codes", std::to_string(health.bad_codes)},
            {"alignment losses", std::to_string(health.alignment_losses)},
            {"high bit error ratio", std::to_string(health.hi_ber_events)},
            {"local faults", std::to_string(health.local_faults)},
            {"remote faults", std::to_string(health.remote_faults)},
            {"TX underflows, overflows",
             fmt::format("{}, {}", health.tx_underflows, health.tx_overflows)},
            {"RX FIFO overflows", std::to_string(health.rx_fifo_overflows)},
            {"MAC clock / bus clock", ratioText(report.health.clock_ratio)}};
    if (health.saturated) rows.push_back({"counts", "lower bounds: a counter was full"});
  }
  const firmware::RetryStatus& retry = report.status.retry;
  if (report.status.has_retry != 0) {
    rows.push_back({"link-level retry", card::retryStateName(retry.state)});
    rows.push_back({"retry policy", card::retryPolicyName(retry.policy)});
    rows.push_back({"retry reason", card::retryReasonText(retry.reason)});
    rows.push_back({"attempts, failed", fmt::format("{}, {}", retry.attempts, retry.failures)});
    rows.push_back({"retry changed", seconds(report.retry_changed)});
  }
  return rows;
}

nlohmann::json jsonOf(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json healthJson(const PortReport& report) {
  const card::MacCounters& health = report.health.counted;
  return {{"counted_ps", report.counted.count()},
          {"lower_bounds", health.saturated},
          {"fec_codewords", health.fec_codewords},
          {"fec_corrected", health.fec_corrected},
          {"fec_uncorrected", health.fec_uncorrected},
          {"fec_symbol_errors", health.fec_symbol_errors},
          {"bip_errors", health.bip_errors},
          {"bad_codes", health.bad_codes},
          {"alignment_losses", health.alignment_losses},
          {"hi_ber_events", health.hi_ber_events},
          {"local_faults", health.local_faults},
          {"remote_faults", health.remote_faults},
          {"tx_underflows", health.tx_underflows},
          {"tx_overflows", health.tx_overflows},
          {"rx_fifo_overflows", health.rx_fifo_overflows},
          {"corrected_ratio", jsonOf(health.correctedRatio())},
          {"uncorrected_ratio", jsonOf(health.uncorrectedRatio())},
          {"symbol_error_ratio", jsonOf(health.symbolErrorRatio())},
          {"mac_clock_ratio", jsonOf(report.health.clock_ratio)}};
}

nlohmann::json portJson(const PortReport& report) {
  nlohmann::json json{{"link", nullptr}, {"health", nullptr}, {"retry", nullptr}};
  const firmware::LinkStatus& link = report.status.link;
  if (report.status.has_mac != 0) {
    json["link"] = {{"state", card::linkStateName(link.state)},
                    {"reason", card::linkReasonText(link.reason)},
                    {"mode", card::linkModeName(link.mode)},
                    {"fec_policy", card::fecPolicyName(link.fec)},
                    {"rs_fec", link.rs_fec != 0},
                    {"losses", link.losses},
                    {"changed_ps", report.link_changed.count()}};
    json["health"] = healthJson(report);
  }
  const firmware::RetryStatus& retry = report.status.retry;
  if (report.status.has_retry != 0) {
    json["retry"] = {{"state", card::retryStateName(retry.state)},
                     {"reason", card::retryReasonText(retry.reason)},
                     {"policy", card::retryPolicyName(retry.policy)},
                     {"attempts", retry.attempts},
                     {"failures", retry.failures},
                     {"changed_ps", report.retry_changed.count()}};
  }
  return json;
}

std::string nanosecondsText(Picoseconds time) {
  return fmt::format("{:.3f} ns", static_cast<double>(time.count()) / 1e3);
}

std::vector<std::vector<std::string>> clockRows(const CardReport& report) {
  const card::CardClock& clock = report.clock;
  if (!clock.present) return {{"role", "the card's time has no rate to be set"}};
  std::vector<std::vector<std::string>> rows{{"role", card::ptpRoleName(clock.role)},
                                             {"state", card::ptpStateName(clock.state)},
                                             {"last change", seconds(report.clock_changed)}};
  if (clock.role == firmware::kPtpOff) return rows;
  rows.push_back({"port, domain", fmt::format("{}, {}", clock.port, clock.domain)});
  rows.push_back({"master", clock.master.empty() ? "-" : clock.master});
  rows.push_back({"offset", nanosecondsText(clock.offset)});
  rows.push_back({"standard uncertainty", nanosecondsText(clock.uncertainty)});
  rows.push_back({"path delay", nanosecondsText(clock.delay)});
  rows.push_back({"rate", fmt::format("{:.6f} ppm", clock.rate_ppm)});
  rows.push_back({"Syncs, exchanges", fmt::format("{}, {}", clock.syncs, clock.exchanges)});
  rows.push_back({"outliers, steps", fmt::format("{}, {}", clock.outliers, clock.steps)});
  rows.push_back({"masters lost", std::to_string(clock.losses)});
  rows.push_back({"bad frames, dropped", fmt::format("{}, {}", clock.bad_frames, clock.dropped)});
  return rows;
}

nlohmann::json clockJson(const CardReport& report) {
  const card::CardClock& clock = report.clock;
  if (!clock.present) return nullptr;
  return {{"role", card::ptpRoleName(clock.role)},
          {"state", card::ptpStateName(clock.state)},
          {"changed_ps", report.clock_changed.count()},
          {"port", clock.port},
          {"domain", clock.domain},
          {"master", clock.master},
          {"offset_ps", clock.offset.count()},
          {"uncertainty_ps", clock.uncertainty.count()},
          {"path_delay_ps", clock.delay.count()},
          {"rate_ppm", clock.rate_ppm},
          {"syncs", clock.syncs},
          {"exchanges", clock.exchanges},
          {"outliers", clock.outliers},
          {"steps", clock.steps},
          {"losses", clock.losses},
          {"bad_frames", clock.bad_frames},
          {"dropped", clock.dropped}};
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
  for (std::size_t port = 0; port < report.ports.size(); ++port) {
    fmt::print("\n{}", session::alignedTable({fmt::format("port {}", port), ""},
                                             portRows(report.ports[port])));
  }
  fmt::print("\n{}", session::alignedTable({"card's time", ""}, clockRows(report)));
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
                      {"ports", nlohmann::json::array()},
                      {"time", clockJson(report)},
                      {"log", std::move(log)}};
  for (const PortReport& port : report.ports) json["ports"].push_back(portJson(port));
  if (report.info.watchdog) json["watchdog_ps"] = report.info.watchdog->count();
  return json;
}

// By card.
std::vector<std::optional<card::PtpSettings>> clocksOf(const FirmwareOptions& options,
                                                       std::size_t cards) {
  std::vector<std::optional<card::PtpSettings>> clocks(cards);
  for (const std::string& text : options.clocks) {
    const ClockRole role = parseClockRole(text);
    if (role.card >= cards) {
      throw Error(ErrorKind::kUsage, fmt::format("there is no card {}", role.card), "--ptp",
                  fmt::format("cards below {}, in the order of --device", cards));
    }
    clocks[role.card] = role.settings;
  }
  return clocks;
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
  const auto clocks = clocksOf(options, cards.size());
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const CardReport report = reportOf(cards[i], image, clocks[i]);
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
  CLI::App* verb = app.add_subcommand(
      "firmware", "Show version, state, links, time and log of the cards' firmware");
  verb->add_option("--bench", options->bench, "Bench whose cards are read: rtl or fpga")
      ->capture_default_str();
  verb->add_option("--device", options->cards.devices, "fpga: devices of the Xilinx Runtime")
      ->capture_default_str();
  verb->add_option("--xclbin", options->cards.xclbin, "fpga: file of the packed card");
  verb->add_option("--image", options->image,
                   "Image to load and start (default: the built-in one)");
  verb->add_flag("--load", options->load,
                 "Load and start firmware first; a simulated card always does");
  verb->add_option("--ptp", options->clocks,
                   "A clock's role, CARD:ROLE[:PORT]: master, slave, pps or off");
  verb->add_flag("--json", options->json, "Print JSON instead of tables");
  verb->callback([options, &action] { action = [options] { return showFirmware(*options); }; });
}

}  // namespace plumbline::cli
