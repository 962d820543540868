// One rank's part in one collective: its messages, each sent as soon as the data for it has
// arrived.
#pragma once

#include <cstdint>
#include <memory>

#include "workload/chunks.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// Treatment of a message's bytes at the receiver.
enum class Operation : std::uint8_t { kCopy, kReduce };

// One message of a collective. `step` distinguishes messages of one pair of ranks.
struct Transfer {
  Rank to = 0;
  std::uint32_t step = 0;
  Range range;  // of the buffer, never empty; the same range at the receiver, AllToAll: see there
  Operation operation = Operation::kCopy;
};

// Steps are below this.
inline constexpr std::uint32_t kMaxSteps = 1U << 16;

// Interface through which a schedule posts its messages. It does not call back from within send().
class Sender {
 public:
  virtual ~Sender() = default;
  virtual void send(const Transfer& transfer) = 0;
};

// Messages may arrive in any order. A schedule sends only data that it has: its own, and what
// arrived.
class Schedule {
 public:
  virtual ~Schedule() = default;

  // The rank's own data is ready: begins (again) from the initial state.
  virtual void start(Sender& sender) = 0;
  // A message of this collective has arrived; once per message, after start().
  virtual void arrived(Rank from, std::uint32_t step, Sender& sender) = 0;
  // A posted message is acknowledged; after start().
  virtual void completed(Rank to, std::uint32_t step, Sender& sender) = 0;
  // All messages for the rank have arrived, and all its own are posted.
  [[nodiscard]] virtual bool finished() const = 0;

 protected:
  Schedule() = default;
  Schedule(const Schedule&) = default;
  Schedule& operator=(const Schedule&) = default;
};

// The schedule of `rank` in `spec` among `ranks`. Throws Error(kUsage) for a combination that does
// not exist, or one of more than kMaxSteps steps, saying which.
std::unique_ptr<Schedule> makeSchedule(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks);

// The barrier between iterations.
std::unique_ptr<Schedule> makeBarrier(Rank rank, std::uint32_t ranks);

}  // namespace plumbline::workload
