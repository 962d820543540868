#include "base/interrupts.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

namespace plumbline {
namespace {

sigset_t interruptSet() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
using CrashActions = std::array<struct sigaction, kCrashes.size()>;

// As they were at the first call.
const CrashActions& initialCrashActions() {
  static const CrashActions kAtStart = [] {
    CrashActions actions{};
    for (std::size_t i = 0; i < kCrashes.size(); ++i) sigaction(kCrashes[i], nullptr, &actions[i]);
    return actions;
  }();
  return kAtStart;
}

// Action of SIGPIPE before installInterruptHandlers(); unused without it.
struct sigaction g_pipe_at_start {};
std::atomic<bool> g_pipe_ignored{false};

void ignorePipe() {
  if (g_pipe_ignored.load()) return;
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignored, &g_pipe_at_start);
  g_pipe_ignored.store(true);
}

struct Waiting {
  std::mutex mutex;
  std::function<void()> act;
  pid_t process = 0;  // the process with the thread: a forked one has none
};

// Never destroyed: the thread outlives main().
Waiting& waiting() {
  static auto* const kWaiting = new Waiting;
  return *kWaiting;
}

// Ends the program with the signal's default action.
void endBy(int signal) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  kill(getpid(), signal);
  unblockInterrupts();
}

void waitForSignals(bool int_ignored) {
  const sigset_t set = interruptSet();
  for (;;) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    const std::scoped_lock lock(waiting().mutex);
    if (waiting().act) {
      waiting().act();
    } else if (signal != SIGINT || !int_ignored) {
      endBy(signal);
    }
  }
}

}  // namespace

void installInterruptHandlers() {
  const std::scoped_lock lock(waiting().mutex);
  const sigset_t set = interruptSet();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  initialCrashActions();
  ignorePipe();
  if (waiting().process == getpid()) return;
  waiting().process = getpid();
  struct sigaction at_start {};
  sigaction(SIGINT, nullptr, &at_start);
  const bool int_ignored = at_start.sa_handler == SIG_IGN;  // a shell's job in the background
  std::thread(waitForSignals, int_ignored).detach();
}

void onInterrupt(std::function<void()> act) {
  installInterruptHandlers();
  const std::scoped_lock lock(waiting().mutex);
  waiting().act = std::move(act);
}

void unblockInterrupts() {
  const sigset_t set = interruptSet();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  if (g_pipe_ignored.load()) sigaction(SIGPIPE, &g_pipe_at_start, nullptr);
}

CrashHandlerRestorer::CrashHandlerRestorer() { initialCrashActions(); }

CrashHandlerRestorer::~CrashHandlerRestorer() {
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    sigaction(kCrashes[i], &initialCrashActions()[i], nullptr);
  }
}

}  // namespace plumbline
