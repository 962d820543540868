#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/hash64.h"
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

// The image of the cards is part of a run's identity. The user's own may be anywhere; a missing one
// is refused by the bench, as on a machine with cards.
void readXclbin(const YamlNode& node, const std::string& name, Scenario& scenario,
                Problems& problems) {
  std::string& path = scenario.fpga->xclbin;
  path = (std::filesystem::path(scenario.file).parent_path() / name).string();
  int error = 0;
  std::optional<OpenFile> file;
  if (scenario.access.origin == Origin::kUser) {
    file = openRegular(path, error);
  } else {
    path = pathOfNamed(node, name, scenario.access, scenario.file, problems).value_or("");
    file = openAgain(name, scenario.access, scenario.file, error);
  }
  if (!file) return;
  std::ifstream stream(file->path(), std::ios::binary);
  InputFile input{name, 0, 0};
  Hash64 hash;
  std::array<char, 65536> part{};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    const auto bytes = static_cast<std::size_t>(stream.gcount());
    hash.add({part.data(), bytes});
    input.bytes += bytes;
  }
  input.hash = hash.value();
  scenario.files.push_back(std::move(input));
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
      readXclbin(*value, *name, scenario, problems);
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
