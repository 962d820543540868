// What a target program answers, as a bench receives it.
#pragma once

#include <atomic>
#include <string>

#include "endpoint/peer_message.h"
#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// What `peer` says is nothing that a target program of this version does.
Error senseless(const std::string& peer, const std::string& why);

// The next answer; a fault in it is thrown. Throws fault(kPeerGone) when there is none in time (by
// default a minute: questions may share a link with more messages than it carries), or before that
// once `given_up`. Calls checkWork().
PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up,
                      std::chrono::milliseconds patience = std::chrono::milliseconds(60'000));

}  // namespace plumbline::endpoint
