// Start of a connection between a bench and a target program: each proves to the other that it has
// the token.
#pragma once

#include <string>

#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// The target program's part; `token` empty: none is required. With a token the connection's lines
// are sealed from then on. Throws Error(kUsage) for a bench without it, and as PeerSocket does.
void admit(PeerSocket& bench, const std::string& token);

// The bench's part; `token` empty: it has none. Throws Error(kUsage) when only one of the two has a
// token or the tokens differ, Error(kTester) when the other side is no target program of this
// version, and as PeerSocket does.
void introduce(PeerSocket& target, const std::string& token);

}  // namespace plumbline::endpoint
