#include "bench/card/fpga_bench.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <variant>

#include "base/error.h"
#include "bench/card/card_capabilities.h"
#include "bench/card/card_trial.h"
#include "bench/card/flow_plan.h"
#include "bench/card/link_partner.h"

namespace plumbline::bench {
namespace {

// Upper bound for all cards of a host together, before they are opened.
constexpr std::uint32_t kMaxPorts = 32;
// Cards of this width have ports of this rate.
constexpr std::uint32_t kDataBytes = 64;
constexpr BitRate kLineRate = gigabitsPerSecond(100);
constexpr Picoseconds kClockPeriod{3104};
// A real MAC fills up what is shorter, FCS included: other bytes than the trial means would be
// sent.
constexpr std::uint32_t kShortestSent = 60;

}  // namespace

FpgaBench::FpgaBench() : capabilities_(cardCapabilities(kLineRate, kClockPeriod)) {
  capabilities_.name = "fpga";
  capabilities_.description = "tester cards in this host, 100G per port, before a real DUT";
  capabilities_.max_ports = kMaxPorts;
  capabilities_.simulated_dut = false;
  capabilities_.trial_overhead = milliseconds(20);
  capabilities_.wall_seconds_per_second = 1;
  capabilities_.departures = true;
}

FpgaBench::FpgaBench(const FpgaSpec& spec, std::vector<OpenCard> cards) : FpgaBench() {
  std::vector<std::unique_ptr<card::RegisterBus>> buses;
  std::vector<std::string> descriptions;
  for (OpenCard& card : cards) {
    buses.push_back(std::move(card.bus));
    descriptions.push_back(std::move(card.description));
  }
  cards_ = std::make_unique<BusCards>(std::move(buses), spec.time);
  tx_offset_ = spec.tx_delay.value_or(Picoseconds());
  rx_offset_ = -spec.rx_delay.value_or(Picoseconds());

  const card::CardInfo& info = cards_->info();
  if (info.data_bytes != kDataBytes) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the card takes {} bytes per clock", info.data_bytes), "CAPABILITY",
                fmt::format("{}, for ports of 100 Gb/s", kDataBytes));
  }
  capabilities_.max_ports = cards_->ports();
  capabilities_.flows_per_port = info.flows;
  capabilities_.groups = info.groups;
  capabilities_.timestamp_resolution =
      Picoseconds((info.clock_period_num + info.clock_period_den - 1) / info.clock_period_den);
  capabilities_.clock_rate = kOscillatorTolerance;
  capabilities_.damage = info.damage;
  capabilities_.pfc_send = info.pfc_send;
  capabilities_.queue_pairs = info.messages;
  capabilities_.patterns = info.patterns;
  captures_ = info.capture && info.dma;
  capabilities_.departures = captures_;  // they are read off captured frames
  describe(spec, descriptions);
  bringUpLinks(spec.fec);
}

void FpgaBench::bringUpLinks(card::MacFec fec) {
  const std::vector<card::MacLink> links = cards_->bringUpLinks(fec);
  for (std::size_t port = 0; port < links.size(); ++port) {
    const card::MacLink& link = links[port];
    capabilities_.configuration.emplace_back(
        fmt::format("Link of card port {}", port),
        link.state == card::MacState::kUp
            ? fmt::format("up, {}", link.rs_fec ? "with RS-FEC" : "without FEC")
            : fmt::format("down: {}", card::describe(link.reason)));
  }
}

void FpgaBench::describe(const FpgaSpec& spec, const std::vector<std::string>& cards) {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    capabilities_.configuration.emplace_back(fmt::format("Card {}", i), cards[i]);
  }
  const auto calibrated = [](const std::optional<Picoseconds>& delay) {
    return delay ? fmt::format("{} ps", delay->count()) : std::string("not calibrated");
  };
  capabilities_.configuration.emplace_back(
      "MAC of the card", fmt::format("sending {}, receiving {}", calibrated(spec.tx_delay),
                                     calibrated(spec.rx_delay)));
  if (!spec.tx_delay || !spec.rx_delay) {
    capabilities_.unobserved.push_back(
        {"latency from port to port",
         "the card's MAC is not calibrated (fpga.tx_delay, fpga.rx_delay), so its own delay is in "
         "every latency"});
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    capabilities_.configuration.emplace_back(fmt::format("Firmware of card {}", i),
                                             cards_->firmware()[i]);
  }
  noteDisagreement();
  if (cards.size() > 1 && spec.time == CardTime::kFirmware) {
    capabilities_.configuration.emplace_back(
        "Common time of the cards",
        fmt::format("kept by their firmware; within {} ns when they were opened, to which half "
                    "the difference of the two ways between their clocks comes",
                    cards_->disagreement().toNanoseconds()));
    capabilities_.unobserved.push_back(
        {"asymmetry of the paths between the cards' clocks",
         "half of it is in every latency between cards, and no clock on the path shows it"});
  } else if (cards.size() > 1) {
    capabilities_.configuration.emplace_back(
        "Common start of the cards",
        fmt::format(
            "their times are set before every trial; within {:.3g} us when they were opened",
            cards_->disagreement().toMicroseconds()));
    capabilities_.unobserved.push_back(
        {"latency between ports of different cards", "the cards have no common clock"});
  }
}

void FpgaBench::noteDisagreement() {
  capabilities_.clock_offset = std::max(capabilities_.clock_offset, cards_->disagreement());
  if (cards_->haveCommonTime()) capabilities_.latency_offset = capabilities_.clock_offset;
}

std::vector<std::string> FpgaBench::refusals(const TrialSpec& spec) const {
  std::vector<std::string> refusals = planRefusals(spec, capabilities_);
  if (spec.capture_port && !captures_) {
    refusals.emplace_back("no captures: the card has no path to the host's memory");
  }
  if (spec.recordsFabric()) {
    refusals.emplace_back("only the sim bench samples a trial as it runs");
  }
  for (const DamageSpec& damage : spec.damage) {
    const auto* rule = std::get_if<card::DamageRule>(&damage.what);
    if (rule != nullptr && damage.direction == card::DamageDirection::kSent &&
        rule->kind == card::DamageKind::kTruncate && rule->bytes < kShortestSent) {
      refusals.push_back(fmt::format(
          "frames cut to {} bytes: the card's MAC fills up what it sends to {} bytes, so the bench "
          "cuts frames to {} bytes or more",
          rule->bytes, kShortestSent, kShortestSent));
    }
  }
  if (spec.workload) {
    refusals.emplace_back("a workload needs simulated hosts, which a real device does not have");
  }
  return refusals;
}

TrialResult FpgaBench::run(const TrialSpec& spec, const TrialHooks& hooks) {
  if (!cards_) {
    throw Error(ErrorKind::kUsage, "the scenario does not name a card", "fpga",
                "fpga: {xclbin: FILE} with the file of the packed card");
  }
  if (const auto reasons = refusals(spec); !reasons.empty()) {
    throw Error(ErrorKind::kUnsupported,
                fmt::format("the fpga bench cannot run this trial: {}", fmt::join(reasons, "; ")));
  }
  const auto started = std::chrono::steady_clock::now();
  LinkPartner device;
  TrialResult result =
      CardTrial(*cards_, device, {tx_offset_, rx_offset_}, spec, capabilities_, hooks).run();
  checkTimes(result);
  noteDisagreement();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
  result.bench = capabilities_.name;
  result.observed = capabilities_.observed;
  result.wall_seconds = wall.count();
  return result;
}

// A clock that has lost its master in a trial makes the trial invalid.
void FpgaBench::checkTimes(TrialResult& result) {
  try {
    cards_->checkTimes();
  } catch (const Error& error) {
    result.faults.push_back(fmt::format("{}: {}", error.where(), error.what()));
  }
}

}  // namespace plumbline::bench
