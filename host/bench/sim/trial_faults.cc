#include "bench/sim/trial_faults.h"

#include <fmt/format.h>

#include "base/counted.h"

namespace plumbline::bench {
namespace {

const char* isOrAre(std::uint64_t count) { return count == 1 ? "is" : "are"; }
const char* itOrThem(std::uint64_t count) { return count == 1 ? "it" : "them"; }

}  // namespace

std::string standstillFault(const fabric::Fabric& fabric, const fabric::SwitchSpec& switches) {
  const std::uint64_t frames = fabric.framesInside();
  const std::string all = counted(frames, "frame");
  // What stands behind such a frame does so because of it.
  if (const std::uint64_t repeated = fabric.framesRetriedInVain(); repeated > 0) {
    return fmt::format(
        "the fabric stands still: because of bit errors LLR repeats {} without success, and "
        "neither llr.max_replays nor llr.data_age gives {} up; {} {} in the fabric",
        counted(repeated, "frame"), itOrThem(repeated), all, isOrAre(frames));
  }
  if (switches.cbfc && !switches.pfc) {
    return fmt::format("the fabric stands still: {} {} for credits that no pending event returns",
                       all, frames == 1 ? "waits" : "wait");
  }
  if (switches.pfc && !switches.cbfc && frames > 1) {
    return fmt::format(
        "the fabric is deadlocked: {} wait for each other, and no pending event releases them",
        all);
  }
  return fmt::format("the fabric stands still: {} {} in it, and no pending event moves {} on", all,
                     isOrAre(frames), itOrThem(frames));
}

std::string drainFault(std::uint64_t frames, Picoseconds drain) {
  return fmt::format("{} {} still in the DUT when the drain time of {} us ended",
                     counted(frames, "frame"), frames == 1 ? "was" : "were",
                     drain.toMicroseconds());
}

}  // namespace plumbline::bench
