// Figures of one trial on simulated hosts, as the drafts name them (METHODOLOGY "KPIs"). Each takes
// a trial that has TrialResult::fabric.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "bench/trial.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// How long the trial was at work: until its longest job was done, or to its end where one was not.
// What follows "per second" is per second of this.
Picoseconds busyTime(const bench::TrialResult& trial);

// Data packets that arrived with CE, of all data packets that arrived [%].
double ecnPercent(const bench::TrialResult& trial);
// PAUSE frames that took effect, of all ports and priorities, per second.
double pausesPerSecond(const bench::TrialResult& trial);
// Time that ports were paused, summed over ports and priorities [us].
double pausedMicroseconds(const bench::TrialResult& trial);
// Packets dropped in the fabric, of all that were put on its links [ppm].
double dropPpm(const bench::TrialResult& trial);
// Data packets sent again, of all sent [%].
double retransmissionPercent(const bench::TrialResult& trial);
// Retransmissions per second.
double retransmissionsPerSecond(const bench::TrialResult& trial);
// Data packets that arrived before one sent earlier, per second.
double outOfOrderPerSecond(const bench::TrialResult& trial);
// Busiest and mean link between switches [%]; 0 where there is none.
double busiestLinkPercent(const bench::TrialResult& trial);
double meanLinkPercent(const bench::TrialResult& trial);
// Over the bytes of links between switches, idle ones included; 1 where there are none.
double linkJfi(const bench::TrialResult& trial);
double linkMmr(const bench::TrialResult& trial);
// Longest queue of any port [B].
double longestQueueBytes(const bench::TrialResult& trial);
// Payload that arrived per second, all hosts [Gb/s].
double goodputGbps(const bench::TrialResult& trial);

// Job `job`'s iterations as bus bandwidths [Gb/s] of a collective: of the mean time, and of the
// time that `quantile` of the iterations do not exceed (nearest rank), so that P99 is the slow end.
double meanBusBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                            workload::CollectiveKind kind, std::uint32_t ranks, Bytes size);
double busBandwidthGbps(const bench::TrialResult& trial, std::size_t job,
                        workload::CollectiveKind kind, std::uint32_t ranks, Bytes size,
                        double quantile);
// The same of the iterations' times.
Picoseconds meanIteration(const bench::JobOutcome& job);
Picoseconds iterationQuantile(const bench::JobOutcome& job, double quantile);

}  // namespace plumbline::suite
