// The schema for editors and the tables of the documents: every key is there, and the shipped
// scenarios conform to the schema.
#include "scenario/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "base/json.h"
#include "scenario/key_page.h"
#include "scenario/yaml_tree.h"
#include "tests/paths/paths.h"
#include "tests/results/json_schema.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using Json = nlohmann::json;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// As an editor sees a scenario: unquoted numbers and flags are no text.
Json asEditorSees(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return nullptr;
    case YamlNode::Kind::kScalar: {
      static const std::regex kNumber("-?[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");
      const bool plain = !node.quoted;
      if (plain && (node.text == "true" || node.text == "false")) return node.text == "true";
      if (plain && std::regex_match(node.text, kNumber)) return Json::parse(node.text);
      return node.text;
    }
    case YamlNode::Kind::kSequence: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(asEditorSees(item));
      return list;
    }
    case YamlNode::Kind::kMap: {
      Json map = Json::object();
      for (const YamlMember& member : node.members)
        map[member.key.text] = asEditorSees(member.value);
      return map;
    }
  }
  return {};
}

std::vector<std::string> editorFaults(const std::string& text) {
  // The command's own test checks the list of tests.
  Json schema = scenarioSchema(testVocabulary());
  schema["properties"]["test"].erase("enum");
  const YamlTree tree = parseYaml(text);
  EXPECT_EQ(tree.error, "");
  return results::schemaFaults(schema, asEditorSees(tree.root));
}

std::string freeWith(const std::string& keys) {
  return "{plumbline: 1, name: n, test: free, " + keys + "}";
}

TEST(Schema, TheScenariosOfTheProgramFulfilIt) {
  int checked = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(checkoutPath("scenarios"))) {
    if (entry.path().extension() != ".yaml") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_THAT(editorFaults(text.str()), IsEmpty()) << entry.path();
    ++checked;
  }
  EXPECT_GT(checked, 20);
}

TEST(Schema, WhatIsWrongIsFound) {
  const std::string dut = "dut: {topology: {kind: switch}";
  EXPECT_THAT(editorFaults(freeWith(dut + "}")), IsEmpty());
  EXPECT_THAT(editorFaults(freeWith(dut + ", swich: {}}")), Contains("/dut: may not have swich"));
  for (const char* wrong :
       {"{latency: 600}", "{latency: 1km}", "{forwarding: cut}", "{pfc: {quanta: 0}}",
        "{pfc: {quanta: 65536}}", "{pfc: {priorities: 8}}", "{pfc: {xof: 1KB}}", "{voq: 1}",
        "{ecn: {at: exit}}", "{ecn: [{kmin: 1}]}", "{scheduler: {weights: {8: 1}}}",
        "{shared_buffer: {alpha: 50%}}", "{pfc: 1}"}) {
    EXPECT_THAT(editorFaults(freeWith(dut + ", switch: " + wrong + "}")), testing::Not(IsEmpty()))
        << wrong;
  }
  for (const char* wrong : {"{kind: tcp}", "{kind: roce, cc: nscc}", "{kind: uet, dcqcn: paper}",
                            "{mtu: 4KiB}", "{kind: uet, entropy: spray}"}) {
    EXPECT_THAT(editorFaults(freeWith(dut + "}, transport: " + wrong)), testing::Not(IsEmpty()))
        << wrong;
  }
}

TEST(Schema, ShorthandsAreAllowed) {
  const std::string dut = "dut: {topology: {kind: switch}, load_balancing: flowlet}";
  EXPECT_THAT(editorFaults(freeWith(dut + ", transport: {kind: roce, dcqcn: nvidia, ip: 6}")),
              IsEmpty());
  EXPECT_THAT(
      editorFaults(freeWith(dut + ", transport: {kind: uet, entropy: reps, close_after: never}")),
      IsEmpty());
  EXPECT_THAT(
      editorFaults(freeWith(dut + ", transport: {kind: roce, dcqcn: {preset: hpcc, g: 0.1}}")),
      IsEmpty());
}

// Each key of the list is a property of the schema, with a description, and a row of the page.
TEST(Schema, EveryKeyIsThereAndExplained) {
  const Json schema = scenarioSchema(testVocabulary());
  const std::string page = keyPage();
  std::vector<std::string> described;
  const std::function<void(const Json&, const std::string&)> walk = [&](const Json& part,
                                                                        const std::string& path) {
    const Json forms = part.value("anyOf", Json::array());
    for (const Json& form : forms) walk(form, path);
    if (part.contains("items")) walk(part["items"], path);
    const Json properties = part.value("properties", Json::object());
    for (const auto& [key, property] : properties.items()) {
      const std::string below = path.empty() ? key : path + "." + key;
      if (property.contains("description")) described.push_back(below);
      walk(property, below);
    }
  };
  walk(schema, {});
  const std::set<std::string> all(described.begin(), described.end());
  for (const ListedKey& one : keyList()) {
    EXPECT_TRUE(all.contains(one.path)) << one.path;
    EXPECT_FALSE(one.help.empty()) << one.path;
    const std::string key = one.path.substr(one.path.rfind('.') + 1);
    EXPECT_THAT(page, HasSubstr("| `" + key + "` |"));
  }
  EXPECT_GT(keyList().size(), 150U);
}

}  // namespace
}  // namespace plumbline::scenario
