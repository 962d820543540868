// Files and directories that a command writes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/run_options.h"
#include "scenario/scenario.h"

namespace plumbline::cli {

struct NamedPath {
  std::string name;  // of an output: its option; of an input: its description
  std::string path;
};

// What a command reads and writes.
struct CommandFiles {
  std::vector<NamedPath> inputs;
  std::vector<NamedPath> outputs;
  // A directory for a report: its files, and those in its folder for CSV, are replaced.
  std::optional<NamedPath> report;
  // A directory of results, whose database no output may replace; empty = none.
  std::string results;
  // The report is one of a run in `results`, of a number that is not known yet.
  bool report_in_results = false;

  void addScenario(const scenario::Scenario& scenario);
};

// Throws Error(kUsage) when an output cannot be written, would replace an input, or is the same
// file as another output: before anything is measured or written.
void checkOutputFiles(const CommandFiles& files);
// The same for a run. `scenario`: as it was loaded; null for a run on a server, which reads the
// files that the scenario names.
void checkOutputFiles(const RunOptions& options, const scenario::Scenario* scenario);

// The same for the directories, which are created.
void makeOutputDirectories(const RunOptions& options);

// Errors of outputs that do not keep the others from being written, nor trials from being measured.
class OutputErrors {
 public:
  // Calls `write`; returns its error.
  template <typename Write>
  std::optional<Error> attempt(const Write& write) {
    try {
      write();
      return std::nullopt;
    } catch (const Error& error) {
      if (!first_) first_ = error;
      return error;
    }
  }
  // The same for an output that is written while trials are measured: an error ends the output
  // `file`, and is reported at once after `clear_line()`.
  template <typename File, typename Write, typename Clear>
  void attemptLive(std::optional<File>& file, const Write& write, const Clear& clear_line) {
    if (!file) return;
    const auto error = attempt([&] { write(*file); });
    if (!error) return;
    file.reset();
    clear_line();
    noteOutputEnded(*error);
  }

  [[nodiscard]] bool any() const { return first_.has_value(); }
  // Throws the first error.
  void check() const;

 private:
  static void noteOutputEnded(const Error& error);

  std::optional<Error> first_;
};

}  // namespace plumbline::cli
