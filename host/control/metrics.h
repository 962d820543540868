// The server's metrics for Prometheus.
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

  // Receives the measurements of the runs from the hub of the live stream.
  [[nodiscard]] LiveListener& liveListener();

  // Counts one answered request.
  void countRequest(int status);
  void connectionOpened();
  void connectionClosed();

  // A controller's estimate of this server's clock offset. Not shown before the first one.
  void clockFound(std::int64_t offset_ns, std::int64_t uncertainty_ns);

  struct Levels {
    std::uint64_t runs_active = 0;
    std::uint64_t live_clients = 0;
    std::uint64_t live_intervals = 0;
    std::uint64_t live_intervals_lost = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t ports_reserved = 0;
    std::uint64_t ports = 0;
  };
  // The text format, with these current levels.
  [[nodiscard]] std::string text(const Levels& levels);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::control
