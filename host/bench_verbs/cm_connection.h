// Queue pairs connected by the connection manager (librdmacm).
#pragma once

#include <memory>

#include "bench_verbs/verbs_library.h"

namespace plumbline::bench_verbs {

// Both ends at `spec.address`, one connection after the other. Throws verbsFault(), also when the
// connection manager returns an unexpected event, or none.
EndPair connectByManager(const bench::EndpointSpec& spec, const EndSpec& initiator,
                         const EndSpec& target);

// The end that connects to the peer's address, and the one that listens at `spec.address`.
std::unique_ptr<UnconnectedEnd> makeCallerEnd(const bench::EndpointSpec& spec, const EndSpec& end);
std::unique_ptr<UnconnectedEnd> makeListenerEnd(const bench::EndpointSpec& spec,
                                                const EndSpec& end);

}  // namespace plumbline::bench_verbs
