#include "bench/flow/max_min.h"

#include <algorithm>
#include <limits>

namespace plumbline::bench {
namespace {

// Sums of shares are off by rounding; a link that is exceeded by less is not.
constexpr double kTolerance = 1e-9;

}  // namespace

bool MaxMin::Link::tight() const { return wanted > capacity * (1 + kTolerance); }

MaxMin::MaxMin(std::vector<double> capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < capacities.size(); ++i) links_[i].capacity = capacities[i];
}

std::uint32_t MaxMin::add(std::span<const LinkUse> uses) {
  Flow flow;
  flow.first = static_cast<std::uint32_t>(uses_.size());
  flow.count = static_cast<std::uint32_t>(uses.size());
  flow.max = std::numeric_limits<double>::infinity();
  for (const LinkUse& use : uses) {
    flow.max = std::min(flow.max, links_[use.link].capacity / use.share);
  }
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  flows_.push_back(flow);
  return static_cast<std::uint32_t>(flows_.size() - 1);
}

void MaxMin::touch(const Flow& flow) {
  for (const LinkUse& use : usesOf(flow)) {
    Link& link = links_[use.link];
    if (link.touched) continue;
    link.touched = true;
    link.was_tight = link.tight();
    touched_.push_back(use.link);
  }
}

void MaxMin::start(std::uint32_t number) {
  Flow& flow = flows_[number];
  touch(flow);
  flow.active = true;
  started_.push_back(number);
  for (const LinkUse& use : usesOf(flow)) {
    links_[use.link].flows.push_back({number, use.share});
    links_[use.link].wanted += use.share * flow.max;
  }
}

void MaxMin::stop(std::uint32_t number) {
  Flow& flow = flows_[number];
  touch(flow);
  flow.active = false;
  flow.rate = 0;
  for (const LinkUse& use : usesOf(flow)) {
    Link& link = links_[use.link];
    link.flows.erase(std::find_if(link.flows.begin(), link.flows.end(),
                                  [&](const Member& member) { return member.flow == number; }));
    // Anew when it was the last one, so that rounding does not add up.
    link.wanted = link.flows.empty() ? 0 : link.wanted - use.share * flow.max;
  }
}

void MaxMin::find(std::uint32_t number) {
  Flow& flow = flows_[number];
  if (flow.found || !flow.active) return;
  flow.found = true;
  component_.push_back(number);
}

const std::vector<std::uint32_t>& MaxMin::settle() {
  component_.clear();
  tight_.clear();
  changed_.clear();
  for (const std::uint32_t flow : started_) find(flow);
  started_.clear();
  for (const std::uint32_t number : touched_) {
    Link& link = links_[number];
    link.touched = false;
    if (!link.was_tight && !link.tight()) continue;
    for (const Member& member : link.flows) find(member.flow);
  }
  touched_.clear();
  for (std::size_t i = 0; i < component_.size(); ++i) {  // grows meanwhile
    for (const LinkUse& use : usesOf(flows_[component_[i]])) {
      Link& link = links_[use.link];
      if (link.found || !link.tight()) continue;
      link.found = true;
      tight_.push_back(use.link);
      for (const Member& member : link.flows) find(member.flow);
    }
  }
  fill();
  return changed_;
}

void MaxMin::freeze(std::uint32_t number, double rate) {
  Flow& flow = flows_[number];
  flow.frozen = true;
  if (flow.rate != rate) changed_.push_back(number);
  flow.rate = rate;
  for (const LinkUse& use : usesOf(flow)) {
    Link& link = links_[use.link];
    link.left -= use.share * rate;
    link.shares -= use.share;
    --link.open;
  }
}

const MaxMin::Link* MaxMin::fullBefore(double& level) const {
  const Link* full = nullptr;
  for (const std::uint32_t number : tight_) {
    const Link& link = links_[number];
    if (link.open == 0) continue;
    const double own = link.left / link.shares;
    if (own >= level) continue;
    level = own;
    full = &link;
  }
  return full;
}

void MaxMin::fill() {
  for (const std::uint32_t number : tight_) {
    Link& link = links_[number];
    link.found = false;
    link.left = link.capacity;
    link.shares = 0;
    link.open = link.flows.size();
    for (const Member& member : link.flows) link.shares += member.share;
  }
  for (const std::uint32_t flow : component_) {
    flows_[flow].found = false;
    flows_[flow].frozen = false;
  }
  // Sorted by the rate alone: the first flow without a fixed rate is the next one that its own
  // limit stops.
  std::stable_sort(component_.begin(), component_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return flows_[a].max < flows_[b].max; });
  auto next = component_.begin();
  for (;;) {
    while (next != component_.end() && flows_[*next].frozen) ++next;
    if (next == component_.end()) return;
    double level = flows_[*next].max;
    if (const Link* full = fullBefore(level)) {
      for (const Member& member : full->flows) {
        if (!flows_[member.flow].frozen) freeze(member.flow, level);
      }
    } else {
      freeze(*next, level);
    }
  }
}

}  // namespace plumbline::bench
