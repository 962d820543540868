// Files and directories that a run writes in addition to its results.
#pragma once

#include <optional>

#include "base/error.h"
#include "cli/run_options.h"

namespace plumbline::cli {

// Throws Error(kUsage) when one of the files that `options` names cannot be written, or two of them
// are the same: before anything is measured.
void checkOutputFiles(const RunOptions& options);

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
