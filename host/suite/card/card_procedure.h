// The tests of the tester card itself: sweeps like those on simulated hosts, with streams between
// the card's ports. Their figures are the tester's own observations unless labelled otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/framework/frame_size.h"

namespace plumbline::suite {

class CardProcedure : public FabricProcedure {
 public:
  [[nodiscard]] bool onHosts() const final { return false; }
  [[nodiscard]] Plan plan(const TestConfig& config) const final;

 protected:
  [[nodiscard]] std::string section() const final { return {}; }
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const final;
  // As report(), for the test itself.
  virtual void reportCard(const Design& design, const std::vector<Measured>& measured,
                          ResultBuilder& builder) const = 0;
};

// The scenario's DUT with no traffic yet.
bench::TrialSpec cardTrial(const TestConfig& config, Picoseconds duration);

// A stream with the scenario's format from host to host at a share of line rate.
bench::StreamSpec streamBetween(const TestConfig& config, scenario::HostPair pair, Bytes frame,
                                Fraction rate);

// The first size of the scenario's traffic, else a frame of `usual` bytes.
SizePoint sizeOf(const TestConfig& config, Bytes defaults);

// Longest retry for which the card's replay buffer keeps frames of any length at the usual load.
inline constexpr Picoseconds kLongestCardRetry = microseconds(15);
// Link-level retry at both ends of a bare link on which a retry takes up to `longest`: no limit of
// replays, and a replay timer long enough never to expire by itself.
bench::LinkRetrySpec unlimitedRetry(Picoseconds longest);

// A figure that the tester observed.
Figure testerFigure(
    std::string column, std::string unit, std::string kpi,
    std::function<std::optional<Reading>(std::size_t, const bench::TrialResult&)> of);
// A figure of the (simulated) DUT's own.
Figure dutFigure(std::string column, std::string unit, std::string kpi,
                 std::function<std::optional<Reading>(std::size_t, const bench::TrialResult&)> of);

// Frames lost of all streams of a trial.
double lostFrames(const bench::TrialResult& trial);

// Packets that each link from the switch of `host` to other switches carried, as the DUT counted
// them; empty where there is none.
std::vector<std::uint64_t> uplinkPackets(const bench::TrialSpec& spec,
                                         const bench::TrialResult& trial, std::uint32_t host);
// Longest queue of any port of the DUT [bytes].
double longestQueue(const bench::TrialResult& trial);

}  // namespace plumbline::suite
