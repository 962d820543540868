#include "workload/arrival_times.h"

#include <cstdint>
#include <map>
#include <utility>

namespace plumbline::workload {
namespace {

constexpr std::uint32_t kSequences = 1U << kSequenceBits;

// The message number nearest to `expected` whose last bits are `sequence`.
std::uint64_t numberOf(std::uint64_t expected, std::uint32_t sequence) {
  const auto ahead = static_cast<std::uint32_t>((sequence - expected) % kSequences);
  if (ahead < kSequences / 2 || expected + ahead < kSequences) return expected + ahead;
  return expected + ahead - kSequences;
}

}  // namespace

stats::Histogram arrivalTimes(const std::vector<const MessageTask*>& tasks,
                              const Members& members) {
  stats::Histogram times;
  for (const MessageTask* receiver : tasks) {
    // By sender and its connection: the number after the highest one that has come.
    std::map<std::pair<HostId, std::uint32_t>, std::uint64_t> next;
    for (const MessageTask::ArrivedMessage& arrivedMessages : receiver->arrivedMessages()) {
      std::uint64_t& expected = next[{arrivedMessages.from, arrivedMessages.label.step}];
      const std::uint64_t number = numberOf(expected, arrivedMessages.label.sequence);
      const auto& posted =
          tasks[members.rank(arrivedMessages.from)]->postTimes(arrivedMessages.label.step);
      times.record(static_cast<std::uint64_t>((arrivedMessages.time - posted.at(number)).count()));
      if (number >= expected) expected = number + 1;
    }
  }
  return times;
}

}  // namespace plumbline::workload
