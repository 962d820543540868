// Counters of RDMA NICs for transport trouble, as figures with the same name for every NIC; the
// table gives each kernel driver's names of the counters (docs/endpoint-benches.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/trial.h"

namespace plumbline::bench {

enum class NicFigure {
  // Causes of retransmission at a requester: sequence errors reported by the peer, timeouts,
  // receivers that were not ready. NICs count such events, or packets.
  kRetransmissions,
  kCnpsSent,      // congestion notifications, as receiver of marked packets
  kCnpsHandled,   // congestion notifications that a sender obeyed
  kOutOfSequence  // packets out of order, or after a gap
};
inline constexpr std::array<NicFigure, 4> kNicFigures{NicFigure::kRetransmissions,
                                                      NicFigure::kCnpsSent, NicFigure::kCnpsHandled,
                                                      NicFigure::kOutOfSequence};

// The KPI: "nic_retransmissions".
std::string_view nicFigureKpi(NicFigure figure);
// In words: "retransmissions".
std::string_view nicFigureName(NicFigure figure);

// Splits "mlx5_0 port 1 out_of_sequence": the file name "out_of_sequence", and the text before it.
std::string_view counterOf(const HostCounter& counter);
std::string_view counterOwner(const HostCounter& counter);

// The figure that a counter belongs to, by its file name ("out_of_sequence"). Nothing for all
// others.
std::optional<NicFigure> figureOfCounter(std::string_view counter);

// Counters that make up the figure for a driver's NICs, as in the table; empty when there are none.
// A device may lack some of its driver's counters. `driver` is that of the PCI device, as in
// /sys/class/infiniband/…/device/driver, or kSoftRoce.
std::vector<std::string_view> countersOf(std::string_view driver, NicFigure figure);

// Whether the table has the driver.
bool isKnownNicDriver(std::string_view driver);

inline constexpr std::string_view kSoftRoce = "rdma_rxe";  // its module's name

}  // namespace plumbline::bench
