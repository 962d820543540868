// Queue pairs of libibverbs that are connected out of band: the program exchanges their addresses.
#pragma once

#include <memory>

#include "bench_verbs/ibv_end.h"

namespace plumbline::bench_verbs {

// State, MTU and longest message of the port of `spec`, which is active. Throws Error(kTester).
ibv_port_attr activePort(ibv_context* context, const bench::EndpointSpec& spec);

// An end with a context of its own and unconnected queue pairs. Throws verbsFault().
std::unique_ptr<IbvEnd> makeEnd(const bench::EndpointSpec& spec, const EndSpec& end);

// Address of such an end for a peer; first PSNs are drawn anew with each call. Throws verbsFault(),
// and Error(kUnsupported) when the port has no GID with the index in `spec`.
EndAddress addressOf(const IbvEnd& end, const bench::EndpointSpec& spec);

// Makes the end's queue pairs ready to receive from and to send to those of `peer`, with the
// smaller of both MTUs. `own`: as sent to the peer. Throws verbsFault().
void introduce(const IbvEnd& end, const bench::EndpointSpec& spec, const EndAddress& own,
               const EndAddress& peer);

}  // namespace plumbline::bench_verbs
