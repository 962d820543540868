// Counters of an endpoint's connection setup: QPs of RoCEv2, PDCs of UET.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "fabric/engine/packet.h"
#include "stats/histogram.h"

namespace plumbline::transport {

// Of one host since the beginning, at the initiating side. Observation point: endpoint software
// (modelled). Only where setup has a cost (RoceSpec::cm, UetSpec::pdc_setup).
struct ConnectionStats {
  std::uint64_t opened = 0;                // set-up was begun
  std::uint64_t established = 0;           // of these, done
  std::uint64_t failed = 0;                // of these, rejected or without an answer
  std::uint64_t max_open_connections = 0;  // established or in setup at the same time, on one host
  Picoseconds first_opened = fabric::kNever;
  Picoseconds last_established{};
  // Setup time of each established connection [ps]. QP: from its first message until it may send.
  // PDC: from its first message to the first proof that the target is open.
  stats::Histogram setup;

  void opening(Picoseconds now) {
    ++opened;
    if (now < first_opened) first_opened = now;
  }
  void establishing(Picoseconds wanted, Picoseconds now) {
    ++established;
    last_established = now;
    setup.record(static_cast<std::uint64_t>((now - wanted).count()));
  }
  // Merges both: the earliest opening, the latest establishment; `max_open_connections` is the
  // greater one.
  void merge(const ConnectionStats& other);
};

}  // namespace plumbline::transport
