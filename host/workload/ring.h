// Ring AllReduce, ReduceScatter and AllGather.
#pragma once

#include "workload/schedule.h"

namespace plumbline::workload {

// With n members, chunk = 1/n of the buffer, in step s member r sends chunk (r - s) mod n to r + 1:
// steps 0 to n-2 reduce (ReduceScatter; member r then holds chunk r + 1), steps n-1 to 2n-3 copy
// (AllGather). A chunk is forwarded when it has arrived; sliced chunks slice by slice. Empty chunks
// are never sent.
class Ring final : public Schedule {
 public:
  struct Shape {
    Range buffer;
    std::uint32_t element_bytes = 1;
    std::uint64_t slice_bytes = 0;  // 0: chunks are not sliced
    // Member i is rank first + i * stride.
    Rank first = 0;
    std::uint32_t stride = 1;
    std::uint32_t members = 1;
    bool scatter = true;  // the reducing steps
    bool gather = true;   // the copying steps
  };

  // Throws Error(kUsage) when there are too many slices.
  Ring(const Shape& shape, std::uint32_t member);

  void start(Sender& sender) override;
  void arrived(Rank from, std::uint32_t step, Sender& sender) override;
  void completed(Rank to, std::uint32_t step, Sender& sender) override;
  [[nodiscard]] bool finished() const override { return pending_ == 0; }

 private:
  [[nodiscard]] Range chunkOf(std::uint32_t step, std::uint32_t slice) const;
  void send(std::uint32_t step, std::uint32_t slice, Sender& sender) const;

  Chunks chunks_;
  std::uint32_t member_;
  std::uint32_t members_;
  std::uint32_t reducing_;  // steps below this reduce
  std::uint32_t begin_;     // steps
  std::uint32_t end_;
  std::uint32_t slices_ = 1;  // of every chunk
  std::uint32_t element_;
  Rank next_;
  std::uint32_t expected_ = 0;  // messages
  std::uint32_t pending_ = 0;   // of them not yet arrived
};

}  // namespace plumbline::workload
