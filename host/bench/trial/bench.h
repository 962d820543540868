// A bench runs trials. Procedures use only this interface.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/observation_point.h"
#include "bench/trial/snapshot.h"
#include "bench/trial/trial.h"
#include "card/register_bus.h"

namespace plumbline::bench {

// A value that the bench cannot observe, so that results of its trials lack it.
struct Unobserved {
  std::string what;  // "ECN marks"
  std::string why;
};

// Of an oscillator for Ethernet (IEEE 802.3: 100 ppm), and of a computer's clock.
inline constexpr double kOscillatorTolerance = 100e-6;

struct Capabilities {
  std::string name;         // "rtl"
  std::string description;  // one line
  std::uint32_t max_ports = 0;
  BitRate line_rate;
  Bytes min_frame{64};
  Bytes max_frame{9216};
  std::uint32_t flows_per_port = 0;
  std::uint32_t groups = 0;
  std::uint32_t max_qps = 0;
  // Accuracy of times: resolution of the clocks; largest error of reading a clock (software only);
  // largest difference between the clocks of two ports at a trial's start, where they are separate,
  // and the same of ports between which latencies are measured; largest relative deviation of the
  // rate of a clock, 0 where it is simulated.
  Picoseconds timestamp_resolution;
  Picoseconds clock_reading;
  Picoseconds clock_offset;
  Picoseconds latency_offset;
  double clock_rate = 0;
  ObservationPoint observed = ObservationPoint::kTester;
  bool simulated_dut = true;
  // Optional parts of a trial besides streams (card_parts.h).
  bool damage = false;       // frames damaged on purpose
  bool pfc_send = false;     // PAUSE storms, frames that wait for the end of a pause
  bool queue_pairs = false;  // messages, weights, counts per queue pair; UET; entropy settings
  bool patterns = false;     // random or listed gaps
  bool link_retry = false;   // link-level retry on a bare link
  bool departures = false;   // of single frames
  // A stream's "frame" is a message of any length that an endpoint cuts into packets, and its
  // latency is the time from posting a message to its completion.
  bool messages = false;
  // For the report: values that the bench cannot observe, with reasons; the environment of the
  // bench as names and values.
  std::vector<Unobserved> unobserved;
  std::vector<std::pair<std::string, std::string>> configuration;
  // Rough cost, for `plan`: card time of a trial besides sending (clearing, loading, reading), and
  // wall seconds per second of card time.
  Picoseconds trial_overhead;
  double wall_seconds_per_second = 1.0;
  // For a simulated card: additional wall seconds for each port, used or not, and the available
  // numbers of ports, ascending; trials with more ports take several of the largest.
  double wall_seconds_per_port_second = 0;
  std::vector<std::uint32_t> card_ports;
  // For simulated hosts: wall time per packet that crosses a link, and per host that is set up for
  // a trial.
  double wall_ns_per_packet_hop = 0;
  double wall_us_per_host = 0;
};

// Progress of the running trial; called at a bounded rate from run()'s thread.
struct TrialProgress {
  Picoseconds done;
  Picoseconds total;
  std::uint64_t frames_sent = 0;
  std::uint64_t frames_received = 0;
};

// Observes a trial while it runs. The result is the same with and without an observer.
class TrialObserver {
 public:
  virtual ~TrialObserver() = default;

  // Whether the observer wants a snapshot now; called frequently during run().
  virtual bool due() = 0;
  // The trial so far, from run()'s thread; once more at its end, with `snapshot.ended`. A predicted
  // trial (fast_forward.h) has no snapshots.
  virtual void onSnapshot(const TrialSnapshot& snapshot) = 0;
};

struct TrialHooks {
  std::function<void(const TrialProgress&)> progress;        // may be empty
  std::function<void(const card::CapturedFrame&)> captured;  // may be empty
  TrialObserver* observer = nullptr;
};

class Bench {
 public:
  virtual ~Bench() = default;

  [[nodiscard]] virtual const Capabilities& capabilities() const = 0;

  // Why this bench cannot run `spec`, one sentence each; empty when it can. Checked before anything
  // starts.
  [[nodiscard]] virtual std::vector<std::string> refusals(const TrialSpec& spec) const = 0;

  // Runs one trial to its end. Throws Error(kUnsupported) when refusals() is not empty and
  // Error(kTester) when the tester itself fails; a doubtful measurement is returned with faults.
  virtual TrialResult run(const TrialSpec& spec, const TrialHooks& hooks) = 0;
};

}  // namespace plumbline::bench
