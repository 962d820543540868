// One rank's part in one collective: what it sends when, decided from what has arrived.
#pragma once

#include <cstdint>
#include <memory>

#include "workload/chunks.h"
#include "workload/workload_spec.h"

namespace plumbline::workload {

// What the receiver does with a message's bytes.
enum class Operation : std::uint8_t { kCopy, kReduce };

// One message of a collective. `step` tells messages of one pair of ranks apart.
struct Transfer {
  Rank to = 0;
  std::uint32_t step = 0;
  Range range;  // of the buffer, never empty; the same range at the receiver, AllToAll: see there
  Operation operation = Operation::kCopy;
};

// Steps are below this.
inline constexpr std::uint32_t kMaxSteps = 1U << 16;

// Where a schedule hands over its messages. It is not called back from within send().
class Sender {
 public:
  virtual ~Sender() = default;
  virtual void send(const Transfer& transfer) = 0;
};

// Messages may arrive in any order. A schedule sends only what it has: data of its own, and what
// arrived.
class Schedule {
 public:
  virtual ~Schedule() = default;

  // The rank's own data is ready: begins (again) from nothing.
  virtual void start(Sender& sender) = 0;
  // A message of this collective has arrived; once per message, after start().
  virtual void arrived(Rank from, std::uint32_t step, Sender& sender) = 0;
  // A message that was handed over is acknowledged; after start().
  virtual void completed(Rank to, std::uint32_t step, Sender& sender) = 0;
  // Everything the rank has to receive has arrived, everything it has to send is handed over.
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
