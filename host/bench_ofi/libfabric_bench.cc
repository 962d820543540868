#include "bench_ofi/libfabric_bench.h"

#include <memory>

#include "bench_ofi/ofi_carrier.h"

namespace plumbline::bench_ofi {

LibfabricBench::LibfabricBench(const std::optional<bench::EndpointSpec>& spec, BitRate line_rate)
    : EndpointBench("libfabric", "ordinary hosts through a provider of libfabric", line_rate) {
  if (!spec) return;
  const bench::EndpointSpec own = endpoint::chooseOwnPeer(*spec);
  open(own, std::make_unique<OfiCarrier>(own));
}

}  // namespace plumbline::bench_ofi
