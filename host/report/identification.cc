#include "report/identification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
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

std::string plainKey(const std::string& key) {
  std::string plain;
  for (const char c : key) {
    const bool gap = c == '_' || c == '-' || c == ' ';
    if (gap && (plain.empty() || plain.back() == ' ')) continue;
    plain += gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return plain;
}

// The items with their values; `left` loses the entries that were used.
KeyValues answered(const std::vector<Item>& items, KeyValues& left) {
  KeyValues lines;
  for (const Item& item : items) {
    const auto entry = std::find_if(left.begin(), left.end(), [&](const auto& one) {
      return std::find(item.keys.begin(), item.keys.end(), plainKey(one.first)) != item.keys.end();
    });
    lines.emplace_back(item.name, entry == left.end() ? "not stated" : entry->second);
    if (entry != left.end()) left.erase(entry);
  }
  return lines;
}

std::string block(const char* title, const KeyValues& lines) {
  return fmt::format("<div>\n<h3>{}</h3>\n{}</div>\n", title, keyValuesHtml(lines));
}

}  // namespace

std::string identificationHtml(const KeyValues& identity, bool simulated) {
  KeyValues left = identity;
  KeyValues fabric = answered(fabricItems(), left);
  const KeyValues hosts = answered(hostItems(), left);
  const KeyValues asic = answered(asicItems(), left);
  fabric.insert(fabric.end(), left.begin(), left.end());
  std::string html = "<section>\n<h2>Device under test</h2>\n";
  if (simulated) {
    html +=
        "<p class=\"note\">The fabric is simulated. What follows is what the scenario says of the "
        "device that it stands for; what the model does is under Configuration.</p>\n";
  }
  html += "<div class=\"columns\">\n" + block("Fabric", fabric) +
          block("ASIC features by category", asic) + block("Hosts", hosts);
  return html + "</div>\n</section>\n";
}

}  // namespace plumbline::report
