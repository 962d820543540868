#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <string_view>

#include "cli/exit_code.h"

namespace plumbline::cli {
namespace {

// Two signals may come to two threads at one time: exactly one of them is the first.
std::atomic<bool> g_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "used in a signal handler");

// Only what POSIX allows in a signal handler.
void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void onSignal(int) {
  if (g_requested.exchange(true)) {
    say("\nended at once; everything but the trial in hand is saved\n");
    ::_exit(static_cast<int>(ExitCode::kAborted));
  }
  say("\nfinishing the trial in hand; once more to end at once\n");
}

}  // namespace

InterruptGuard::InterruptGuard() {
  g_requested = false;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &previous_int_);
  sigaction(SIGTERM, &action, &previous_term_);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_int_, nullptr);
  sigaction(SIGTERM, &previous_term_, nullptr);
}

bool InterruptGuard::requested() const { return g_requested; }

}  // namespace plumbline::cli
