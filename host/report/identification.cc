#include "report/identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "report/table_html.h"

namespace plumbline::report {
namespace {

struct Item {
  const char* name;
  std::vector<std::string> keys;  // in lower case, words apart by one space
};

const std::vector<Item>& fabricItems() {
  static const std::vector<Item> items{
      {"Vendor", {"vendor", "manufacturer"}},
      {"Model", {"model", "switch", "switch model"}},
      {"ASIC", {"asic", "switch asic", "chip"}},
      {"Operating system", {"nos", "os", "operating system", "network operating system"}},
      {"Firmware", {"firmware", "switch firmware", "version"}},
      {"Port speed", {"port speed", "ports", "speed"}},
      {"Buffers", {"buffers", "buffer", "buffer size", "buffer per port"}},
      {"Optics and cables", {"optics", "transceivers", "cables", "cabling"}}};
  return items;
}

const std::vector<Item>& hostItems() {
  static const std::vector<Item> items{
      {"Host configuration", {"host configuration", "host config", "host", "hosts"}},
      {"NIC", {"nic", "nic model"}},
      {"NIC firmware", {"nic firmware"}},
      {"Host operating system", {"host os", "host operating system"}},
      {"Driver", {"driver", "nic driver", "ofed", "ofed version"}},
      {"BIOS settings", {"bios", "bios settings"}},
      {"Collective library",
       {"collective library", "ccl", "nccl", "rccl", "collective library version"}},
      {"UET profile", {"uet profile", "profile"}},
      {"libfabric provider", {"libfabric provider", "libfabric", "provider"}},
      {"Link-layer options", {"link layer options", "link layer", "link options"}}};
  return items;
}

const std::vector<Item>& asicItems() {
  static const std::vector<Item> items{
      {"Switching bandwidth", {"switching bandwidth", "switching capacity", "bandwidth"}},
      {"Buffer architecture", {"buffer architecture"}},
      {"Packet distribution", {"packet distribution", "load balancing"}},
      {"Congestion control", {"congestion control"}},
      {"Adaptive routing", {"adaptive routing"}},
      {"Telemetry", {"telemetry"}},
      {"Cluster scale", {"cluster scale", "scale"}}};
  return items;
}

std::string keyWithoutIndices(const std::string& key) {
  std::string plain;
  for (const char c : key) {
    const bool gap = c == '_' || c == '-' || c == ' ';
    if (gap && (plain.empty() || plain.back() == ' ')) continue;
    plain += gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

// The items that are stated, with their values. `left` loses these entries; `missing` gets the
// names of the other items.
KeyValues answered(const std::vector<Item>& items, KeyValues& left,
                   std::vector<std::string>& missing) {
  KeyValues lines;
  for (const Item& item : items) {
    const auto entry = std::find_if(left.begin(), left.end(), [&](const auto& one) {
      return std::find(item.keys.begin(), item.keys.end(), keyWithoutIndices(one.first)) !=
             item.keys.end();
    });
    if (entry == left.end()) {
      missing.emplace_back(item.name);
      continue;
    }
    lines.emplace_back(item.name, entry->second);
    left.erase(entry);
  }
  return lines;
}

std::string block(const char* title, const KeyValues& lines) {
  if (lines.empty()) return "";
  return fmt::format("<div>\n<h3>{}</h3>\n{}</div>\n", title, keyValuesHtml(lines));
}

// "vendor" of "Vendor", but "ASIC" and "libfabric provider" as they are.
std::string withinSentence(std::string name) {
  const bool abbreviation =
      name.size() > 1 && std::isupper(static_cast<unsigned char>(name[1])) != 0;
  if (!abbreviation) name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

std::string missingHtml(std::vector<std::string> missing) {
  if (missing.empty()) return "";
  for (std::string& name : missing) name = withinSentence(std::move(name));
  return fmt::format("<p class=\"note\">Not stated: {}.</p>\n", fmt::join(missing, ", "));
}

}  // namespace

std::string identificationLine(const KeyValues& identity) {
  constexpr std::size_t kNaming = 4;  // vendor, model, ASIC, operating system
  const std::vector<Item> naming(fabricItems().begin(), fabricItems().begin() + kNaming);
  KeyValues left = identity;
  std::vector<std::string> missing;
  std::string line;
  for (const auto& [name, value] : answered(naming, left, missing)) {
    line += (line.empty() ? "" : ", ") + value;
  }
  return line;
}

std::string identificationHtml(const KeyValues& identity, bool simulated) {
  KeyValues left = identity;
  std::vector<std::string> missing;
  KeyValues fabric = answered(fabricItems(), left, missing);
  const KeyValues hosts = answered(hostItems(), left, missing);
  const KeyValues asic = answered(asicItems(), left, missing);
  fabric.insert(fabric.end(), left.begin(), left.end());
  std::string html;
  if (simulated) {
    html +=
        "<p class=\"note\">The fabric is simulated. What follows is what the scenario says of the "
        "device that it stands for; what the model does is under Configuration.</p>\n";
  }
  const std::string blocks =
      block("Fabric", fabric) + block("ASIC features by category", asic) + block("Hosts", hosts);
  if (!blocks.empty()) html += "<div class=\"columns\">\n" + blocks + "</div>\n";
  return html + missingHtml(std::move(missing));
}

}  // namespace plumbline::report
