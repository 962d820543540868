// What a target program answers, as a bench receives it.
#pragma once

#include <atomic>
#include <string>

#include "endpoint/peer_message.h"
#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// What `peer` says is nothing that a target program of this version does.
Error senseless(const std::string& peer, const std::string& why);

// The next answer; a fault in it is thrown. Throws fault(kPeerGone) when there is none within a
// minute, or before that once `given_up`.
PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up);

}  // namespace plumbline::endpoint
