// Max-min fair rates of flows that share links.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace plumbline::bench {

// A flow at rate r takes share * r of the link's capacity; a flow that is sprayed over several
// links has shares below 1 on them.
struct LinkUse {
  std::uint32_t link = 0;
  double share = 1;  // above 0
};

// Progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2): the rates of all active flows
// rise together until a link is full, which fixes the rates of its flows; the others continue. In
// the result every active flow has a full link on which no flow is faster than itself.
//
// Recomputes only what can have changed: flows that are connected, over links that could be full,
// with a flow that started or stopped. Deterministic: the same calls give the same rates.
class MaxMin {
 public:
  // `capacities`: by link; above 0, in the unit of the rates.
  explicit MaxMin(std::vector<double> capacities);

  // Adds an inactive flow; returns its number, counted from 0. `uses`: at least one, no link twice.
  std::uint32_t add(std::span<const LinkUse> uses);
  // Takes effect with settle(). A flow is started when it is inactive, stopped when it is active.
  void start(std::uint32_t flow);
  void stop(std::uint32_t flow);

  // Computes rates; returns the active flows whose rate changed, in the order of their discovery.
  // Valid until the next call.
  const std::vector<std::uint32_t>& settle();

  // As of the last settle(); 0 for a flow that was inactive.
  [[nodiscard]] double rate(std::uint32_t flow) const { return flows_[flow].rate; }
  // Links of a flow; valid until the next add().
  [[nodiscard]] std::span<const LinkUse> uses(std::uint32_t flow) const {
    return usesOf(flows_[flow]);
  }

 private:
  struct Flow {
    std::uint32_t first = 0;  // in uses_
    std::uint32_t count = 0;
    double max = 0;  // its rate if it had its links alone
    double rate = 0;
    bool active = false;
    bool found = false;   // in component_
    bool frozen = false;  // during fill()
  };
  struct Member {
    std::uint32_t flow = 0;
    double share = 0;
  };
  struct Link {
    double capacity = 0;
    double wanted = 0;          // sum of share * most over its flows
    std::vector<Member> flows;  // active ones
    bool touched = false;       // in touched_
    bool was_tight = false;     // when it was touched
    bool found = false;         // in tight_
    // During fill(): capacity left by flows with fixed rates; share and number of the other flows.
    double left = 0;
    double shares = 0;
    std::size_t open = 0;
    // True when its flows together could exceed the capacity: only then do they affect each other.
    [[nodiscard]] bool tight() const;
  };

  [[nodiscard]] std::span<const LinkUse> usesOf(const Flow& flow) const {
    return {uses_.data() + flow.first, flow.count};
  }
  void touch(const Flow& flow);
  void find(std::uint32_t flow);
  void fill();
  // The link of tight_ that fills first, if it does so at a rate below `level`, which is then
  // lowered to it.
  [[nodiscard]] const Link* fullBefore(double& level) const;
  void freeze(std::uint32_t flow, double rate);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<LinkUse> uses_;
  std::vector<std::uint32_t> touched_;    // links of flows that started or stopped
  std::vector<std::uint32_t> started_;    // flows
  std::vector<std::uint32_t> component_;  // flows to be computed
  std::vector<std::uint32_t> tight_;      // links among them
  std::vector<std::uint32_t> changed_;
};

}  // namespace plumbline::bench
