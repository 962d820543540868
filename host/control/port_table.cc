#include "control/port_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "base/printable.h"
#include "bench/trial/registry.h"
#include "control/refused.h"

namespace plumbline::control {
namespace {

constexpr std::int64_t kMaxSeconds = 86'400;

std::int64_t milliseconds(PortTable::Clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

// A device may come and go while the server runs.
bool isPresent(const PortState& port) {
  if (port.bench == "fpga") return bench::hasCardSlots();
  if (port.bench != "verbs") return true;
  std::error_code none;
  const std::filesystem::directory_iterator devices("/sys/class/infiniband", none);
  return devices != std::filesystem::directory_iterator();
}

// Shown to others, in refusals too.
void checkOwner(const std::string& owner) {
  constexpr std::size_t kMaxBytes = 200;
  if (owner.size() <= kMaxBytes && printable(owner) == owner) return;
  throw Refused(400, "this is no name of an owner", "owner",
                fmt::format("at most {} bytes of text without control characters", kMaxBytes));
}

// The time of day when it was made, and steady from then on: whoever sets the machine's time moves
// no reservation.
std::function<PortTable::Clock::time_point()> steadyClock() {
  using Steady = std::chrono::steady_clock;
  return [wall = PortTable::Clock::now(), steady = Steady::now()] {
    return wall + std::chrono::duration_cast<PortTable::Clock::duration>(Steady::now() - steady);
  };
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string randomIdentifier() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", random());
  return id;
}

PortTable::PortTable(std::vector<PortState> ports, std::function<Clock::time_point()> now,
                     Presence present)
    : now_(now ? std::move(now) : steadyClock()),
      present_(present ? std::move(present) : isPresent),
      ports_(std::move(ports)) {}

void PortTable::expire() {
  const std::int64_t now = milliseconds(now_());
  std::erase_if(reservations_, [now](const auto& entry) { return entry.second.expires_ms <= now; });
}

PortState& PortTable::find(const std::string& name) {
  const auto found = std::find_if(ports_.begin(), ports_.end(),
                                  [&](const PortState& port) { return port.name == name; });
  if (found == ports_.end()) {
    throw Refused(404, "there is no port \"" + name + "\"", name, "GET /api/v1/ports lists them");
  }
  return *found;
}

const Reservation* PortTable::reservationOf(const std::string& port) const {
  for (const auto& [id, reservation] : reservations_) {
    if (contains(reservation.ports, port)) return &reservation;
  }
  return nullptr;
}

std::vector<PortState> PortTable::list() {
  const std::scoped_lock lock(mutex_);
  expire();
  std::vector<PortState> ports = ports_;
  for (PortState& port : ports) {
    const Reservation* reservation = reservationOf(port.name);
    if (!port.run) port.owner = reservation != nullptr ? reservation->owner : std::string();
    if (port.run) {
      port.state = "running";
    } else if (reservation != nullptr) {
      port.state = "reserved";
    } else {
      port.state = present_(port) ? "free" : "absent";
    }
  }
  return ports;
}

Reservation PortTable::reserve(const ReservationRequest& request) {
  checkOwner(request.owner);
  if (request.ports.empty()) throw Refused(400, "no ports are named", "ports");
  if (request.ttl_s < 1 || request.ttl_s > kMaxSeconds) {
    throw Refused(400, fmt::format("{} s is no time to reserve for", request.ttl_s), "ttl_s",
                  fmt::format("1 to {}", kMaxSeconds));
  }
  std::set<std::string> names;
  for (const std::string& name : request.ports) {
    if (!names.insert(name).second) {
      throw Refused(400, fmt::format("port {} is named twice", name), "ports", "each port once");
    }
  }
  const std::scoped_lock lock(mutex_);
  expire();
  for (const std::string& name : request.ports) {
    const PortState& port = find(name);
    if (port.run) throw Refused(409, fmt::format("run {} has port {}", *port.run, name), name);
    if (const Reservation* other = reservationOf(name)) {
      throw Refused(409, fmt::format("\"{}\" has reserved port {}", other->owner, name), name,
                    "wait until it is released or lapses");
    }
  }
  Reservation reservation{randomIdentifier(), request.ports, request.owner,
                          milliseconds(now_() + std::chrono::seconds(request.ttl_s))};
  return reservations_.emplace(reservation.id, reservation).first->second;
}

void PortTable::release(const std::string& reservation) {
  const std::scoped_lock lock(mutex_);
  expire();
  if (reservations_.erase(reservation) == 0) {
    throw Refused(404, "there is no such reservation", reservation, "it may have lapsed");
  }
}

void PortTable::claim(std::int64_t run, const std::vector<std::string>& ports,
                      const std::string& owner, const std::optional<std::string>& reservation) {
  checkOwner(owner);
  const std::scoped_lock lock(mutex_);
  expire();
  if (reservation && !reservations_.contains(*reservation)) {
    throw Refused(404, "there is no such reservation", *reservation, "it may have lapsed");
  }
  for (const std::string& name : ports) {
    const PortState& port = find(name);
    if (port.run) {
      throw Refused(409, fmt::format("run {} has port {}", *port.run, name), name,
                    fmt::format("stop run {}, or wait for its end", *port.run));
    }
    const Reservation* holder = reservationOf(name);
    if (holder != nullptr && holder->id != reservation) {
      throw Refused(409, fmt::format("\"{}\" has reserved port {}", holder->owner, name), name,
                    "start the run with that reservation, or wait until it lapses");
    }
  }
  for (const std::string& name : ports) {
    PortState& port = find(name);
    port.run = run;
    port.owner = owner;
  }
}

void PortTable::rename(std::int64_t from, std::int64_t to) {
  const std::scoped_lock lock(mutex_);
  for (PortState& port : ports_) {
    if (port.run == from) port.run = to;
  }
}

void PortTable::free(std::int64_t run) {
  const std::scoped_lock lock(mutex_);
  for (PortState& port : ports_) {
    if (port.run == run) port.run.reset();
  }
}

}  // namespace plumbline::control
