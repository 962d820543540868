#include "sweep/slurm_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/output_file.h"
#include "base/shell_words.h"
#include "scenario/quantity.h"
#include "session/reporting.h"
#include "sweep/local_engine.h"
#include "sweep/subprocess.h"

namespace plumbline::sweep {
namespace {

std::filesystem::path jobsFile(const SweepDirectory& directory) {
  return directory.path() / "slurm-jobs.txt";
}

std::vector<std::string> jobsOf(const SweepDirectory& directory) {
  std::vector<std::string> jobs;
  std::ifstream stream(jobsFile(directory));
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) jobs.push_back(line);
  }
  return jobs;
}

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// Runs one of Slurm's commands; its output is in the error.
Output slurm(std::vector<std::string> command) {
  const std::string name = command.front();
  Output output = runProgram(std::move(command));
  if (output.ended.exit_code == 127) {
    throw Error(ErrorKind::kUsage, "there is no Slurm on this machine", name,
                "install its client (package slurm-client), or use --engine local");
  }
  return output;
}

Error refused(const std::string& command, const Output& output) {
  return {ErrorKind::kTester, "Slurm refuses: " + firstLine(output.err), command,
          "the sweep's directory stays as it is; the same command tries again"};
}

}  // namespace

std::string slurmScript(const SweepDirectory& directory) {
  const std::string path = directory.path().string();
  if (path.find_first_of("%\"\\\n") != std::string::npos) {
    throw Error(ErrorKind::kUsage, "Slurm takes no directory with %, \", \\ or a line break", path,
                "choose another one with --dir");
  }
  // The task's number replaces the point's of the local engine.
  std::vector<std::string> words = workerCommand(directory, 0);
  std::string command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool point = i > 0 && words[i - 1] == "--point";
    command += (i == 0 ? "" : " ") +
               (point ? std::string("\"$SLURM_ARRAY_TASK_ID\"") : shellWord(words[i]));
  }
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=plumbline-sweep\n"
      "#SBATCH --output=\"{}/points/%a/log.txt\"\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --requeue\n"
      "# One point of the sweep per task. What is stored of it is not measured again.\n"
      "attempt=1\n"
      "while :; do\n"
      "  {}\n"
      "  status=$?\n"
      "  # Above 128: ended by a signal, so it may well succeed when it is run again.\n"
      "  if [ \"$status\" -le 128 ] || [ \"$attempt\" -ge 3 ]; then exit \"$status\"; fi\n"
      "  attempt=$((attempt + 1))\n"
      "done\n",
      path, command);
}

std::string slurmArray(const std::vector<std::size_t>& points, std::size_t at_a_time) {
  std::string text;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t last = i;
    while (last + 1 < points.size() && points[last + 1] == points[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(points[i] + 1);
    if (last > i) text += "-" + std::to_string(points[last] + 1);
    i = last + 1;
  }
  return at_a_time == 0 ? text : fmt::format("{}%{}", text, at_a_time);
}

std::set<std::size_t> slurmPending(const SweepDirectory& directory) {
  std::set<std::size_t> points;
  for (const std::string& job : jobsOf(directory)) {
    const Output output =
        slurm({"squeue", "--noheader", "--array", "--format=%K", "--jobs=" + job});
    // Slurm forgets jobs some minutes after their end.
    if (output.err.find("Invalid job id") != std::string::npos) continue;
    if (output.ended.exit_code != 0) throw refused("squeue", output);
    std::string_view rest = output.out;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const auto task = scenario::parseInteger(rest.substr(0, end)).value;
      if (task && *task > 0) points.insert(*task - 1);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return points;
}

SlurmSubmission submitToSlurm(const SweepDirectory& directory, std::size_t at_a_time) {
  const std::string script = slurmScript(directory);
  const std::set<std::size_t> pending = slurmPending(directory);
  SlurmSubmission submission;
  for (const std::size_t point : directory.unfinished()) {
    if (pending.contains(point)) continue;
    directory.prepare(point);  // Slurm does not make the folder of the log
    submission.points.push_back(point);
  }
  if (submission.points.empty()) return submission;
  const std::string file = (directory.path() / "sweep.sbatch").string();
  writeFile(file, script);
  const Output output =
      slurm({"sbatch", "--parsable", "--array=" + slurmArray(submission.points, at_a_time), file});
  if (output.ended.exit_code != 0) throw refused("sbatch", output);
  // "17", or "17;cluster" on one of several clusters.
  const std::string answer = firstLine(output.out);
  submission.job = answer.substr(0, answer.find(';'));
  if (!scenario::parseInteger(submission.job).value) throw refused("sbatch", output);
  std::ofstream stream(jobsFile(directory), std::ios::app);
  stream << submission.job << "\n";
  stream.close();
  if (!stream) {
    throw Error(ErrorKind::kTester,
                "job " + submission.job + " was submitted but cannot be noted down",
                jobsFile(directory).string(), "cancel it with scancel, make room, and try again");
  }
  return submission;
}

}  // namespace plumbline::sweep
