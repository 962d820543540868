#include "cli/outputs.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "cli/note.h"

namespace plumbline::cli {
namespace {

namespace fs = std::filesystem;

// Whether writing one would write the other. Of pipes and devices, two of the same may be meant.
bool sameFile(const std::string& a, const std::string& b) {
  std::error_code ignored;
  const fs::path first = fs::weakly_canonical(fs::absolute(a, ignored), ignored);
  const fs::path second = fs::weakly_canonical(fs::absolute(b, ignored), ignored);
  if (fs::exists(first, ignored) && !fs::is_regular_file(first, ignored)) return false;
  return first == second || fs::equivalent(first, second, ignored);
}

}  // namespace

void checkOutputFiles(const RunOptions& options) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto& [option, file] :
       {std::pair{"--json", options.json}, std::pair{"--jsonl", options.jsonl},
        std::pair{"--capture", options.capture}, std::pair{"--trace", options.trace}}) {
    if (!file.empty()) files.emplace_back(option, file);
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [option, file] = files[i];
    requireWritable(file, option);
    const std::string where = fmt::format("{} {}", option, file);
    if (sameFile(file, options.scenario.file)) {
      throw Error(ErrorKind::kUsage, "this is the scenario's own file", where, "another file");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (sameFile(file, files[j].second)) {
        throw Error(ErrorKind::kUsage, "two outputs in one file",
                    fmt::format("{}, {}", files[j].first, where), "a file for each");
      }
    }
  }
}

void makeOutputDirectories(const RunOptions& options) {
  if (!options.report.empty()) requireDirectory(options.report, "--report");
  // Runs on a server are stored there.
  if (options.server.address.empty()) requireDirectory(options.results, "--results");
}

void OutputErrors::check() const {
  if (first_) throw Error(*first_);
}

void OutputErrors::noteOutputEnded(const Error& error) {
  note(stderr, "{}\nthis output ends here, the run goes on\n", error.what());
}

}  // namespace plumbline::cli
