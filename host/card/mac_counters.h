// Counters of a MAC: forward error correction, lanes, faults of the link (registers, block mac).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace plumbline::card {

inline constexpr double kFecSymbols = 528;
inline constexpr double kFecSymbolBits = 10;

struct MacCounters {
  std::uint64_t fec_codewords = 0;                   // received, with RS-FEC
  std::uint64_t fec_corrected = 0;                   // codewords with errors that were corrected
  std::uint64_t fec_uncorrected = 0;                 // codewords with too many errors
  std::array<std::uint64_t, 4> fec_symbol_errors{};  // symbols corrected, per FEC lane
  std::array<std::uint64_t, 20> bip_errors{};        // per PCS lane, without RS-FEC
  std::uint64_t bad_codes = 0;                       // invalid 64B/66B blocks
  std::uint64_t alignment_losses = 0;
  std::uint64_t hi_ber_events = 0;
  std::uint64_t local_faults = 0;
  std::uint64_t remote_faults = 0;
  std::uint64_t tx_underflows = 0;      // clocks in which the MAC ran dry inside a frame
  std::uint64_t tx_overflows = 0;       // clocks in which the MAC was given too much
  std::uint64_t rx_fifo_overflows = 0;  // beats lost between the MAC's clock and the card's
  // A counter has reached its highest value and stands still: its figure is a lower bound.
  bool saturated = false;

  [[nodiscard]] std::uint64_t symbolErrors() const;  // over all FEC lanes
  // Of all codewords, those with errors that were corrected, and those that could not be; empty
  // while no codeword has been counted.
  [[nodiscard]] std::optional<double> correctedRatio() const;
  [[nodiscard]] std::optional<double> uncorrectedRatio() const;
  // Symbols (of 10 bits) corrected, of all received. RS(528,514), IEEE 802.3 clause 91: 528 symbols
  // in a codeword.
  [[nodiscard]] std::optional<double> symbolErrorRatio() const;

  bool operator==(const MacCounters&) const = default;
};

}  // namespace plumbline::card
