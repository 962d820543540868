// What the server tells Prometheus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "control/live_hub.h"

namespace plumbline::control {

// Thread-safe.
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // What the runs measure: for the hub of the live stream.
  [[nodiscard]] LiveListener& liveListener();

  // One answered request.
  void countRequest(int status);
  void connectionOpened();
  void connectionClosed();

  // What a controller has found of this server's clock. Nothing is shown of it before.
  void clockFound(std::int64_t offset_ns, std::int64_t uncertainty_ns);

  struct Levels {
    std::uint64_t runs_active = 0;
    std::uint64_t live_clients = 0;
    std::uint64_t live_intervals = 0;
    std::uint64_t live_intervals_lost = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t ports_taken = 0;
    std::uint64_t ports = 0;
  };
  // The text format, with these as they are now.
  [[nodiscard]] std::string text(const Levels& levels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::control
