#include "base/work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <new>
#include <utility>

#include "base/error.h"

namespace plumbline {
namespace {

using WorkClock = std::chrono::steady_clock;

// How often the memory in use is read, which takes a system call.
constexpr std::chrono::milliseconds kMemoryPollInterval{50};

thread_local WorkScope* t_scope = nullptr;
thread_local WorkClock::time_point t_next_poll{};

std::atomic<std::uint64_t> g_memory_limit{0};
std::atomic<std::size_t> g_sharers{1};

// The machine's memory, or less where a control group limits it.
std::uint64_t machineMemory() {
  const auto pages = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  std::uint64_t memory = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t allowed = 0;
  // "max" without a limit, which does not parse as a number.
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> allowed && allowed > 0) {
    memory = std::min(memory, allowed);
  }
  return memory;
}

}  // namespace

WorkScope::WorkScope(WorkLimits limits) : limits_(std::move(limits)), outer_(t_scope) {
  t_scope = this;
}

WorkScope::~WorkScope() { t_scope = outer_; }

void checkWork() {
  const WorkClock::time_point now = WorkClock::now();
  for (const WorkScope* scope = t_scope; scope != nullptr; scope = scope->outer_) {
    const WorkLimits& limits = scope->limits_;
    if (limits.stopped && limits.stopped()) throw WorkStopped();
    if (limits.deadline && now > *limits.deadline) {
      throw Error(ErrorKind::kUnsupported, limits.deadline_text);
    }
  }
  if (now < t_next_poll) return;
  t_next_poll = now + kMemoryPollInterval;
  const std::uint64_t used = memoryInUse();
  if (used <= memoryLimit()) return;
  throw Error(ErrorKind::kUnsupported,
              fmt::format("the program takes {} of memory, and may take {}",
                          memoryText(static_cast<double>(used)),
                          memoryText(static_cast<double>(memoryLimit()))),
              "--max-memory", "fewer hosts, flows or messages at a time, or a higher limit");
}

void setMemoryLimit(std::uint64_t bytes) {
  g_memory_limit.store(bytes);
  g_sharers.store(1);
}

void shareMemoryLimit(std::size_t workers) {
  g_memory_limit.store(std::max<std::uint64_t>(memoryLimit() / workers, 1));
  g_sharers.store(workers);
}

std::uint64_t memoryLimit() {
  const std::uint64_t limit = g_memory_limit.load(std::memory_order_relaxed);
  if (limit > 0) return limit;
  static const std::uint64_t kHalf = machineMemory() / 2;
  return kHalf;
}

std::uint64_t memoryInUse() {
  // Total and resident pages.
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string memoryText(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits.at(unit));
}

std::optional<std::string> memoryRefusal(const std::string& what, double needed) {
  const auto limit = static_cast<double>(memoryLimit());
  if (needed <= limit) return std::nullopt;
  const std::size_t sharers = g_sharers.load(std::memory_order_relaxed);
  if (sharers > 1) {
    return fmt::format(
        "{} needs about {} of memory, and each of {} points at a time may take {} (--max-memory; "
        "fewer --jobs have more each)",
        what, memoryText(needed), sharers, memoryText(limit));
  }
  return fmt::format("{} needs about {} of memory, and the program may take {} (--max-memory)",
                     what, memoryText(needed), memoryText(limit));
}

std::string faultText(const std::exception& fault) {
  if (dynamic_cast<const std::bad_alloc*>(&fault) == nullptr) return fault.what();
  return fmt::format(
      "there is not enough memory: the program takes {} (fewer hosts, flows or messages at a time, "
      "or a lower --max-memory, which refuses such work before it begins)",
      memoryText(static_cast<double>(memoryInUse())));
}

}  // namespace plumbline
