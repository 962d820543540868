#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <utility>

#include "scenario/field_reader.h"
#include "scenario/sections.h"
#include "scenario/spec_fields.h"

namespace plumbline::scenario {
namespace {

constexpr std::size_t kMaxDeviceName = 32;
constexpr std::size_t kMaxCards = 16;

// Digits of a PCIe address, "0000:3b:00.1": 4, 2, 2 and 1 hexadecimal ones.
constexpr std::string_view kAddressForm = "xxxx:xx:xx.x";

bool isDevice(const std::string& text) {
  const auto is = [](int (*kind)(int)) {
    return [kind](char c) { return kind(static_cast<unsigned char>(c)) != 0; };
  };
  constexpr std::size_t kMaxDigits = 3;
  if (!text.empty() && text.size() <= kMaxDigits) {
    return std::all_of(text.begin(), text.end(), is(std::isdigit));
  }
  return text.size() == kAddressForm.size() &&
         std::equal(text.begin(), text.end(), kAddressForm.begin(), [&](char c, char form) {
           return form == 'x' ? is(std::isxdigit)(c) : c == form;
         });
}

std::optional<std::string> readDevice(const YamlNode& node, Problems& problems) {
  auto text = readText(node, kMaxDeviceName, problems);
  if (text && !isDevice(*text)) {
    problems.add(
        node, shown(*text) + " is no device",
        "a number (0), or a PCIe address (\"0000:3b:00.1\"): `plumbline ports` lists them");
    return std::nullopt;
  }
  return text;
}

}  // namespace

void readFpga(const YamlNode& node, Scenario& scenario, Problems& problems) {
  auto checked = readMap(node, "fpga", problems);
  if (!checked) return;
  SpecReader map(std::move(*checked), {}, nullptr, problems);
  bench::FpgaSpec& spec = scenario.fpga.emplace();
  readFields(map, spec);
  if (const YamlNode* value = map.optional("xclbin")) {
    if (const auto name = readText(*value, kMaxFileName, problems)) {
      spec.xclbin = (std::filesystem::path(scenario.file).parent_path() / *name).string();
    }
  }
  if (const YamlNode* value = map.optional("devices")) {
    const auto read = [&](const YamlNode& item) { return readDevice(item, problems); };
    if (auto devices = readList(*value, kMaxCards, problems, read)) {
      spec.devices = std::move(*devices);
    }
  }
  map.finish();
}

}  // namespace plumbline::scenario
