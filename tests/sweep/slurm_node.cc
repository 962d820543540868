#include "tests/sweep/slurm_node.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "sweep/subprocess.h"

namespace plumbline::sweep {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

std::string hostName() {
  std::string name(256, '\0');
  ::gethostname(name.data(), name.size() - 1);
  name.resize(name.find('\0'));
  return name.substr(0, name.find('.'));
}

void writeKey(const fs::path& file) {
  std::random_device random;
  std::ofstream stream(file, std::ios::binary);
  for (int i = 0; i < 1024; ++i) stream.put(static_cast<char>(random()));
  stream.close();
  fs::permissions(file, fs::perms::owner_read);
}

std::string configuration(const fs::path& folder) {
  const std::string at = folder.string();
  const std::string host = hostName();
  // Ports of this process alone, so that tests may run beside each other.
  const int port = 20000 + static_cast<int>(::getpid() % 20000) * 2;
  return "ClusterName=plumbline\nSlurmctldHost=" + host +
         "(127.0.0.1)\n"
         "AuthType=auth/munge\nAuthInfo=socket=" +
         at +
         "/munge/socket\n"
         "CredType=cred/munge\nSlurmUser=root\nSlurmdUser=root\n"
         "SlurmctldPort=" +
         std::to_string(port) + "\nSlurmdPort=" + std::to_string(port + 1) +
         "\nStateSaveLocation=" + at + "/state\nSlurmdSpoolDir=" + at +
         "/spool\nSlurmctldPidFile=" + at + "/slurmctld.pid\nSlurmdPidFile=" + at +
         "/slurmd.pid\nSlurmctldLogFile=" + at + "/slurmctld.log\nSlurmdLogFile=" + at +
         "/slurmd.log\n"
         "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
         "JobAcctGatherType=jobacct_gather/none\n"
         "AccountingStorageType=accounting_storage/none\nMpiDefault=none\nReturnToService=2\n"
         "SchedulerType=sched/backfill\n"
         "SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000\n"
         "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n"
         "NodeName=" +
         host +
         " NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN\nPartitionName=all Nodes=" +
         host + " Default=YES MaxTime=INFINITE State=UP\n";
}

bool runs(std::vector<std::string> command, std::string& why) {
  const std::string name = command.front();
  const Output output = runProgram(std::move(command));
  if (output.ended.exit_code == 0) return true;
  why = output.ended.exit_code == 127 ? name + " is not installed"
                                      : name + " does not start: " + output.err;
  return false;
}

void endProcess(const fs::path& pid_file) {
  pid_t pid = 0;
  if (std::ifstream(pid_file) >> pid && pid > 1) ::kill(pid, SIGTERM);
  for (int wait = 0; pid > 1 && wait < 300 && ::kill(pid, 0) == 0; ++wait) {
    std::this_thread::sleep_for(milliseconds(10));
  }
}

}  // namespace

SlurmNode::SlurmNode(const fs::path& scratch) : folder_(scratch / "slurm") {
  if (::geteuid() != 0) {
    missing_ = "only root can start a Slurm of its own";
    return;
  }
  for (const char* name : {"munge", "state", "spool"}) fs::create_directories(folder_ / name);
  fs::permissions(folder_ / "munge", fs::perms::owner_all);
  writeKey(folder_ / "munge" / "key");
  std::ofstream(folder_ / "slurm.conf") << configuration(folder_);
  ::setenv("SLURM_CONF", (folder_ / "slurm.conf").c_str(), 1);
  start();
}

void SlurmNode::start() {
  const std::string munge = (folder_ / "munge").string();
  const std::string conf = (folder_ / "slurm.conf").string();
  if (!runs({"munged", "--force", "--key-file=" + munge + "/key", "--socket=" + munge + "/socket",
             "--pid-file=" + munge + "/pid", "--log-file=" + munge + "/log",
             "--seed-file=" + munge + "/seed"},
            missing_) ||
      !runs({"slurmctld", "-f", conf}, missing_) || !runs({"slurmd", "-f", conf}, missing_)) {
    return;
  }
  for (int wait = 0; wait < 300; ++wait) {
    if (runProgram({"sinfo", "--noheader", "--format=%t"}).out.starts_with("idle")) return;
    std::this_thread::sleep_for(milliseconds(200));
  }
  missing_ = "the node of the Slurm that was started does not become idle";
}

SlurmNode::~SlurmNode() {
  for (const char* file : {"slurmd.pid", "slurmctld.pid", "munge/pid"}) endProcess(folder_ / file);
  ::unsetenv("SLURM_CONF");
}

}  // namespace plumbline::sweep
