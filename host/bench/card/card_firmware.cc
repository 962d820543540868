#include "bench/card/card_firmware.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/error.h"

namespace plumbline::bench {
namespace {

constexpr const char* kSetUp = "one master and slaves that are locked: plumbline firmware --ptp";
constexpr double kCoverage = 3;

}  // namespace

CardFirmware::CardFirmware(std::span<const std::unique_ptr<card::RegisterBus>> buses) {
  for (const auto& bus : buses) find(*bus);
}

CardFirmware::~CardFirmware() {
  for (const Borrowed& one : borrowed_) {
    try {
      one.firmware->setLinkMode(one.port, one.mode);
    } catch (const Error&) {  // the card is gone, and its firmware with it
    }
  }
}

void CardFirmware::find(card::RegisterBus& bus) {
  firmware_.emplace_back();
  if (!card::ControlCore::isPresent(bus)) {
    descriptions_.emplace_back("none: the card has no control processor");
    return;
  }
  auto one = std::make_unique<card::Firmware>(bus);
  const card::CoreState state = one->processor();
  if (state == card::CoreState::kReset || state == card::CoreState::kHalted) {
    descriptions_.emplace_back("none runs on the card's control processor");
    return;
  }
  try {
    const card::FirmwareInfo info = one->info();
    descriptions_.push_back(fmt::format("version {}, interface {}",
                                        card::firmwareVersionText(info.version),
                                        card::interfaceVersionText(info.interface_version)));
    firmware_.back() = std::move(one);
    borrowLinks(*firmware_.back());
  } catch (const Error& error) {
    descriptions_.push_back(fmt::format("does not answer: {}", error.what()));
  }
}

void CardFirmware::borrowLinks(card::Firmware& firmware) {
  for (std::uint32_t port = 0; port < firmware.ports(); ++port) {
    const firmware::PortStatus status = firmware.port(port);
    const auto mode = static_cast<firmware::LinkMode>(status.link.mode);
    if (status.has_mac == 0 || mode == firmware::kLinkReleased) continue;
    borrowed_.push_back({&firmware, port, mode});
    firmware.setLinkMode(port, firmware::kLinkReleased);
  }
}

std::vector<card::CardClock> CardFirmware::clocks() {
  std::vector<card::CardClock> clocks;
  for (std::size_t card = 0; card < firmware_.size(); ++card) {
    if (!firmware_[card]) {
      throw Error(ErrorKind::kTester,
                  "the card has no firmware that keeps its time: " + descriptions_[card],
                  fmt::format("card {}", card), "plumbline firmware --load");
    }
    clocks.push_back(card::clockOf(firmware_[card]->ptp()));
  }
  return clocks;
}

Picoseconds commonTimeBound(std::span<const card::CardClock> clocks) {
  const card::CardClock* first = nullptr;  // of those that follow a master
  std::size_t masters = 0;
  double worst = 0;
  double second = 0;
  for (std::size_t card = 0; card < clocks.size(); ++card) {
    const card::CardClock& clock = clocks[card];
    const auto refuse = [&](const std::string& why) {
      throw Error(ErrorKind::kTester, "the card has no common time with the others: " + why,
                  fmt::format("card {}", card), kSetUp);
    };
    if (clock.role == firmware::kPtpMaster) {
      if (++masters > 1) refuse("it is a second master");
      continue;
    }
    if (clock.role == firmware::kPtpOff) refuse("its time runs free");
    if (clock.state != firmware::kPtpLocked) {
      refuse("the state of its clock is \"" + card::ptpStateName(clock.state) + '"');
    }
    if (first == nullptr) first = &clock;
    if (std::tie(clock.role, clock.master, clock.domain) !=
        std::tie(first->role, first->master, first->domain)) {
      refuse("it follows another master");
    }
    const auto uncertainty = static_cast<double>(clock.uncertainty.count());
    second = std::max(second, std::min(worst, uncertainty));
    worst = std::max(worst, uncertainty);
  }
  return Picoseconds(std::llround(kCoverage * std::hypot(worst, second)));
}

}  // namespace plumbline::bench
