#include "bench_verbs/peer_message.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace plumbline::bench_verbs {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr const char* kVersionKey = "plumbline_verbs";
constexpr std::uint64_t kLongestMessage = std::uint64_t{8} << 30;
constexpr std::uint64_t kMostQueuePairs = 256;
constexpr std::uint64_t kMost24 = 0xFF'FFFF;
constexpr std::uint64_t kMost16 = 0xFFFF;
constexpr std::uint64_t kMost32 = 0xFFFF'FFFF;
constexpr std::uint64_t kMostMtu = 5;
constexpr std::size_t kLongestText = 1000;

constexpr std::array<std::pair<const char*, bench::Operation>, 4> kOperations{
    {{"write", bench::Operation::kWrite},
     {"write-immediate", bench::Operation::kWriteImmediate},
     {"send", bench::Operation::kSend},
     {"read", bench::Operation::kRead}}};
constexpr std::array<std::pair<const char*, bench::QueuePairService>, 2> kServices{
    {{"rc", bench::QueuePairService::kReliable}, {"uc", bench::QueuePairService::kUnreliable}}};
constexpr std::array<std::pair<const char*, bench::Connection>, 2> kConnections{
    {{"out-of-band", bench::Connection::kOutOfBand},
     {"rdma-cm", bench::Connection::kConnectionManager}}};
constexpr std::array<std::pair<const char*, PeerQuestion>, 2> kQuestions{
    {{"told", PeerQuestion::kTold}, {"intact", PeerQuestion::kIntact}}};
// The faults that a target can have; kInvalid is of whole measurements.
constexpr std::array<std::pair<const char*, ErrorKind>, 3> kFaults{
    {{"usage", ErrorKind::kUsage},
     {"unsupported", ErrorKind::kUnsupported},
     {"tester", ErrorKind::kTester}}};

template <typename Words, typename Value>
const char* nameOf(const Words& words, Value value) {
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& word) { return word.second == value; });
  return found == words.end() ? words.back().first : found->first;
}

std::string hexOf(const std::array<std::uint8_t, 16>& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

json toJson(const EndAddress& address) {
  if (!address.manager_address.empty()) {
    return {{"manager", {address.manager_address, address.manager_port}}};
  }
  json pairs = json::array();
  for (const PairAddress& pair : address.pairs) pairs.push_back({pair.number, pair.psn});
  return {
      {"gid", hexOf(address.gid)}, {"lid", address.lid}, {"mtu", address.mtu}, {"pairs", pairs}};
}

// Reads members of an object that a peer sent. What is missing or wrong is noted once; then
// everything reads as nothing.
class Reader {
 public:
  Reader(const json& object, std::string& why) : object_(object), why_(why) {
    if (!object_.is_object()) fail("not an object");
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool has(const char* key) const {
    return object_.is_object() && object_.contains(key);
  }
  void fail(const std::string& what) {
    if (good_) why_ = what;
    good_ = false;
  }

  const json& member(const char* key) {
    static const json kNothing;
    if (good_ && object_.contains(key)) return object_[key];
    fail(std::string(key) + " is missing");
    return kNothing;
  }
  std::uint64_t number(const char* key, std::uint64_t least, std::uint64_t most) {
    return numberOf(member(key), key, least, most);
  }
  std::uint64_t numberOf(const json& value, const char* name, std::uint64_t least,
                         std::uint64_t most) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number >= least && number <= most) return number;
    }
    fail(std::string(name) + " is out of range");
    return least;
  }
  std::string text(const char* key) {
    const json& value = member(key);
    if (value.is_string() && value.get_ref<const std::string&>().size() <= kLongestText) {
      return value.get<std::string>();
    }
    fail(std::string(key) + " is no text");
    return {};
  }
  template <typename Words>
  auto word(const char* key, const Words& words) {
    const std::string name = text(key);
    for (const auto& [candidate, value] : words) {
      if (name == candidate) return value;
    }
    fail(std::string(key) + " is unknown");
    return words.front().second;
  }

 private:
  const json& object_;
  std::string& why_;
  bool good_ = true;
};

std::optional<json> parseLine(std::string_view line, std::string& why) {
  json parsed = json::parse(line, nullptr, false);
  if (!parsed.is_discarded()) return parsed;
  why = "not JSON";
  return std::nullopt;
}

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void readGid(Reader& reader, EndAddress& address) {
  const std::string text = reader.text("gid");
  if (text.size() != 2 * address.gid.size()) return reader.fail("gid is no GID");
  for (std::size_t i = 0; i < address.gid.size(); ++i) {
    const int high = digit(text[2 * i]);
    const int low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return reader.fail("gid is no GID");
    address.gid[i] = static_cast<std::uint8_t>(high << 4 | low);
  }
}

EndAddress readAddress(const json& object, std::string& why, bool& good) {
  EndAddress address;
  Reader reader(object, why);
  if (reader.has("manager")) {
    const json& manager = reader.member("manager");
    if (manager.is_array() && manager.size() == 2 && manager[0].is_string() &&
        manager[0].get_ref<const std::string&>().size() <= kLongestText) {
      address.manager_address = manager[0].get<std::string>();
      address.manager_port =
          static_cast<std::uint16_t>(reader.numberOf(manager[1], "port", 1, kMost16));
    }
    if (address.manager_address.empty()) reader.fail("manager is no address");
  } else {
    readGid(reader, address);
    address.lid = static_cast<std::uint16_t>(reader.number("lid", 0, kMost16));
    address.mtu = static_cast<std::uint8_t>(reader.number("mtu", 1, kMostMtu));
    const json& pairs = reader.member("pairs");
    if (!pairs.is_array() || pairs.size() > kMostQueuePairs) reader.fail("pairs is no list");
    for (const json& pair : reader.good() ? pairs : json::array()) {
      if (!pair.is_array() || pair.size() != 2) {
        reader.fail("a queue pair is not a number and a PSN");
        break;
      }
      address.pairs.push_back(
          {static_cast<std::uint32_t>(reader.numberOf(pair[0], "queue pair", 0, kMost24)),
           static_cast<std::uint32_t>(reader.numberOf(pair[1], "PSN", 0, kMost24))});
    }
  }
  good = reader.good();
  return address;
}

}  // namespace

std::string encode(const PeerRequest& request) {
  json line{{kVersionKey, kVersion},
            {"operation", nameOf(kOperations, request.channel.operation)},
            {"message", static_cast<std::uint64_t>(request.channel.message.count())},
            {"queue_pairs", request.channel.queue_pairs},
            {"window", request.channel.window},
            {"service", nameOf(kServices, request.service)},
            {"connection", nameOf(kConnections, request.connection)}};
  if (request.connection == bench::Connection::kOutOfBand) {
    line["address"] = toJson(request.address);
  }
  return line.dump();
}

std::string encode(PeerQuestion question) {
  return json{{"ask", nameOf(kQuestions, question)}}.dump();
}

std::string encode(const PeerAnswer& answer) {
  json line = json::object();
  if (answer.address) line["address"] = toJson(*answer.address);
  if (answer.key) line["key"] = {answer.key->address, answer.key->rkey};
  if (answer.told) line["told"] = *answer.told;
  if (answer.intact) line["intact"] = *answer.intact;
  if (answer.fault) {
    line["fault"] = {{"kind", nameOf(kFaults, answer.fault->kind())},
                     {"what", answer.fault->what()}};
  }
  // A library's words may hold bytes that are no UTF-8.
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<PeerRequest> decodeRequest(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  Reader reader(*parsed, why);
  PeerRequest request;
  reader.number(kVersionKey, kVersion, kVersion);
  request.channel.operation = reader.word("operation", kOperations);
  request.channel.message =
      Bytes(static_cast<std::int64_t>(reader.number("message", 0, kLongestMessage)));
  request.channel.queue_pairs =
      static_cast<std::uint32_t>(reader.number("queue_pairs", 1, kMostQueuePairs));
  request.channel.window =
      static_cast<std::uint32_t>(reader.number("window", 1, bench::EndpointSpec::kMostWindow));
  request.service = reader.word("service", kServices);
  request.connection = reader.word("connection", kConnections);
  if (!reader.good()) return std::nullopt;
  const bool reliable = request.service == bench::QueuePairService::kReliable;
  if (request.connection == bench::Connection::kConnectionManager) {
    if (!reliable) reader.fail("the connection manager makes reliable connections only");
  } else {
    bool good = false;
    request.address = readAddress(reader.member("address"), why, good);
    if (!good) return std::nullopt;
    if (request.address.pairs.size() != request.channel.queue_pairs) {
      reader.fail("not as many queue pairs as are asked for");
    }
  }
  if (!reliable && request.channel.operation == bench::Operation::kRead) {
    reader.fail("an unreliable connection has no read");
  }
  return reader.good() ? std::optional(request) : std::nullopt;
}

std::optional<PeerQuestion> decodeQuestion(std::string_view line) {
  std::string why;
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  Reader reader(*parsed, why);
  const PeerQuestion question = reader.word("ask", kQuestions);
  return reader.good() ? std::optional(question) : std::nullopt;
}

std::optional<PeerAnswer> decodeAnswer(std::string_view line, std::string& why) {
  const auto parsed = parseLine(line, why);
  if (!parsed) return std::nullopt;
  Reader reader(*parsed, why);
  PeerAnswer answer;
  if (reader.has("fault")) {
    Reader fault(reader.member("fault"), why);
    const ErrorKind kind = fault.word("kind", kFaults);
    const std::string what = fault.text("what");
    if (!fault.good()) return std::nullopt;
    answer.fault = Error(kind, what);
  }
  if (reader.has("address")) {
    bool good = false;
    answer.address = readAddress(reader.member("address"), why, good);
    if (!good) return std::nullopt;
  }
  if (reader.has("key")) {
    const json& key = reader.member("key");
    if (!key.is_array() || key.size() != 2 || !key[0].is_number_unsigned()) {
      reader.fail("key is no address and key");
    } else {
      answer.key =
          MemoryKey{key[0].get<std::uint64_t>(),
                    static_cast<std::uint32_t>(reader.numberOf(key[1], "key", 0, kMost32))};
    }
  }
  if (reader.has("told")) answer.told = reader.number("told", 0, ~std::uint64_t{0});
  if (reader.has("intact")) {
    const json& intact = reader.member("intact");
    if (intact.is_boolean()) {
      answer.intact = intact.get<bool>();
    } else {
      reader.fail("intact is neither true nor false");
    }
  }
  return reader.good() ? std::optional(std::move(answer)) : std::nullopt;
}

}  // namespace plumbline::bench_verbs
