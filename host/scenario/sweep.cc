#include "scenario/sweep.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "scenario/quantity.h"
#include "scenario/sections.h"
#include "scenario/yaml_text.h"

namespace plumbline::scenario {
namespace {

constexpr const char* kSection = "sweep";

const YamlNode* sectionOf(const YamlNode& root) {
  if (root.kind != YamlNode::Kind::kMap) return nullptr;
  for (const YamlMember& member : root.members) {
    if (member.key.text == kSection) return &member.value;
  }
  return nullptr;
}

// The values of an axis; a single value is a list of one.
std::span<const YamlNode> valuesOf(const YamlMember& axis) {
  if (axis.value.kind == YamlNode::Kind::kSequence) return axis.value.items;
  return {&axis.value, 1};
}

std::vector<std::string> wordsOf(const std::string& key) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t end = key.find('.'); end != std::string::npos; end = key.find('.', begin)) {
    words.push_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  words.push_back(key.substr(begin));
  return words;
}

// Whether one of the keys is the other or holds it.
bool overlap(const std::string& a, const std::string& b) {
  const std::string& longer = a.size() < b.size() ? b : a;
  const std::string& shorter = a.size() < b.size() ? a : b;
  return longer == shorter || longer.starts_with(shorter + ".");
}

// Sets `value` at the place that `axis` names. Missing keys are created, with the position of the
// axis, so that an unknown key is reported there.
bool put(YamlNode& root, const YamlMember& axis, const YamlNode& value, Problems& problems) {
  YamlNode* node = &root;
  for (const std::string& word : wordsOf(axis.key.text)) {
    if (node->kind == YamlNode::Kind::kSequence) {
      const auto index = parseInteger(word).value;
      if (!index || *index >= node->items.size()) {
        problems.add(axis.key, "there is no " + shown(word) + " in the list",
                     "0 to " + std::to_string(node->items.size() - 1));
        return false;
      }
      node = &node->items[*index];
      continue;
    }
    if (node->kind == YamlNode::Kind::kScalar) {
      problems.add(axis.key, "there is no " + shown(word) + " in the value " + shown(node->text),
                   "write the map out in the file");
      return false;
    }
    node->kind = YamlNode::Kind::kMap;
    auto member = std::find_if(node->members.begin(), node->members.end(),
                               [&](const YamlMember& one) { return one.key.text == word; });
    if (member == node->members.end()) {
      YamlNode key = axis.key;
      key.text = word;
      YamlNode made;
      made.line = key.line;
      made.column = key.column;
      node->members.push_back({std::move(key), std::move(made)});
      member = node->members.end() - 1;
    }
    node = &member->value;
  }
  *node = value;
  return true;
}

void checkAxis(const YamlMember& axis, std::span<const YamlMember> earlier, Problems& problems) {
  const std::string& key = axis.key.text;
  const auto words = wordsOf(key);
  if (words.front() == kSection || std::find(words.begin(), words.end(), "") != words.end()) {
    problems.add(axis.key, shown(key) + " cannot be swept",
                 "a key of the file with the keys around it: dut.switch.latency");
  }
  // The run that joins the points is judged as a whole, by one set of limits.
  if (words.front() == "limits") {
    problems.add(axis.key, shown(key) + " cannot be swept: limits hold for every point",
                 "the section limits, outside the sweep");
  }
  for (const YamlMember& other : earlier) {
    if (overlap(key, other.key.text)) {
      problems.add(axis.key, shown(key) + " and " + shown(other.key.text) + " are the same place",
                   "each place once");
    }
  }
  const auto values = valuesOf(axis);
  if (values.empty()) problems.add(axis.value, "the list is empty", "at least one value");
  if (values.size() > kMaxSweepValues) {
    problems.add(axis.value, "the list has " + std::to_string(values.size()) + " values",
                 "at most " + std::to_string(kMaxSweepValues));
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind == YamlNode::Kind::kNull) {
      problems.add(values[i], "the value is missing", "a value of " + key);
    }
    if (std::any_of(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const YamlNode& other) { return sameYaml(other, values[i]); })) {
      problems.add(values[i], "this value is in the list already", "each value once");
    }
  }
}

// The section by itself.
bool checkSection(const YamlNode& root, Problems& problems) {
  const std::size_t before = problems.count();
  const YamlNode& section = *sectionOf(root);
  if (section.kind != YamlNode::Kind::kMap || section.members.empty()) {
    problems.add(section, "a sweep needs keys, each with a list of values",
                 "sweep: {dut.switch.latency: [300ns, 600ns]}");
    return false;
  }
  if (section.members.size() > kMaxSweepAxes) {
    problems.add(section, std::to_string(section.members.size()) + " keys are swept",
                 "at most " + std::to_string(kMaxSweepAxes));
    return false;
  }
  std::size_t points = 1;
  for (std::size_t i = 0; i < section.members.size(); ++i) {
    checkAxis(section.members[i], std::span(section.members).first(i), problems);
    points = std::min(points * valuesOf(section.members[i]).size(), kMaxSweepPoints + 1);
  }
  if (points > kMaxSweepPoints) {
    problems.add(section, "the sweep has too many points",
                 "at most " + std::to_string(kMaxSweepPoints) + ": the product of all lists");
  }
  return problems.count() == before;
}

// The file with the values of `choice` in place and without the section.
std::optional<YamlNode> pointOf(const YamlNode& root, std::span<const std::size_t> choice,
                                Problems& problems) {
  YamlNode point = root;
  std::erase_if(point.members, [](const YamlMember& one) { return one.key.text == kSection; });
  const YamlNode& section = *sectionOf(root);
  bool good = true;
  for (std::size_t i = 0; i < section.members.size(); ++i) {
    const YamlMember& axis = section.members[i];
    good = put(point, axis, valuesOf(axis)[choice[i]], problems) && good;
  }
  return good ? std::optional(std::move(point)) : std::nullopt;
}

std::vector<SweepAxis> axesOf(const YamlNode& root) {
  std::vector<SweepAxis> axes;
  for (const YamlMember& member : sectionOf(root)->members) {
    SweepAxis axis{member.key.text, {}};
    for (const YamlNode& value : valuesOf(member)) axis.values.push_back(yamlLine(value));
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::vector<std::size_t> choiceOf(const std::vector<SweepAxis>& axes, std::size_t point) {
  std::vector<std::size_t> choice(axes.size());
  for (std::size_t i = axes.size(); i-- > 0;) {
    choice[i] = point % axes[i].values.size();
    point /= axes[i].values.size();
  }
  return choice;
}

}  // namespace

bool hasSweep(const YamlNode& root) { return sectionOf(root) != nullptr; }

void readSweep(const YamlNode& root, const Vocabulary& vocabulary, Scenario& scenario,
               Problems& problems) {
  if (!checkSection(root, problems)) return;
  const auto read = [&](const std::vector<std::size_t>& choice, Scenario& into) {
    if (const auto point = pointOf(root, choice, problems)) {
      readScenario(*point, vocabulary, into, problems);
    }
  };
  std::vector<SweepAxis> axes = axesOf(root);
  std::vector<std::size_t> choice(axes.size(), 0);
  read(choice, scenario);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t value = 1; value < axes[i].values.size(); ++value) {
      choice[i] = value;
      Scenario other;
      other.file = scenario.file;
      other.access = scenario.access;
      checkWork();
      read(choice, other);
    }
    choice[i] = 0;
  }
  scenario.sweep = std::move(axes);
}

Sweep::Sweep(std::string_view text, std::string file) : file_(std::move(file)) {
  YamlTree tree = parseYaml(text);
  Problems problems;
  if (!tree.error.empty() || !hasSweep(tree.root) || !checkSection(tree.root, problems)) {
    throw Error(ErrorKind::kUsage, "this scenario is no sweep", file_,
                "add a section \"sweep\", or use `plumbline run`");
  }
  root_ = std::move(tree.root);
  axes_ = axesOf(root_);
}

std::size_t Sweep::size() const {
  std::size_t points = 1;
  for (const SweepAxis& axis : axes_) points *= axis.values.size();
  return points;
}

std::vector<std::string> Sweep::values(std::size_t point) const {
  const auto choice = choiceOf(axes_, point);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < axes_.size(); ++i) values.push_back(axes_[i].values[choice[i]]);
  return values;
}

std::string Sweep::label(std::size_t point) const {
  std::vector<std::string> names;
  for (const SweepAxis& axis : axes_) names.push_back(wordsOf(axis.key).back());
  const auto all = values(point);
  std::string label;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const bool shared = std::count(names.begin(), names.end(), names[i]) > 1;
    label += (i == 0 ? "" : ", ") + (shared ? axes_[i].key : names[i]) + " " + all[i];
  }
  return label;
}

Scenario Sweep::scenario(std::size_t point, const Vocabulary& vocabulary) const {
  Problems problems;
  Scenario scenario;
  scenario.file = file_;
  if (const auto root = pointOf(root_, choiceOf(axes_, point), problems)) {
    scenario.text = "# Point " + std::to_string(point + 1) + " of " + std::to_string(size()) +
                    ": " + label(point) + "\n" + yamlText(*root);
    readScenario(*root, vocabulary, scenario, problems);
  }
  refuse(problems.sorted(), file_);
  return scenario;
}

}  // namespace plumbline::scenario
