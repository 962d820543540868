#include "endpoint/peer_message.h"

#include <array>
#include <utility>

#include "endpoint/peer_fields.h"

namespace plumbline::endpoint {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "plumbline_target";
constexpr std::size_t kMaxEntries = 100;

constexpr std::array<std::pair<const char*, bench::Operation>, 4> kOperations{
    {{"write", bench::Operation::kWrite},
     {"write-immediate", bench::Operation::kWriteImmediate},
     {"send", bench::Operation::kSend},
     {"read", bench::Operation::kRead}}};
constexpr std::array<std::pair<const char*, PeerQuestion>, 3> kQuestions{
    {{"told", PeerQuestion::kTold},
     {"intact", PeerQuestion::kIntact},
     {"forget", PeerQuestion::kForget}}};
// The faults that a target can have; kInvalid is of whole measurements.
constexpr std::array<std::pair<const char*, ErrorKind>, 3> kFaults{
    {{"usage", ErrorKind::kUsage},
     {"unsupported", ErrorKind::kUnsupported},
     {"tester", ErrorKind::kTester}}};

// A library's object within a line; null for invalid text, which every decoder refuses.
json objectOf(const std::string& text) { return parseJsonOrDiscard(text); }

std::string objectText(PeerFields& fields, const char* key) {
  const json& object = fields.member(key);
  if (!object.is_object()) fields.fail(std::string(key) + " is no object");
  return lineOf(object);
}

std::optional<Error> readFault(PeerFields& fields, std::string& why) {
  PeerFields fault(fields.member("fault"), why);
  const ErrorKind kind = fault.word("kind", kFaults);
  const std::string what = fault.text("what");
  return fault.good() ? std::optional(Error(kind, what)) : std::nullopt;
}

Configuration readConfiguration(PeerFields& fields) {
  Configuration configuration;
  const json& list = fields.member("configuration");
  const auto isText = [](const json& value) {
    return value.is_string() && value.get_ref<const std::string&>().size() <= kLongestPeerText;
  };
  if (!list.is_array() || list.size() > kMaxEntries) {
    fields.fail("configuration is no list");
    return configuration;
  }
  for (const json& entry : list) {
    if (!entry.is_array() || entry.size() != 2 || !isText(entry[0]) || !isText(entry[1])) {
      fields.fail("an entry of the configuration is not a name and a value");
      break;
    }
    configuration.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
  }
  return configuration;
}

}  // namespace

std::string encode(const PeerGreeting& greeting) {
  json line{{kVersionKey, kVersion}};
  if (!greeting.nonce.empty()) line["nonce"] = greeting.nonce;
  return lineOf(line);
}

std::string encode(const PeerProof& proof) {
  json line{{"proof", proof.proof}};
  if (!proof.nonce.empty()) line["nonce"] = proof.nonce;
  return lineOf(line);
}

std::string encode(const PeerRequest& request) {
  json line{{"library", request.library}, {"end", objectOf(request.end)}};
  if (request.channel) {
    line["operation"] = wordOf(kOperations, request.channel->operation);
    line["message"] = static_cast<std::uint64_t>(request.channel->message.count());
    line["queue_pairs"] = request.channel->queue_pairs;
    line["window"] = request.channel->window;
  }
  return lineOf(line);
}

std::string encode(PeerQuestion question) {
  return lineOf(json{{"ask", wordOf(kQuestions, question)}});
}

std::string encode(const PeerAnswer& answer) {
  json line = json::object();
  if (answer.configuration) {
    json& list = line["configuration"] = json::array();
    for (const auto& [name, value] : *answer.configuration) list.push_back({name, value});
  }
  if (answer.end) line["end"] = objectOf(*answer.end);
  if (answer.told) line["told"] = *answer.told;
  if (answer.intact) line["intact"] = *answer.intact;
  if (answer.fault) {
    line["fault"] = {{"kind", wordOf(kFaults, answer.fault->kind())},
                     {"what", std::string(answer.fault->what()).substr(0, kLongestPeerText)}};
  }
  return lineOf(line);
}

std::optional<PeerGreeting> decodeGreeting(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  PeerFields fields(*parsed, why);
  PeerGreeting greeting;
  fields.number(kVersionKey, kVersion, kVersion);
  if (fields.has("nonce")) greeting.nonce = fields.text("nonce");
  return fields.good() ? std::optional(std::move(greeting)) : std::nullopt;
}

std::optional<PeerProof> decodeProof(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  PeerFields fields(*parsed, why);
  PeerProof proof;
  proof.proof = fields.text("proof");
  if (fields.has("nonce")) proof.nonce = fields.text("nonce");
  return fields.good() ? std::optional(std::move(proof)) : std::nullopt;
}

std::optional<PeerRequest> decodeRequest(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  PeerFields fields(*parsed, why);
  PeerRequest request;
  request.library = fields.text("library");
  request.end = objectText(fields, "end");
  if (fields.has("operation")) {
    ChannelSpec& channel = request.channel.emplace();
    channel.operation = fields.word("operation", kOperations);
    channel.message = Bytes(static_cast<std::int64_t>(
        fields.number("message", 0, static_cast<std::uint64_t>(kLongestMessage.count()))));
    channel.queue_pairs =
        static_cast<std::uint32_t>(fields.number("queue_pairs", 1, kMaxQueuePairs));
    channel.window =
        static_cast<std::uint32_t>(fields.number("window", 1, bench::EndpointSpec::kMaxWindow));
  }
  return fields.good() ? std::optional(std::move(request)) : std::nullopt;
}

std::optional<PeerQuestion> decodeQuestion(std::string_view line) {
  std::string why;
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  PeerFields fields(*parsed, why);
  const PeerQuestion question = fields.word("ask", kQuestions);
  return fields.good() ? std::optional(question) : std::nullopt;
}

std::optional<PeerAnswer> decodeAnswer(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  PeerFields fields(*parsed, why);
  PeerAnswer answer;
  if (fields.has("fault")) {
    answer.fault = readFault(fields, why);
    if (!answer.fault) return std::nullopt;
  }
  if (fields.has("configuration")) answer.configuration = readConfiguration(fields);
  if (fields.has("end")) answer.end = objectText(fields, "end");
  if (fields.has("told")) answer.told = fields.number("told", 0, ~std::uint64_t{0});
  if (fields.has("intact")) {
    const json& intact = fields.member("intact");
    if (intact.is_boolean()) {
      answer.intact = intact.get<bool>();
    } else {
      fields.fail("intact is neither true nor false");
    }
  }
  return fields.good() ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace plumbline::endpoint
