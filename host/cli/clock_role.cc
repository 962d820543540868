#include "cli/clock_role.h"

#include <charconv>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/hash64.h"

namespace plumbline::cli {
namespace {

constexpr std::uint32_t kMaxNumber = 255;

std::vector<std::string_view> partsOf(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

std::optional<std::uint32_t> numberOf(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kMaxNumber) {
    return std::nullopt;
  }
  return number;
}

std::optional<firmware::PtpRole> roleOf(std::string_view text) {
  if (text == "master") return firmware::kPtpMaster;
  if (text == "slave") return firmware::kPtpSlave;
  if (text == "pps") return firmware::kPtpPps;
  if (text == "off") return firmware::kPtpOff;
  return std::nullopt;
}

}  // namespace

ClockRole parseClockRole(const std::string& text) {
  const std::vector<std::string_view> parts = partsOf(text);
  const auto card = numberOf(parts[0]);
  const auto role = parts.size() > 1 ? roleOf(parts[1]) : std::nullopt;
  const auto port = parts.size() > 2 ? numberOf(parts[2]) : std::optional<std::uint32_t>(0);
  if (parts.size() > 3 || !card || !role || !port) {
    throw Error(ErrorKind::kUsage, "\"" + text + "\" is no role of a card's clock", "--ptp",
                "CARD:ROLE[:PORT] with ROLE master, slave, pps or off: 1:slave:0");
  }
  ClockRole result{.card = *card, .settings = {}};
  result.settings.role = *role;
  result.settings.port = *port;
  return result;
}

std::array<std::uint8_t, 6> clockAddress(std::string_view host, std::string_view card,
                                         std::uint32_t port) {
  Hash64 hash;
  hash.add(host);
  hash.add("/");
  hash.add(card);
  const std::uint64_t value = hash.value();
  const auto byte = [&](unsigned shift) { return static_cast<std::uint8_t>(value >> shift); };
  return {0x02, byte(0), byte(8), byte(16), byte(24), static_cast<std::uint8_t>(port)};
}

}  // namespace plumbline::cli
