#include "scenario/key_places.h"

namespace plumbline::scenario {
namespace {

const YamlNode* memberOf(const YamlNode& map, std::string_view key) {
  for (const YamlMember& member : map.members) {
    if (member.key.text == key) return &member.value;
  }
  return nullptr;
}

}  // namespace

std::pair<const YamlNode&, bool> KeyPlaces::find(std::string_view path) const {
  const YamlNode* node = &root_;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string_view key = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    const auto item = parseInteger(key);
    if (item.value && node->kind == YamlNode::Kind::kSequence) {
      if (*item.value >= node->items.size()) return {*node, false};
      node = &node->items[*item.value];
    } else if (!item.value) {
      const YamlNode* next = memberOf(*node, key);
      if (next == nullptr) return {*node, false};
      node = next;
    }
  }
  return {*node, true};
}

}  // namespace plumbline::scenario
