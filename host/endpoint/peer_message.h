// Messages between a bench and the target program on another host over TCP: a line of JSON each.
// The target program greets; the bench proves that it has the token, if there is one; then it
// queries the target's host or requests a channel, and while the channel exists its state.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "endpoint/channel.h"
#include "endpoint/host_configuration.h"

namespace plumbline::endpoint {

// The target program's first line.
struct PeerGreeting {
  std::string nonce;  // empty: no token is required
};

// The bench's answer to a nonce, and the target program's answer to that.
struct PeerProof {
  std::string nonce;  // of the bench; empty in the target program's
  std::string proof;  // proofOf()
};

// The bench's first request.
struct PeerRequest {
  std::string library;  // "libfabric", "verbs"
  // The channel for which the peer is to be the target; else a query of the host.
  std::optional<ChannelSpec> channel;
  std::string end;  // a JSON object: the library's part
};

// The bench's queries during a channel.
enum class PeerQuestion {
  kTold,    // number of completions of the target's software
  kIntact,  // whether the target's memory holds the sent pattern
  kForget,  // clears memory and count of earlier messages
};

// An answer has one of these.
struct PeerAnswer {
  std::optional<Configuration> configuration;
  // For a channel: first the data that the initiator needs to connect, then, when the target is
  // ready, the data that it needs to send. A JSON object of the library.
  std::optional<std::string> end;
  std::optional<std::uint64_t> told;
  std::optional<bool> intact;
  // Instead of the others: the target has given up. Place and remedy are part of its text.
  std::optional<Error> fault;
};

// Each without the end of the line.
std::string encode(const PeerGreeting& greeting);
std::string encode(const PeerProof& proof);
std::string encode(const PeerRequest& request);
std::string encode(PeerQuestion question);
std::string encode(const PeerAnswer& answer);

// Nothing, and the reason in `why`, for a line that is no such message or exceeds what a bench can
// request. Greetings of other versions are refused.
std::optional<PeerGreeting> decodeGreeting(std::string_view line, std::string& why);
std::optional<PeerProof> decodeProof(std::string_view line, std::string& why);
std::optional<PeerRequest> decodeRequest(std::string_view line, std::string& why);
std::optional<PeerQuestion> decodeQuestion(std::string_view line);
std::optional<PeerAnswer> decodeAnswer(std::string_view line, std::string& why);

}  // namespace plumbline::endpoint
