// A bench on ordinary hosts: software posts messages and gets their completions. Common part of
// LibfabricBench and VerbsBench.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/bench.h"
#include "bench/trial/endpoint_spec.h"
#include "endpoint/channel.h"

namespace plumbline::endpoint {

class RunningStream;

// Runs streams of messages over channels of a carrier. The initiators of all streams are on this
// host, their targets as well or on a peer, each on a thread of its own; the hosts of the DUT are
// only names for them.
//
// A message is due when the card would have put its frame on the wire, and has been delivered when
// it has completed within duration and drain; StreamResult::lost counts all others, even if part of
// them arrived. Latency is from post to completion, including one reading of the clock. Observation
// point: endpoint software.
class EndpointBench : public bench::Bench {
 public:
  [[nodiscard]] const bench::Capabilities& capabilities() const override { return capabilities_; }
  [[nodiscard]] std::vector<std::string> refusals(const bench::TrialSpec& spec) const override;
  // Throws the carrier's exceptions; a trial with wrong contents in the target memory is returned
  // with a fault. A trial without a single completion has lost all its messages.
  bench::TrialResult run(const bench::TrialSpec& spec, const bench::TrialHooks& hooks) override;

 protected:
  // A bench that runs nothing, without a carrier.
  EndpointBench(std::string name, std::string description, BitRate line_rate);

  // Opens it: measures the clock and the carrier's own overhead, and records the environment.
  void open(bench::EndpointSpec spec, std::unique_ptr<Carrier> carrier);

 private:
  [[nodiscard]] bench::Operation operationOf(const bench::StreamSpec& stream) const;
  void calibrate();
  // A channel for each stream.
  std::vector<std::unique_ptr<RunningStream>> connect(const bench::TrialSpec& spec);

  bench::Capabilities capabilities_;
  bench::EndpointSpec spec_;
  std::unique_ptr<Carrier> carrier_;
};

// "write", "write with immediate", "send", "read".
std::string operationName(bench::Operation operation);

}  // namespace plumbline::endpoint
