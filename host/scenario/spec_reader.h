// Reads the structs of a specification (fabric, transport, workload) out of maps of the file. Only
// its own validate() knows the allowed values: FieldPlaces records where each field stands, so that
// errors of validate() are reported there.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "scenario/reader.h"

namespace plumbline::scenario {

// Places of the fields of one specification, by the names that its validate() uses:
// "switches.pfc.xon", "failures[1].element".
class FieldPlaces {
 public:
  // A field that the file gives: `undo` restores its previous value. Without `undo`, its
  // error has been reported already.
  void addPresent(const std::string& field, const YamlNode& node, std::function<void()> undo);
  // A field that the file could have given under `key` in the map at `node`.
  void addLeftOut(const std::string& field, const YamlNode& node, const std::string& key);
  // A map or the like whose fields are added on their own.
  void addBlock(const std::string& field, const YamlNode& node);
  // A list of maps whose keys are named like the fields, or of scalars; `items` in the order of the
  // specification. `erase` removes an item. With `others_depend`, other fields are not checked any
  // more once an item was erased.
  void addList(const std::string& field, std::vector<const YamlNode*> items,
               std::function<void(std::size_t)> erase, bool others_depend = false);

  // Calls `validate` and reports its Error(kUsage) at the field that it names. Then restores that
  // field and repeats, so that a user sees all mistakes at once. An error without a known field is
  // reported at the closest enclosing one, or at `root`, unless it may only follow from a restored
  // value.
  void judge(const std::function<void()>& validate, const YamlNode& root, Problems& problems);

 private:
  enum class State { kGiven, kLeftOut, kBlock, kReported };
  struct Field {
    State state;
    const YamlNode* node;
    std::string key;
    std::function<void()> undo;
  };
  struct List {
    std::vector<const YamlNode*> items;
    std::function<void(std::size_t)> erase;
    bool others_depend;
  };
  // An item of a list: the list's name, the item's number, and the member after it, if any.
  struct ItemName {
    std::string list;
    std::size_t item;
    std::string member;
  };

  [[nodiscard]] std::optional<ItemName> itemOf(const std::string& field) const;
  [[nodiscard]] std::string wholeName(const std::string& field) const;
  // Report one fault; return whether checking continues.
  bool settle(const std::string& field, const std::string& what, const std::string& allowed,
              const YamlNode& root, Problems& problems);
  bool settleItem(const ItemName& name, const std::string& what, const std::string& allowed,
                  Problems& problems);

  std::map<std::string, Field> fields_;
  std::map<std::string, List> lists_;
  bool incomplete_ = false;                 // a field was restored or could not be read
  std::optional<std::string> broken_list_;  // others depend on it, and an item was erased
};

// A value of any type that a specification has, without a range of its own.
template <typename T>
std::optional<T> readValue(const YamlNode& node, Problems& problems);

// A priority or a list of them, as a bit each.
std::optional<std::uint8_t> readPriorities(const YamlNode& node, Problems& problems);

template <typename T>
struct SpecValue {
  using Type = T;
};
template <typename T>
struct SpecValue<std::optional<T>> {
  using Type = T;
};

template <typename Enum>
using SpecWords = std::span<const std::pair<const char*, Enum>>;

// One map of the file that fills one struct. Missing keys leave their field unchanged.
class SpecReader {
 public:
  // `path` is the struct's name for validate(). Without `places` no field's place is recorded: for
  // items of a list, which FieldPlaces handles itself.
  SpecReader(MapReader map, std::string path, FieldPlaces* places, Problems& problems)
      : map_(std::move(map)), path_(std::move(path)), places_(places), problems_(problems) {}

  template <typename T>
  void read(const std::string& key, const char* member, T& target) {
    read(key, member, target, readValue<typename SpecValue<T>::Type>);
  }

  // With a custom reader: (node, problems) to an optional value.
  template <typename T, typename Read>
  void read(const std::string& key, const char* member, T& target, const Read& read_value) {
    const YamlNode* node = map_.optional(key);
    if (node == nullptr) {
      if (places_ != nullptr) places_->addLeftOut(field(member), map_.node(), key);
      return;
    }
    const auto value = read_value(*node, problems_);
    std::function<void()> undo;
    if (value) {
      undo = [&target, before = target] { target = before; };
      target = *value;
    }
    if (places_ != nullptr) places_->addPresent(field(member), *node, std::move(undo));
  }

  // One of `words`.
  template <typename Enum>
  void readWordOf(const std::string& key, const char* member, SpecWords<Enum> words, Enum& target) {
    read(key, member, target, [&](const YamlNode& node, Problems& problems) {
      std::vector<std::string> names;
      for (const auto& [name, value] : words) names.emplace_back(name);
      const auto word = readWord(node, names, problems);
      return word ? std::optional(words[*word].second) : std::nullopt;
    });
  }

  // The map under `key`, if it exists and is one.
  std::optional<SpecReader> block(const std::string& key, const char* member);
  // As MapReader.
  const YamlNode* optional(const std::string& key) { return map_.optional(key); }
  const YamlNode* required(const std::string& key) { return map_.required(key); }
  [[nodiscard]] const YamlNode& node() const { return map_.node(); }
  void finish() { map_.finish(); }
  [[nodiscard]] Problems& problems() const { return problems_; }
  // Of the map, in messages.
  [[nodiscard]] const std::string& name() const { return map_.name(); }
  // Another map for fields of the same struct.
  [[nodiscard]] SpecReader beside(MapReader map) const {
    return {std::move(map), path_, places_, problems_};
  }
  // As FieldPlaces, for a field of this struct.
  void addPresent(const std::string& member, const YamlNode& node, std::function<void()> undo);
  void addLeftOut(const std::string& member, const std::string& key);
  void addList(const std::string& member, std::vector<const YamlNode*> items,
               std::function<void(std::size_t)> erase);
  // "switches.pfc" + "xon"
  [[nodiscard]] std::string field(const std::string& member) const {
    return path_.empty() ? member : path_ + "." + member;
  }

 private:
  MapReader map_;
  std::string path_;
  FieldPlaces* places_;
  Problems& problems_;
};

// A list of maps, or one map for a list of one, into the vector of structs that validate() calls
// `field`. `read` fills one struct: (reader, struct). Items with mistakes are left out.
template <typename T, typename Read>
void readItems(const std::string& name, const YamlNode& node, const std::string& field,
               std::vector<T>& target, FieldPlaces& places, Problems& problems, bool others_depend,
               const Read& read) {
  std::vector<const YamlNode*> items;
  const auto readItem = [&](const YamlNode& item) {
    const std::size_t before = problems.count();
    auto map = readMap(item, name, problems);
    if (!map) return;
    SpecReader reader(std::move(*map), field, nullptr, problems);
    T value;
    read(reader, value);
    reader.finish();
    if (problems.count() != before) return;
    target.push_back(std::move(value));
    items.push_back(&item);
  };
  if (node.kind == YamlNode::Kind::kSequence) {
    for (const YamlNode& item : node.items) readItem(item);
  } else {
    readItem(node);
  }
  places.addList(
      field, std::move(items),
      [&target](std::size_t i) { target.erase(target.begin() + static_cast<std::ptrdiff_t>(i)); },
      others_depend);
}

}  // namespace plumbline::scenario
