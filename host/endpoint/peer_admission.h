// How a bench and a target program begin a connection: each learns whether the other one knows its
// token.
#pragma once

#include <string>

#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// The target program's part; `token` empty: it asks for none. With a token the connection's lines
// are sealed from then on. Throws Error(kUsage) for a bench that does not know it, and as
// PeerSocket does.
void admit(PeerSocket& bench, const std::string& token);

// The bench's part; `token` empty: it has none. Throws Error(kUsage) when only one of the two has a
// token or both have not the same, Error(kTester) when the other side is no target program of this
// version, and as PeerSocket does.
void introduce(PeerSocket& target, const std::string& token);

}  // namespace plumbline::endpoint
