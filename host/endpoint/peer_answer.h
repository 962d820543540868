// A target program's answers, on the bench's side.
#pragma once

#include <atomic>
#include <string>

#include "endpoint/peer_message.h"
#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// The error for text from `peer` that no target program of this version sends.
Error malformedAnswer(const std::string& peer, const std::string& why);

// The next answer; a fault in it is thrown. Throws fault(kPeerGone) at the timeout (by default a
// minute: queries may share a link with more messages than it carries), or earlier once `given_up`.
// Calls checkWork().
PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up,
                      std::chrono::milliseconds timeout = std::chrono::milliseconds(60'000));

}  // namespace plumbline::endpoint
