#include "fabric/topology/candidate_sets.h"

namespace plumbline::fabric {

void CandidateSets::find(std::span<const LinkId> candidates) {
  last_data_ = candidates.data();
  last_size_ = candidates.size();
  const auto known = by_address_.find(candidates.data());
  if (known != by_address_.end() && known->second.first == candidates.size()) {
    last_number_ = known->second.second;
    return;
  }
  last_number_ = by_content_
                     .try_emplace({candidates.begin(), candidates.end()},
                                  static_cast<std::uint32_t>(by_content_.size()))
                     .first->second;
  by_address_[candidates.data()] = {candidates.size(), last_number_};
}

}  // namespace plumbline::fabric
