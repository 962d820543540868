#include "cli/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <string_view>

#include "base/interrupts.h"
#include "cli/exit_code.h"

namespace plumbline::cli {
namespace {

std::atomic<bool> g_requested = false;

void say(std::string_view text) {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

void onSignal() {
  if (g_requested.exchange(true)) {
    say("\nended at once; everything but the trial in hand is saved\n");
    ::_exit(static_cast<int>(ExitCode::kAborted));
  }
  say("\nfinishing the trial in hand; once more to end at once\n");
}

}  // namespace

InterruptGuard::InterruptGuard() {
  g_requested = false;
  onInterrupt(onSignal);
}

InterruptGuard::~InterruptGuard() { onInterrupt({}); }

bool InterruptGuard::requested() const { return g_requested; }

}  // namespace plumbline::cli
