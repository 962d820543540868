// Records of a node for observers.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/engine/observer.h"

namespace plumbline::fabric {

// One per node, so that threads share none; the engine collects and sorts the records.
class Recorder {
 public:
  void setInterests(std::uint32_t interests) { interests_ = interests; }
  void setNode(NodeId node) { node_ = node; }

  [[nodiscard]] bool accepts(RecordKind kind) const {
    return (interests_ & Observer::bit(kind)) != 0;
  }

  void note(Record record) {
    if (!accepts(record.kind)) return;
    record.node = node_;
    records_.push_back(record);
  }

  [[nodiscard]] std::vector<Record>& records() { return records_; }

 private:
  std::uint32_t interests_ = 0;
  NodeId node_ = 0;
  std::vector<Record> records_;
};

}  // namespace plumbline::fabric
