// What the tests of the core's models share: a record of everything, simple hosts, graphs by hand,
// and the conservation of frames.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/units.h"
#include "fabric/engine/endpoint.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"
#include "fabric/engine/packet.h"
#include "fabric/spec/fabric_spec.h"

namespace plumbline::fabric::testing {

inline constexpr std::uint32_t kEveryKind = 0xFFFFFFFF;

// The priority that PFC keeps from loss.
inline constexpr unsigned kLossless = 3;

// Keeps the records of the kinds it is made for.
class RecordLog final : public Observer {
 public:
  explicit RecordLog(std::uint32_t interests = kEveryKind) : interests_(interests) {}

  [[nodiscard]] std::uint32_t interests() const override { return interests_; }
  void onRecord(const Record& record) override { records_.push_back(record); }

  [[nodiscard]] const std::vector<Record>& all() const { return records_; }
  [[nodiscard]] std::vector<Record> of(RecordKind kind) const;
  [[nodiscard]] std::vector<Record> of(RecordKind kind, LinkId link) const;

 private:
  std::uint32_t interests_;
  std::vector<Record> records_;
};

// Everything a record says, for messages and comparison.
std::string describe(const Record& record);

// Sends the frames it was given, each not before its time and in order within its priority (the
// highest that may send first), and keeps what arrives with the time of its last bit.
class ListHost final : public Endpoint {
 public:
  struct Arrival {
    Packet packet;
    Picoseconds time;
  };

  // Frames of one priority in ascending order of time; before the fabric runs.
  void add(const Packet& packet, Picoseconds not_before);
  // `count` frames like `packet`, their psn counted up: the first at `not_before`, each `spacing`
  // after the one before it.
  void addMany(const Packet& packet, std::uint32_t count, Picoseconds not_before = Picoseconds(0),
               Picoseconds spacing = Picoseconds(0));

  void receive(const Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, PriorityMask paused, Packet& packet) override;
  void wake(Picoseconds now) override;

  [[nodiscard]] const std::vector<Arrival>& arrivals() const { return arrivals_; }
  [[nodiscard]] std::size_t unsent() const;

 private:
  struct Item {
    Packet packet;
    Picoseconds not_before;
  };

  void setAlarm(Picoseconds now);

  std::array<std::deque<Item>, 8> waiting_;
  std::vector<Arrival> arrivals_;
};

// Where the frames are that hosts have sent. A frame that a script copies is sent once and ends
// twice.
struct Balance {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t dropped = 0;  // for any reason
  std::uint64_t inside = 0;

  [[nodiscard]] std::uint64_t ended() const { return received + dropped + inside; }
  [[nodiscard]] std::string text() const;
};
Balance balanceOf(const Fabric& fabric);

// A fabric with a ListHost on every host.
class ListFabric {
 public:
  explicit ListFabric(const FabricSpec& spec, std::uint32_t interests = kEveryKind,
                      const RunOptions& options = {});

  Fabric& operator*() { return fabric_; }
  Fabric* operator->() { return &fabric_; }
  [[nodiscard]] ListHost& host(HostId host) { return hosts_.at(host); }
  [[nodiscard]] const RecordLog& log() const { return log_; }

  // The link of that name, and what its sending end counted.
  [[nodiscard]] LinkId link(const std::string& name) const;
  [[nodiscard]] LinkCounters counters(const std::string& link) const;
  // Runs until nothing moves any more; a failure if that is not before `limit`.
  void drain(Picoseconds limit = milliseconds(100));
  // Every frame sent was delivered, dropped, or is inside; returns where they are.
  Balance expectConserved() const;

 private:
  std::deque<ListHost> hosts_;
  RecordLog log_;
  Fabric fabric_;
};

// Sum (of max_queue_bytes: the largest) of the counters of all links, hosts' included.
LinkCounters totalCounters(const Fabric& fabric);

// A frame of `length` bytes from host to host at `priority`.
Packet frame(HostId from, HostId to, std::uint32_t length, unsigned priority = 0);

// kGraph: hosts h0.., switches s0.., cables as added.
class GraphBuilder {
 public:
  GraphBuilder(std::uint32_t hosts, std::uint32_t switches);
  GraphBuilder& cable(const std::string& a, const std::string& b, BitRate rate, Picoseconds delay);
  [[nodiscard]] FabricSpec spec() const;

 private:
  GraphSpec graph_;
};

inline constexpr Picoseconds kChainDelay = microseconds(1);

// Two hosts and two switches in a row at 100 Gb/s, `delay` between the switches.
FabricSpec chainSpec(Picoseconds delay = kChainDelay);

}  // namespace plumbline::fabric::testing
