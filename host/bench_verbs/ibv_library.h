// rdma-core itself.
#pragma once

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

class IbvLibrary final : public VerbsLibrary {
 public:
  [[nodiscard]] std::vector<std::string> devices() const override;
  [[nodiscard]] PortLimits port(const bench::EndpointSpec& spec) const override;
  EndPair connect(const bench::EndpointSpec& spec, const EndSpec& initiator,
                  const EndSpec& target) override;
  std::unique_ptr<UnconnectedEnd> open(const bench::EndpointSpec& spec, const EndSpec& end,
                                       Role role) override;
};

}  // namespace plumbline::bench_verbs
