// A Slurm of one node during the object's lifetime: munged, slurmctld and slurmd with all their
// state in one folder.
#pragma once

#include <filesystem>
#include <string>

namespace plumbline::sweep {

class SlurmNode {
 public:
  // Starts it and waits until the node is idle. `scratch` must exist.
  explicit SlurmNode(const std::filesystem::path& scratch);
  ~SlurmNode();  // ends its daemons
  SlurmNode(const SlurmNode&) = delete;
  SlurmNode& operator=(const SlurmNode&) = delete;

  // Why there is no Slurm; empty if there is one. SLURM_CONF then names it for every command.
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void start();

  std::filesystem::path folder_;
  std::string missing_;
};

}  // namespace plumbline::sweep
