// Binary tree AllReduce (one tree, or two mirrored ones) and Broadcast, pipelined in chunks.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "workload/schedule.h"

namespace plumbline::workload {

// One rank's place in one tree. Position p has parent (p-1)/2 and children 2p+1, 2p+2. Reducing:
// chunk c goes up when chunk c of both children has arrived. Broadcasting: the root sends chunk c
// down when it is complete, all other ranks when it has arrived from above. On every edge and
// direction at most `window` chunks are unacknowledged.
class TreeNode {
 public:
  struct Shape {
    Range buffer;
    std::uint32_t element_bytes = 1;
    std::uint32_t chunks = 1;  // none of them empty
    std::uint32_t window = 8;
    std::uint32_t ranks = 1;
    bool reduce = true;       // upwards first; otherwise the root has all data
    bool mirrored = false;    // rank r is at position ranks - 1 - r instead of r
    std::uint32_t trees = 1;  // chunk c is step c * trees + number
    std::uint32_t number = 0;
  };

  TreeNode(const Shape& shape, Rank rank);

  void start(Sender& sender);
  void arrived(Rank from, std::uint32_t chunk, Sender& sender);
  void completed(Rank to, Sender& sender);
  [[nodiscard]] bool finished() const;

 private:
  // Chunks in the order of their numbers: early arrivals on other flows wait.
  struct Incoming {
    std::uint32_t next = 0;
    std::vector<std::uint32_t> early;
    void add(std::uint32_t chunk);
  };
  struct Outgoing {
    Rank peer = 0;
    std::uint32_t sent = 0;
    std::uint32_t acknowledged = 0;
  };

  [[nodiscard]] Rank rankAt(std::uint32_t position) const;
  void advance(Sender& sender);
  // Sends the edge's next chunk if it is below `end` and the window has room.
  bool sendNext(Outgoing& edge, std::uint32_t end, Operation operation, Sender& sender);

  Shape shape_;
  Chunks chunks_;
  bool root_;
  std::uint32_t children_ = 0;
  Incoming from_above_;
  std::array<Incoming, 2> from_below_;
  Outgoing up_;
  std::array<Outgoing, 2> down_;
};

class Tree final : public Schedule {
 public:
  // Nodes by `number`; trees of empty buffers have none and come last.
  Tree(std::vector<TreeNode> nodes, std::uint32_t trees)
      : nodes_(std::move(nodes)), trees_(trees) {}

  void start(Sender& sender) override;
  void arrived(Rank from, std::uint32_t step, Sender& sender) override;
  void completed(Rank to, std::uint32_t step, Sender& sender) override;
  [[nodiscard]] bool finished() const override;

 private:
  std::vector<TreeNode> nodes_;
  std::uint32_t trees_;
};

}  // namespace plumbline::workload
