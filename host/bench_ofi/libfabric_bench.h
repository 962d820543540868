// LibfabricBench: messages over any libfabric provider with reliable datagram endpoints.
#pragma once

#include <optional>

#include "endpoint/endpoint_bench.h"

namespace plumbline::bench_ofi {

class LibfabricBench final : public endpoint::EndpointBench {
 public:
  // Without `spec` a bench that reports its capabilities and runs nothing. Throws
  // Error(kUnsupported) when this machine does not have the provider.
  LibfabricBench(const std::optional<bench::EndpointSpec>& spec, BitRate line_rate);
};

}  // namespace plumbline::bench_ofi
