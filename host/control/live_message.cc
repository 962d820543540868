#include "control/live_message.h"

#include "control/api_fields.h"
#include "control/live_fields.h"

namespace plumbline::control {
namespace {

template <typename T>
std::optional<LiveMessage> contentOf(const Json& json) {
  T content;
  JsonReader reader(JsonRole::kAnswer);
  reader.read(json, {}, content);
  if (!reader.fault().empty()) return std::nullopt;
  return content;
}

}  // namespace

template <typename Visit, Is<LiveHello> T>
void fields(const Visit& visit, T& value) {
  visit("instance", value.instance);
  visit("oldest", value.oldest);
  visit("latest", value.latest);
}
template <typename Visit, Is<LiveLost> T>
void fields(const Visit& visit, T& value) {
  visit("count", value.count);
}

std::string toMessage(const LiveHello& hello) {
  Json json{{"type", "hello"}};
  json.update(jsonOf(hello));
  return dump(json);
}

std::string toMessage(const LiveInterval& interval) {
  return R"({"type":"interval","interval":)" + interval.toJson() + "}";
}

std::string toMessage(const RunState& run) { return R"({"type":"run","run":)" + toJson(run) + "}"; }

std::string toMessage(const LiveLost& lost) {
  return dump(Json{{"type", "lost"}, {"count", lost.count}});
}

std::optional<LiveMessage> parseMessage(std::string_view text) {
  const Json json = parseJsonOrDiscard<Json>(text);
  if (!json.is_object()) return std::nullopt;
  const auto type = json.find("type");
  if (type == json.end()) return std::nullopt;
  const auto member = [&json](const char* name) {
    const auto found = json.find(name);
    return found == json.end() ? Json() : *found;
  };
  if (*type == "interval") return contentOf<LiveInterval>(member("interval"));
  if (*type == "run") return contentOf<RunState>(member("run"));
  if (*type == "hello") return contentOf<LiveHello>(json);
  if (*type == "lost") return contentOf<LiveLost>(json);
  return std::nullopt;
}

}  // namespace plumbline::control
