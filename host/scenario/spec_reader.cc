#include "scenario/spec_reader.h"

#include <algorithm>

namespace plumbline::scenario {
namespace {

// Most mistakes of one specification that are reported: checking again after each takes time.
constexpr int kMaxRounds = 50;

// "allowed: 1 to 8" for the parentheses of a problem.
std::string allowedIn(const std::string& remedy) {
  constexpr std::string_view kPrefix = "allowed: ";
  return remedy.starts_with(kPrefix) ? remedy.substr(kPrefix.size()) : remedy;
}

// The node at `path` ("rate", "collectives[1].chunk") from `node`; missing steps are skipped, so
// that the closest node is found.
const YamlNode& closest(const YamlNode& node, std::string_view path) {
  const YamlNode* at = &node;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    const std::string_view step = path.substr(0, end);
    const bool index = end > 0 && path[end - 1] == ']';
    if (index) {
      const auto item = parseInteger(step.substr(0, step.size() - 1));
      if (item.value && *item.value < at->items.size()) at = &at->items[*item.value];
    } else {
      for (const auto& [name, value] : at->members) {
        if (name.text == step) {
          at = &value;
          break;
        }
      }
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return *at;
}

// The message without the leading value, when it begins with one. "0 ps is out of range" is then
// reported with the text as the user wrote it.
std::string about(const YamlNode& node, const std::string& what) {
  constexpr std::string_view kRange = " is out of range";
  if (node.kind != YamlNode::Kind::kScalar) return what;
  if (what.ends_with(kRange)) return shown(node.text) + std::string(kRange);
  return shown(node.text) + ": " + what;
}

template <typename T>
std::optional<T> readCount(const YamlNode& node, Problems& problems) {
  const auto count = readInteger(node, 0, std::numeric_limits<T>::max(), problems);
  return count ? std::optional(static_cast<T>(*count)) : std::nullopt;
}

}  // namespace

template <>
std::optional<std::uint8_t> readValue(const YamlNode& node, Problems& problems) {
  return readCount<std::uint8_t>(node, problems);
}
template <>
std::optional<std::uint16_t> readValue(const YamlNode& node, Problems& problems) {
  return readCount<std::uint16_t>(node, problems);
}
template <>
std::optional<std::uint32_t> readValue(const YamlNode& node, Problems& problems) {
  return readCount<std::uint32_t>(node, problems);
}
template <>
std::optional<std::uint64_t> readValue(const YamlNode& node, Problems& problems) {
  return readCount<std::uint64_t>(node, problems);
}
template <>
std::optional<std::int32_t> readValue(const YamlNode& node, Problems& problems) {
  const auto value = readSigned(node, std::numeric_limits<std::int32_t>::min(),
                                std::numeric_limits<std::int32_t>::max(), problems);
  return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
}
template <>
std::optional<bool> readValue(const YamlNode& node, Problems& problems) {
  return readBool(node, problems);
}
template <>
std::optional<std::string> readValue(const YamlNode& node, Problems& problems) {
  constexpr std::size_t kMaxName = 100;
  return readText(node, kMaxName, problems);
}
template <>
std::optional<Bytes> readValue(const YamlNode& node, Problems& problems) {
  return readBytes(node, Bytes(0), Bytes(std::numeric_limits<std::int64_t>::max()),
                   "a size such as 64KB", problems);
}
template <>
std::optional<Picoseconds> readValue(const YamlNode& node, Problems& problems) {
  return readDuration(node, Picoseconds(0), Picoseconds(std::numeric_limits<std::int64_t>::max()),
                      "a time such as 1.5us", problems);
}
template <>
std::optional<BitRate> readValue(const YamlNode& node, Problems& problems) {
  return readBitRate(node, BitRate(0), BitRate(std::numeric_limits<std::int64_t>::max()),
                     "a rate such as 400G, in b/s", problems);
}
template <>
std::optional<Fraction> readValue(const YamlNode& node, Problems& problems) {
  return readShare(node, Fraction(),
                   Fraction::partsPerTrillion(std::numeric_limits<std::int64_t>::max()),
                   "a share such as 12.5%", problems);
}

std::optional<std::uint8_t> readPriorities(const YamlNode& node, Problems& problems) {
  const auto list = readList(
      node, 8, problems, [&](const YamlNode& item) { return readInteger(item, 0, 7, problems); });
  if (!list) return std::nullopt;
  unsigned mask = 0;
  for (const std::uint64_t priority : *list) mask |= 1U << priority;
  return static_cast<std::uint8_t>(mask);
}

void FieldPlaces::addPresent(const std::string& field, const YamlNode& node,
                             std::function<void()> undo) {
  if (!undo) incomplete_ = true;
  const State state = undo ? State::kGiven : State::kReported;
  fields_.insert_or_assign(field, Field{state, &node, {}, std::move(undo)});
}

void FieldPlaces::addLeftOut(const std::string& field, const YamlNode& node,
                             const std::string& key) {
  fields_.insert_or_assign(field, Field{State::kLeftOut, &node, key, {}});
}

void FieldPlaces::addBlock(const std::string& field, const YamlNode& node) {
  fields_.insert_or_assign(field, Field{State::kBlock, &node, {}, {}});
}

void FieldPlaces::addList(const std::string& field, std::vector<const YamlNode*> items,
                          std::function<void(std::size_t)> erase, bool others_depend) {
  lists_.insert_or_assign(field, List{std::move(items), std::move(erase), others_depend});
}

void FieldPlaces::judge(const std::function<void()>& validate, const YamlNode& root,
                        Problems& problems) {
  for (int round = 0; round < kMaxRounds; ++round) {
    try {
      validate();
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kUsage) throw;
      if (!settle(error.where(), faultOf(error), allowedIn(error.remedy()), root, problems)) {
        return;
      }
    }
  }
}

std::optional<FieldPlaces::ItemName> FieldPlaces::itemOf(const std::string& field) const {
  for (const auto& [name, list] : lists_) {
    if (!field.starts_with(name + "[")) continue;
    const std::size_t close = field.find(']', name.size());
    if (close == std::string::npos) continue;
    const auto item =
        parseInteger(std::string_view(field).substr(name.size() + 1, close - name.size() - 1));
    if (!item.value || *item.value >= list.items.size()) continue;
    const bool member = close + 1 < field.size() && field[close + 1] == '.';
    return ItemName{name, *item.value, member ? field.substr(close + 2) : std::string()};
  }
  return std::nullopt;
}

// A validate() may not know its part's name in the whole: a name without a path belongs to the one
// field that the file gives under it.
std::string FieldPlaces::wholeName(const std::string& field) const {
  if (field.empty() || fields_.contains(field) || field.find_first_of(".[") != std::string::npos) {
    return field;
  }
  std::string found;
  for (const auto& [name, known] : fields_) {
    const bool here = known.state == State::kGiven || known.state == State::kBlock;
    if (!here || !name.ends_with("." + field)) continue;
    if (!found.empty()) return field;
    found = name;
  }
  return found.empty() ? field : found;
}

bool FieldPlaces::settle(const std::string& named, const std::string& what,
                         const std::string& allowed, const YamlNode& root, Problems& problems) {
  const std::string field = wholeName(named);
  if (const auto item = itemOf(field)) return settleItem(*item, what, allowed, problems);
  if (broken_list_) return false;
  const auto found = fields_.find(field);
  if (found != fields_.end() && found->second.state == State::kGiven) {
    Field& known = found->second;
    problems.add(*known.node, about(*known.node, what), allowed);
    known.state = State::kReported;
    known.undo();
    incomplete_ = true;
    return true;
  }
  // Other errors may follow from the missing value.
  if (incomplete_) return false;
  if (found != fields_.end()) {
    const Field& known = found->second;
    const bool left_out = known.state == State::kLeftOut;
    problems.add(*known.node, left_out ? "\"" + known.key + "\" is left out: " + what : what,
                 allowed);
    return false;
  }
  // A fault of several fields together names none of ours: the block that holds them is the place.
  const YamlNode* enclosing = &root;
  for (std::size_t end = field.find_last_of(".["); end != std::string::npos && end > 0;
       end = field.find_last_of(".[", end - 1)) {
    if (const auto outer = fields_.find(field.substr(0, end)); outer != fields_.end()) {
      enclosing = outer->second.node;
      break;
    }
  }
  problems.add(*enclosing, field.empty() ? what : field + ": " + what, allowed);
  return false;
}

bool FieldPlaces::settleItem(const ItemName& name, const std::string& what,
                             const std::string& allowed, Problems& problems) {
  if (broken_list_ && *broken_list_ != name.list) return false;
  List& list = lists_.at(name.list);
  const YamlNode& at = closest(*list.items[name.item], name.member);
  problems.add(at, about(at, what), allowed);
  list.items.erase(list.items.begin() + static_cast<std::ptrdiff_t>(name.item));
  list.erase(name.item);
  if (list.others_depend) broken_list_ = name.list;
  return true;
}

void SpecReader::addPresent(const std::string& member, const YamlNode& node,
                            std::function<void()> undo) {
  if (places_ != nullptr) places_->addPresent(field(member), node, std::move(undo));
}

void SpecReader::addLeftOut(const std::string& member, const std::string& key) {
  if (places_ != nullptr) places_->addLeftOut(field(member), map_.node(), key);
}

void SpecReader::addList(const std::string& member, std::vector<const YamlNode*> items,
                         std::function<void(std::size_t)> erase) {
  if (places_ != nullptr) places_->addList(field(member), std::move(items), std::move(erase));
}

std::optional<SpecReader> SpecReader::block(const std::string& key, const char* member) {
  const YamlNode* node = map_.optional(key);
  if (node == nullptr) return std::nullopt;
  if (places_ != nullptr) places_->addBlock(field(member), *node);
  auto map = readMap(*node, key, problems_);
  if (!map) return std::nullopt;
  return SpecReader(std::move(*map), field(member), places_, problems_);
}

}  // namespace plumbline::scenario
