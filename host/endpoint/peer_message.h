// What a bench and the target program on another host tell each other over TCP: a line of JSON
// each. The target program greets; the bench shows that it knows the token, where there is one;
// then it asks what the target's host is or for a channel, and while that stands after its state.
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
  std::string nonce;  // empty: it asks for no token
};

// The bench's answer to a nonce, and the target program's to that.
struct PeerProof {
  std::string nonce;  // of the bench; empty in the target program's
  std::string proof;  // proofOf()
};

// What the bench wants first of all.
struct PeerRequest {
  std::string library;                 // "libfabric", "verbs"
  std::optional<ChannelSpec> channel;  // whose target the other side is to be; else what it is
  std::string end;                     // an object of JSON: what the library has to say of it
};

// What the bench asks of a channel that stands.
enum class PeerQuestion {
  kTold,    // how many messages the target's software was told of
  kIntact,  // whether the target's memory holds what was sent
  kForget,  // clears memory and count of what came so far
};

// One answer has one of these.
struct PeerAnswer {
  std::optional<Configuration> configuration;
  // Of a channel: first what the initiator must know to connect, then, when the target is ready,
  // what it must know to send. An object of JSON, of the library.
  std::optional<std::string> end;
  std::optional<std::uint64_t> told;
  std::optional<bool> intact;
  // Instead of any of them: the target has given up. Where and remedy are within its words.
  std::optional<Error> fault;
};

// Each without the end of the line.
std::string encode(const PeerGreeting& greeting);
std::string encode(const PeerProof& proof);
std::string encode(const PeerRequest& request);
std::string encode(PeerQuestion question);
std::string encode(const PeerAnswer& answer);

// Nothing, and the reason in `why`, for a line that is no such message or goes beyond what a bench
// can ask for. Greetings of other versions are none.
std::optional<PeerGreeting> decodeGreeting(std::string_view line, std::string& why);
std::optional<PeerProof> decodeProof(std::string_view line, std::string& why);
std::optional<PeerRequest> decodeRequest(std::string_view line, std::string& why);
std::optional<PeerQuestion> decodeQuestion(std::string_view line);
std::optional<PeerAnswer> decodeAnswer(std::string_view line, std::string& why);

}  // namespace plumbline::endpoint
