#include "workload/tree.h"

#include <algorithm>

namespace plumbline::workload {

void TreeNode::Incoming::add(std::uint32_t chunk) {
  if (chunk != next) {
    early.push_back(chunk);
    return;
  }
  ++next;
  for (auto it = early.begin(); it != early.end();) {
    if (*it == next) {
      early.erase(it);
      ++next;
      it = early.begin();
    } else {
      ++it;
    }
  }
}

TreeNode::TreeNode(const Shape& shape, Rank rank)
    : shape_(shape), chunks_(shape.buffer, shape.chunks, shape.element_bytes), root_(false) {
  const std::uint32_t position = shape.mirrored ? shape.ranks - 1 - rank : rank;
  root_ = position == 0;
  if (!root_) up_.peer = rankAt((position - 1) / 2);
  for (std::uint32_t child = 2 * position + 1; child <= 2 * position + 2; ++child) {
    if (child < shape.ranks) down_[children_++].peer = rankAt(child);
  }
}

Rank TreeNode::rankAt(std::uint32_t position) const {
  return shape_.mirrored ? shape_.ranks - 1 - position : position;
}

void TreeNode::start(Sender& sender) {
  from_above_ = {};
  from_below_ = {};
  for (Outgoing* edge : {&up_, &down_[0], &down_[1]}) edge->sent = edge->acknowledged = 0;
  advance(sender);
}

void TreeNode::arrived(Rank from, std::uint32_t chunk, Sender& sender) {
  if (!root_ && from == up_.peer) {
    from_above_.add(chunk);
  } else {
    from_below_[children_ == 2 && from == down_[1].peer ? 1 : 0].add(chunk);
  }
  advance(sender);
}

void TreeNode::completed(Rank to, Sender& sender) {
  if (!root_ && to == up_.peer) {
    ++up_.acknowledged;
  } else {
    ++down_[children_ == 2 && to == down_[1].peer ? 1 : 0].acknowledged;
  }
  advance(sender);
}

bool TreeNode::sendNext(Outgoing& edge, std::uint32_t end, Operation operation, Sender& sender) {
  if (edge.sent >= end || edge.sent - edge.acknowledged >= shape_.window) return false;
  const std::uint32_t chunk = edge.sent++;
  sender.send({edge.peer, chunk * shape_.trees + shape_.number, chunks_.at(chunk), operation});
  return true;
}

void TreeNode::advance(Sender& sender) {
  std::uint32_t reduced = shape_.chunks;
  if (shape_.reduce) {
    for (std::uint32_t i = 0; i < children_; ++i) reduced = std::min(reduced, from_below_[i].next);
    while (!root_ && sendNext(up_, reduced, Operation::kReduce, sender)) {
    }
  }
  const std::uint32_t complete = root_ ? reduced : from_above_.next;
  // Chunk by chunk to both children, so that both subtrees begin at once.
  for (bool sent = true; sent;) {
    sent = false;
    for (std::uint32_t i = 0; i < children_; ++i) {
      sent |= sendNext(down_[i], complete, Operation::kCopy, sender);
    }
  }
}

bool TreeNode::finished() const {
  if (!root_ && from_above_.next < shape_.chunks) return false;
  if (!root_ && shape_.reduce && up_.sent < shape_.chunks) return false;
  for (std::uint32_t i = 0; i < children_; ++i) {
    if (down_[i].sent < shape_.chunks) return false;
  }
  return true;
}

void Tree::start(Sender& sender) {
  for (TreeNode& node : nodes_) node.start(sender);
}

void Tree::arrived(Rank from, std::uint32_t step, Sender& sender) {
  nodes_[step % trees_].arrived(from, step / trees_, sender);
}

void Tree::completed(Rank to, std::uint32_t step, Sender& sender) {
  nodes_[step % trees_].completed(to, sender);
}

bool Tree::finished() const {
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const TreeNode& node) { return node.finished(); });
}

}  // namespace plumbline::workload
