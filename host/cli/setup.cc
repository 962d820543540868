#include "cli/setup.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/work.h"
#include "cli/note.h"
#include "command/whole_number_option.h"
#include "scenario/quantity.h"

namespace plumbline::cli {

bool printWarnings(const scenario::Scenario& scenario) {
  const std::vector<std::string> lines = session::warningLines(scenario);
  for (const std::string& line : lines) note(stderr, "{}\n", line);
  return !lines.empty();
}

void addScenarioOptions(CLI::App& verb, ScenarioOptions& options) {
  verb.add_option("scenario", options.file, "Scenario file, or the name of one in `list scenarios`")
      ->required();
  verb.add_option("--bench", options.bench, "Bench to use instead of the scenario's");
  verb.add_option("--profile", options.profile, "quick or standard instead of the scenario's");
  command::addWholeNumber(verb, "--seed", options.seed, "Seed to use instead of the scenario's");
}

void addMemoryOption(CLI::App& verb) {
  verb.add_option_function<std::string>(
          "--max-memory",
          [](const std::string& text) {
            const auto memory = scenario::parseBytes(text);
            if (!memory.value || memory.value->count() == 0) {
              throw Error(ErrorKind::kUsage, "\"" + text + "\" is no amount of memory",
                          "--max-memory", "a size of 1B or more, such as 512MB or 16GB");
            }
            setMemoryLimit(static_cast<std::uint64_t>(memory.value->count()));
            // Programs that this one starts, such as workers of a sweep, inherit it.
            ::setenv(kMemoryVariable, text.c_str(), 1);
          },
          "Most memory; what needs more is refused or ended (default: half)")
      ->envname(kMemoryVariable);
}

void shareMemory(std::size_t workers) {
  shareMemoryLimit(workers);
  ::setenv(kMemoryVariable, fmt::format("{}B", memoryLimit()).c_str(), 1);
}

void addResultsOption(CLI::App& verb, std::string& directory) {
  directory = kDefaultResults;
  verb.add_option("--results", directory, "Directory of the results database")
      ->envname(kResultsVariable)
      ->capture_default_str();
}

}  // namespace plumbline::cli
