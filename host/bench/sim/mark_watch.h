// When a running fabric first marks a packet (ECN), and the queue's depth then.
#pragma once

#include <cstdint>

#include "bench/trial/fabric_result.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

class MarkWatch final : public fabric::Observer {
 public:
  // `fabric` must outlive the object and has not run; the constructor attaches the object.
  explicit MarkWatch(fabric::Fabric& fabric) : fabric_(fabric) { fabric.observe(*this); }

  [[nodiscard]] std::uint32_t interests() const override { return bit(fabric::RecordKind::kMark); }
  void onRecord(const fabric::Record& record) override {
    if (record.time >= first_.time) return;
    first_.time = record.time;
    first_.queue_bytes = static_cast<std::uint64_t>(record.value);
    link_ = record.link;
  }

  [[nodiscard]] FirstMark first() const {
    FirstMark first = first_;
    if (first.time != fabric::kNever) first.link = fabric_.topology().linkName(link_);
    return first;
  }

 private:
  const fabric::Fabric& fabric_;
  FirstMark first_;
  fabric::LinkId link_ = 0;
};

}  // namespace plumbline::bench
