// The simulated fabric as the serving model's network: KV cache travels as messages of the trial's
// transport between the hosts of the system's NICs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bench/sim/serving_task.h"
#include "bench/sim/sim_hosts.h"
#include "fabric/engine/fabric.h"
#include "serving/transfer_network.h"

namespace plumbline::bench {

class ServingNetwork final : public serving::TransferNetwork {
 public:
  struct Driver {
    std::function<void(Picoseconds)> advance;  // runs the fabric up to and including a time
    std::function<bool()> stuck;               // it is deadlocked
  };

  // `hosts` was built for `spec`; the NICs of its serving systems follow each other. All arguments
  // outlive this object.
  ServingNetwork(const TrialSpec& spec, SimHosts& hosts, fabric::Fabric& fabric, Driver driver);

  void post(const serving::Transfer& transfer) override;
  [[nodiscard]] Picoseconds nextEvent() const override;
  void runUntil(Picoseconds time, std::vector<serving::Arrival>& arrivals) override;
  [[nodiscard]] bool stuck() const override { return driver_.stuck(); }

 private:
  // An open message, by its label.
  struct Open {
    std::uint64_t id = 0;
    std::uint32_t nic = 0;  // that receives it
    bool told = false;      // its arrival, or its loss, was reported
    bool arrived = false;
    bool completed = false;
  };

  std::uint32_t newLabel();
  void note(const ServingTask::Event& event, std::vector<serving::Arrival>& arrivals);

  SimHosts& hosts_;
  fabric::Fabric& fabric_;
  Driver driver_;
  std::vector<bool> reads_;  // by NIC: its system's verb is RDMA Read
  std::vector<Open> open_;
  std::vector<std::uint32_t> unused_;
  std::vector<ServingTask::Event> events_;
  std::uint64_t sequence_ = 0;
};

}  // namespace plumbline::bench
