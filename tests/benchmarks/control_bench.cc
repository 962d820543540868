// links: plumbline_control_api plumbline_control plumbline_control_client
// The live stream at its load: many clients, ten intervals a second, and clients that do not read.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "control/client.h"
#include "control/server.h"

namespace plumbline::control {
namespace {

using Clock = std::chrono::steady_clock;

// An interval of a scenario with `flows` flows and twice as many links.
LiveInterval intervalWith(std::size_t flows) {
  LiveInterval live;
  live.run = 1;
  live.observed = "modelled";
  live.trial.test = "T9.1";
  for (std::size_t i = 0; i < flows; ++i) {
    LiveFlow flow;
    flow.name = "host" + std::to_string(i) + ">host0#0";
    flow.received_bytes = i * 1'000'003;
    flow.rx_bps = 1e9 / static_cast<double>(i + 3);
    live.flows.push_back(flow);
    LiveLink link;
    link.name = "leaf" + std::to_string(i) + "-spine0";
    link.bytes = i * 1'000'003;
    link.utilisation = 0.37;
    live.links.insert(live.links.end(), 2, link);
  }
  live.flow_count = live.flows.size();
  live.link_count = live.links.size();
  live.latency.emplace();
  for (std::uint32_t bucket = 1'000; bucket < 1'300; ++bucket) {
    live.latency->delta.push_back({bucket, bucket});
  }
  return live;
}

class Bed {
 public:
  Bed() {
    ServerOptions options;
    options.port = 0;
    server = std::make_unique<Server>(options, api, live, metrics);
  }
  ~Bed() {
    server.reset();
    std::filesystem::remove_all(directory);
  }
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  std::filesystem::path directory = std::filesystem::temp_directory_path() / randomIdentifier();
  LiveHub live{"bench"};
  Metrics metrics;
  PortTable ports{allPorts()};
  RunManager runs{directory, live, ports};
  Api api{{runs, ports, live, metrics}, {}};
  std::unique_ptr<Server> server;
};

// Clients that count the messages that they receive. `reading` = false: they stop in their first
// interval.
class Audience {
 public:
  Audience(Bed& bed, std::size_t size, bool reading) {
    for (std::size_t i = 0; i < size; ++i) {
      ServerAddress address;
      address.port = bed.server->port();
      clients_.push_back(std::make_unique<Client>(address));
      LiveCallbacks callbacks;
      callbacks.connected = [this](const LiveHello&) { ++connected; };
      callbacks.interval = [this, reading](const LiveInterval&) {
        ++intervals;
        while (!reading && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      };
      callbacks.lost = [this](std::uint64_t count) { lost += count; };
      clients_.back()->watch(0, callbacks);
    }
    while (connected < size) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ~Audience() { over_ = true; }
  Audience(const Audience&) = delete;
  Audience& operator=(const Audience&) = delete;

  std::atomic<std::uint64_t> connected = 0;
  std::atomic<std::uint64_t> intervals = 0;
  std::atomic<std::uint64_t> lost = 0;

 private:
  std::atomic<bool> over_ = false;
  std::vector<std::unique_ptr<Client>> clients_;
};

std::uint64_t residentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return resident * 4096;
}

// 100 clients at 10 intervals/s for 3 s, all of which must arrive; delay until the last client has
// each interval.
void hundredClients(benchmark::State& state) {
  constexpr std::size_t kClients = 100;
  constexpr int kIntervals = 30;
  const LiveInterval interval = intervalWith(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) {
    Bed bed;
    Audience audience(bed, kClients, true);
    std::chrono::duration<double> slowest{0};
    for (int sent = 1; sent <= kIntervals; ++sent) {
      const Clock::time_point begun = Clock::now();
      bed.live.publish(interval);
      const Clock::time_point next = begun + std::chrono::milliseconds(100);
      while (audience.intervals < sent * kClients && Clock::now() < next) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      slowest = std::max<std::chrono::duration<double>>(slowest, Clock::now() - begun);
      std::this_thread::sleep_until(next);
    }
    const Clock::time_point limit = Clock::now() + std::chrono::seconds(10);
    while (audience.intervals < kIntervals * kClients && Clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    state.counters["missing"] =
        static_cast<double>(kIntervals * kClients - audience.intervals.load());
    state.counters["lost"] = static_cast<double>(audience.lost);
    state.counters["slowest_ms"] = slowest.count() * 1e3;
    state.counters["bytes_per_interval"] = static_cast<double>(toMessage(interval).size());
  }
}
BENCHMARK(hundredClients)->Arg(16)->Arg(256)->Iterations(1)->Unit(benchmark::kMillisecond);

// 100 clients that do not read, while 2,000 intervals of about 100 kB are sent: growth of the
// process, including that of the clients and of this machine's sockets.
void clientsThatDoNotRead(benchmark::State& state) {
  const LiveInterval interval = intervalWith(256);
  for ([[maybe_unused]] auto _ : state) {
    Bed bed;
    Audience audience(bed, 100, false);
    const std::uint64_t before = residentBytes();
    std::uint64_t sent = 0;
    for (int i = 0; i < 2'000; ++i) {
      bed.live.publish(interval);
      sent += toMessage(interval).size();
    }
    state.counters["published_MB"] = static_cast<double>(sent) / 1e6;
    state.counters["kept_MB"] = static_cast<double>(bed.live.keptBytes()) / 1e6;
    state.counters["grown_MB"] = static_cast<double>(residentBytes() - before) / 1e6;
  }
}
BENCHMARK(clientsThatDoNotRead)->Iterations(1)->Unit(benchmark::kMillisecond);

// Cost of publishing for the run's thread, by flows of the scenario.
void publishing(benchmark::State& state) {
  LiveHub hub("bench");
  const LiveInterval interval = intervalWith(static_cast<std::size_t>(state.range(0)));
  for ([[maybe_unused]] auto _ : state) hub.publish(interval);
}
BENCHMARK(publishing)->Arg(16)->Arg(256)->Arg(4096)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace plumbline::control
