// Figures of one trial on simulated hosts, with the drafts' names (METHODOLOGY "KPIs"). Each takes
// a trial that has TrialResult::fabric, and is kNotMeasured where it is undefined: a share of no
// packets, the load of no links.
#pragma once

#include <cstdint>
#include <limits>

#include "base/units.h"
#include "bench/trial/trial.h"
#include "suite/framework/reading.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// Stands for a missing number. No result contains it: a Figure that returns it leaves its cell
// without a number.
inline constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

// Active time of the trial: until its longest job was done, or until its end if one was not. "Per
// second" below is per second of this time.
Picoseconds busyTime(const bench::TrialResult& trial);

// Data packets that arrived with CE, of all data packets that arrived [%].
double ecnPercent(const bench::TrialResult& trial);
// PAUSE frames that took effect, of all ports and priorities, per second.
Reading pausesPerSecond(const bench::TrialResult& trial);
// Time that ports were paused, summed over ports and priorities [us].
double pausedMicroseconds(const bench::TrialResult& trial);
// The draft's packet drop rate (section 4): data packets lost end to end and not retransmitted, of
// all data packets, each counted once [ppm].
double dropPpm(const bench::TrialResult& trial);
// Packets dropped in the fabric, control packets and retransmissions included, per data packet sent
// [ppm].
double fabricDropsPpm(const bench::TrialResult& trial);
// Packets trimmed in the fabric per data packet sent [ppm].
double trimmedPpm(const bench::TrialResult& trial);
// Retransmitted data packets, of all sent [%].
double retransmissionPercent(const bench::TrialResult& trial);
// Of all endpoints.
double timeouts(const bench::TrialResult& trial);
// Retransmissions per second.
Reading retransmissionsPerSecond(const bench::TrialResult& trial);
// Data packets that arrived before one sent earlier, per second.
Reading outOfOrderPerSecond(const bench::TrialResult& trial);
// Busiest and mean link between switches that carried anything [%].
double busiestLinkPercent(const bench::TrialResult& trial);
double meanLinkPercent(const bench::TrialResult& trial);
// Over the bytes of links between switches, idle ones included.
double linkJfi(const bench::TrialResult& trial);
double linkMmr(const bench::TrialResult& trial);
// Longest queue of any port [B].
double longestQueueBytes(const bench::TrialResult& trial);
// Payload that arrived per second, all hosts [Gb/s].
double goodputGbps(const bench::TrialResult& trial);

// A quantile of times in ps, 1 being the maximum [us].
Reading quantileMicroseconds(const stats::Histogram& times, double quantile);

// Iterations of job `job` as bus bandwidths [Gb/s] of a collective: of the mean time, and of the
// time that `quantile` of the iterations do not exceed (nearest rank), so that P99 is the slow end.
double meanBusBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                            workload::CollectiveKind kind, std::uint32_t ranks, Bytes size);
Reading busBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                         workload::CollectiveKind kind, std::uint32_t ranks, Bytes size,
                         double quantile);
// The same for the iterations' times; for a job without iterations its completion, which is 0
// unless it is finished.
Picoseconds meanIteration(const bench::JobOutcome& job);
Picoseconds iterationQuantile(const bench::JobOutcome& job, double quantile);

}  // namespace plumbline::suite
