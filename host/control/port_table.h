// Assigns ports to runs and reservations.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "control/api_types.h"

namespace plumbline::control {

// Thread-safe. Every refusal names the owner of the port.
class PortTable {
 public:
  using Clock = std::chrono::system_clock;

  // Whether the machine has the device of a bench's port.
  using Presence = std::function<bool(const PortState&)>;

  // `now` and `present` replace the clock and the machine, in tests.
  explicit PortTable(std::vector<PortState> ports, std::function<Clock::time_point()> now = {},
                     Presence present = {});

  [[nodiscard]] std::vector<PortState> list();

  // Throws Refused: 404 for an unknown port, 409 for one that is taken, 400 for an empty list or an
  // invalid time.
  Reservation reserve(const ReservationRequest& request);
  // Throws Refused(404).
  void release(const std::string& reservation);

  // Assigns the ports to `run` until free(); a run without a number yet is kStarting. Throws
  // Refused(409) when another run or a reservation other than `reservation` has one of them, 404
  // for an unknown reservation.
  void claim(std::int64_t run, const std::vector<std::string>& ports, const std::string& owner,
             const std::optional<std::string>& reservation);
  void rename(std::int64_t from, std::int64_t to);
  void free(std::int64_t run);

  static constexpr std::int64_t kStarting = 0;

 private:
  void expire();
  PortState& find(const std::string& name);
  [[nodiscard]] const Reservation* reservationOf(const std::string& port) const;

  std::function<Clock::time_point()> now_;
  Presence present_;
  std::mutex mutex_;
  std::vector<PortState> ports_;
  std::map<std::string, Reservation> reservations_;
};

// An identifier that cannot be guessed: 32 hexadecimal digits.
std::string randomIdentifier();

}  // namespace plumbline::control
