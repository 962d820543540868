// Prometheus' text format (version 0.0.4), parsed by its specification: an independent check of the
// server's library.
#pragma once

#include <cmath>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace plumbline::control {

struct Exposition {
  struct Family {
    std::string help;
    std::string type;
  };
  std::map<std::string, Family> families;
  std::map<std::string, double> samples;  // by name{label="value",…}, labels in their order
  std::vector<std::string> faults;

  [[nodiscard]] bool has(const std::string& sample) const { return samples.contains(sample); }
  // NaN if there is none, which is unequal to any number.
  [[nodiscard]] double operator[](const std::string& sample) const {
    const auto found = samples.find(sample);
    return found == samples.end() ? std::nan("") : found->second;
  }
  // Samples of one name, summed over labels.
  [[nodiscard]] double sum(const std::string& name) const {
    double sum = 0;
    for (const auto& [sample, value] : samples) {
      if (sample == name || sample.starts_with(name + "{")) sum += value;
    }
    return sum;
  }
  [[nodiscard]] std::size_t count(const std::string& name) const {
    std::size_t count = 0;
    for (const auto& [sample, value] : samples) {
      count += sample == name || sample.starts_with(name + "{") ? 1 : 0;
    }
    return count;
  }
};

// Also what `promtool check metrics` finds: names, units, counters that end with _total.
inline Exposition readExposition(const std::string& text) {
  static const std::regex kSample(
      R"re(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\]|\\.)*",?)*\})? (\S+))re");
  Exposition all;
  const auto fault = [&](const std::string& what, const std::string& line) {
    all.faults.push_back(what + ": " + line);
  };
  std::istringstream lines(text);
  std::string current;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# HELP ") || line.starts_with("# TYPE ")) {
      const bool help = line[2] == 'H';
      const auto space = line.find(' ', 7);
      const std::string name = line.substr(7, space - 7);
      std::string& place = help ? all.families[name].help : all.families[name].type;
      if (!place.empty()) fault("twice", line);
      place = line.substr(space + 1);
      current = name;
      continue;
    }
    std::smatch parts;
    if (!std::regex_match(line, parts, kSample)) {
      fault("no sample", line);
      continue;
    }
    const std::string name = parts[1];
    const auto family = all.families.find(current);
    const std::string type = family == all.families.end() ? "" : family->second.type;
    const bool suffixed =
        type == "summary" && (name == current + "_sum" || name == current + "_count");
    if (name != current && !suffixed) fault("outside its family", line);
    if (type.empty() || family->second.help.empty()) fault("without HELP or TYPE", line);
    if ((type == "counter") != name.ends_with("_total")) {
      fault("_total is for counters, and for all of them", line);
    }
    if (name.starts_with("plumbline_") == false) fault("without prefix", line);
    const std::string units = std::regex_replace(name, std::regex("_used"), "");  // not _us
    for (const char* unit :
         {"milliseconds", "_ms", "_us", "_ns", "_ps", "_bits", "_bps", "percent"}) {
      if (units.find(unit) != std::string::npos) fault("not a base unit", line);
    }
    std::size_t used = 0;
    double value = std::nan("");
    try {
      value = std::stod(parts[5], &used);
    } catch (const std::exception&) {
      fault("no number", line);
    }
    if (used != parts[5].str().size() || std::isnan(value)) fault("no number", line);
    if (!all.samples.emplace(line.substr(0, line.size() - parts[5].length() - 1), value).second) {
      fault("twice", line);
    }
  }
  return all;
}

}  // namespace plumbline::control
