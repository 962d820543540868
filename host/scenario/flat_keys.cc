#include "scenario/flat_keys.h"

#include <fmt/format.h>

#include <algorithm>

#include "scenario/reader.h"
#include "scenario/yaml_tree.h"

namespace plumbline::scenario {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

void addNode(const std::string& key, const YamlNode& node, Keys& keys);

void addMap(const std::string& key, const YamlNode& map, Keys& keys) {
  if (map.members.empty()) keys.emplace_back(key, "{}");
  for (const YamlMember& member : map.members) {
    addNode(key.empty() ? member.key.text : key + "." + member.key.text, member.value, keys);
  }
}

// The value of `name` of an item; empty without one.
std::string nameOf(const YamlNode& item) {
  for (const YamlMember& member : item.members) {
    if (member.key.text == "name") return member.value.text;
  }
  return {};
}

// "[1, [2, 3]]"
std::string listText(const YamlNode& list) {
  std::vector<std::string> items;
  for (const YamlNode& item : list.items) {
    items.push_back(item.kind == YamlNode::Kind::kSequence ? listText(item) : item.text);
  }
  return "[" + joined(items) + "]";
}

void addList(const std::string& key, const YamlNode& list, Keys& keys) {
  const auto isMap = [](const YamlNode& item) { return item.kind == YamlNode::Kind::kMap; };
  if (std::none_of(list.items.begin(), list.items.end(), isMap)) {
    // A value by itself stands for a list of one.
    const bool alone = list.items.size() == 1 && list.items.front().kind == YamlNode::Kind::kScalar;
    keys.emplace_back(key, alone ? list.items.front().text : listText(list));
    return;
  }
  if (list.items.size() == 1) {
    addNode(key, list.items.front(), keys);
    return;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    std::string name = nameOf(list.items[i]);
    const auto isNamed = [&](const YamlNode& item) { return nameOf(item) == name; };
    if (name.empty() || std::count_if(list.items.begin(), list.items.end(), isNamed) > 1) {
      name = std::to_string(i);
    }
    addNode(fmt::format("{}[{}]", key, name), list.items[i], keys);
  }
}

void addNode(const std::string& key, const YamlNode& node, Keys& keys) {
  switch (node.kind) {
    case YamlNode::Kind::kMap:
      addMap(key, node, keys);
      break;
    case YamlNode::Kind::kSequence:
      addList(key, node, keys);
      break;
    case YamlNode::Kind::kScalar:
    case YamlNode::Kind::kNull:
      keys.emplace_back(key, node.text);
      break;
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> flatKeys(std::string_view text) {
  const YamlTree tree = parseYaml(text);
  Keys keys;
  if (tree.error.empty() && tree.root.kind == YamlNode::Kind::kMap) addMap({}, tree.root, keys);
  return keys;
}

}  // namespace plumbline::scenario
