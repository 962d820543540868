#include "bench_verbs/verbs_bench.h"

#include <memory>

#include "bench_verbs/ibv_library.h"
#include "bench_verbs/verbs_carrier.h"

namespace plumbline::bench_verbs {

VerbsBench::VerbsBench(const std::optional<bench::EndpointSpec>& spec, BitRate line_rate)
    : EndpointBench("verbs", "ordinary RDMA NICs through rdma-core", line_rate) {
  if (!spec) return;
  const bench::EndpointSpec own = endpoint::chooseOwnPeer(*spec);
  open(own, std::make_unique<VerbsCarrier>(own, std::make_unique<IbvLibrary>()));
}

}  // namespace plumbline::bench_verbs
