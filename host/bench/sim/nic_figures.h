// What RDMA NICs count of a transport's trouble, as figures that have one name whatever the NIC:
// what each kernel driver calls the counters behind them (docs/endpoint-benches.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/trial/trial.h"

namespace plumbline::bench {

enum class NicFigure {
  // What made a requester send again: sequence errors that the peer told of, timeouts, receivers
  // that were not ready. NICs count such events, or packets.
  kRetransmissions,
  kCnpsSent,      // congestion notifications, as receiver of marked packets
  kCnpsHandled,   // congestion notifications that a sender obeyed
  kOutOfSequence  // packets that came in another order than they were sent, or after a gap
};
inline constexpr std::array<NicFigure, 4> kNicFigures{NicFigure::kRetransmissions,
                                                      NicFigure::kCnpsSent, NicFigure::kCnpsHandled,
                                                      NicFigure::kOutOfSequence};

// Its KPI: "nic_retransmissions".
std::string_view nicFigureKpi(NicFigure figure);
// In words: "retransmissions".
std::string_view nicFigureName(NicFigure figure);

// Of "mlx5_0 port 1 out_of_sequence" the file's name "out_of_sequence", and what is in front of it.
std::string_view counterOf(const HostCounter& counter);
std::string_view counterOwner(const HostCounter& counter);

// The figure that a counter is part of, by its file's name ("out_of_sequence"). Nothing for all the
// others.
std::optional<NicFigure> figureOfCounter(std::string_view counter);

// Counters that make up the figure on NICs of a driver, as in the table; empty when it has none.
// Not every device shows all that its driver knows. `driver` is the one of the PCI device, as
// /sys/class/infiniband/…/device/driver has it, or kSoftRoce.
std::vector<std::string_view> countersOf(std::string_view driver, NicFigure figure);

// Whether the table has the driver.
bool isKnownNicDriver(std::string_view driver);

inline constexpr std::string_view kSoftRoce = "rdma_rxe";  // its module's name

}  // namespace plumbline::bench
