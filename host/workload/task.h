// Part of one job on one host.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/paged_memory.h"
#include "workload/message_port.h"

namespace plumbline::workload {

// Ranks of a job and their hosts; shared by the job's tasks, constant.
class Members {
 public:
  // No host twice.
  explicit Members(std::vector<HostId> hosts);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(hosts_.size()); }
  [[nodiscard]] HostId host(Rank rank) const { return hosts_[rank]; }
  // `host` is one of them.
  [[nodiscard]] Rank rank(HostId host) const { return rank_of_[host - lowest_]; }

 private:
  std::vector<HostId> hosts_;
  HostId lowest_ = 0;
  std::vector<Rank> rank_of_;  // by host - lowest_
};

// Called by its HostApplication under the rules of transport::Application.
class Task : public PagedObject {
 public:
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  // A whole message has arrived, is completed.
  virtual void arrived(HostId from, Label label, Picoseconds now) = 0;
  virtual void completed(HostId to, Label label, Picoseconds now) = 0;
  virtual void wake(Picoseconds now) = 0;
  // This host has nothing left to do, and no outstanding completion.
  [[nodiscard]] virtual bool finished() const = 0;

  [[nodiscard]] Picoseconds wakeAt() const { return wake_at_; }
  [[nodiscard]] MessagePort& port() { return port_; }
  [[nodiscard]] const MessagePort& port() const { return port_; }

 protected:
  explicit Task(MessagePort port) : port_(std::move(port)) {}
  void setWakeAt(Picoseconds time) { wake_at_ = time; }

 private:
  MessagePort port_;
  Picoseconds wake_at_ = transport::kNever;
};

}  // namespace plumbline::workload
