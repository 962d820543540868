#include "workload/ring.h"

#include <fmt/format.h>

#include "base/error.h"

namespace plumbline::workload {

Ring::Ring(const Shape& shape, std::uint32_t member)
    : chunks_(shape.buffer, shape.members, shape.element_bytes),
      member_(member),
      members_(shape.members),
      reducing_(shape.members - 1),
      begin_(shape.scatter ? 0 : shape.members - 1),
      end_(shape.gather ? 2 * (shape.members - 1) : shape.members - 1),
      element_(shape.element_bytes),
      next_(shape.first + (member + 1) % shape.members * shape.stride) {
  if (shape.slice_bytes != 0) {
    const std::uint64_t largest = chunks_.at(0).bytes;
    const std::uint64_t slices = (largest + shape.slice_bytes - 1) / shape.slice_bytes;
    if (slices * end_ > kMaxSteps) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("a ring of {} ranks with {} slices per chunk has too many messages",
                              members_, slices),
                  {}, fmt::format("slices times steps of at most {}", kMaxSteps));
    }
    if (slices > 1) slices_ = static_cast<std::uint32_t>(slices);
  }
  // A member receives in each step the chunk that its predecessor sends in it.
  for (std::uint32_t step = begin_; step < end_; ++step) {
    for (std::uint32_t slice = 0; slice < slices_; ++slice) {
      if (chunkOf(step + 1, slice).bytes != 0) ++expected_;
    }
  }
}

Range Ring::chunkOf(std::uint32_t step, std::uint32_t slice) const {
  const Range chunk = chunks_.at((member_ + 2 * members_ - step) % members_);
  return slices_ == 1 ? chunk : Chunks(chunk, slices_, element_).at(slice);
}

void Ring::send(std::uint32_t step, std::uint32_t slice, Sender& sender) const {
  const Range range = chunkOf(step, slice);
  if (range.bytes == 0) return;
  sender.send({next_, step * slices_ + slice, range,
               step < reducing_ ? Operation::kReduce : Operation::kCopy});
}

void Ring::start(Sender& sender) {
  pending_ = expected_;
  if (begin_ == end_) return;
  for (std::uint32_t slice = 0; slice < slices_; ++slice) send(begin_, slice, sender);
}

void Ring::arrived(Rank /*from*/, std::uint32_t step, Sender& sender) {
  --pending_;
  const std::uint32_t next = step / slices_ + 1;
  if (next < end_) send(next, step % slices_, sender);
}

void Ring::completed(Rank /*to*/, std::uint32_t /*step*/, Sender& /*sender*/) {}

}  // namespace plumbline::workload
