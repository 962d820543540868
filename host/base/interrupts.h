// Signal handling that libraries cannot replace. SIGINT and SIGTERM are blocked in every thread and
// taken by one thread that waits for them: a handler that a library installs (libfabric's shm and
// psm3 providers do) is never called. Crash handlers are removed again.
#pragma once

#include <functional>

namespace plumbline {

// First call in main(), before any thread is started: threads inherit the signal mask. Without
// onInterrupt() the signals end the program as usual. Afterwards writing to a pipe or socket
// without a reader is an error instead of SIGPIPE. Further calls have no effect.
void installInterruptHandlers();

// Sets the action for each of the two signals, called on the waiting thread; nothing = end. When it
// returns, the previous action is not running any more.
void onInterrupt(std::function<void()> act);

// In a forked process, before it runs another program: restores all signals to their original
// state. May be called between fork() and exec().
void unblockInterrupts();

// Protects crash handling while a library is loaded or called that may install handlers. The
// destructor restores the actions for crash signals from before the first such object or
// installInterruptHandlers(): a crash ends the program by its signal. The handlers of PSM libraries
// end it with exit code 1 instead, which means that a limit was missed, and write a file.
class CrashHandlerRestorer {
 public:
  CrashHandlerRestorer();
  ~CrashHandlerRestorer();
  CrashHandlerRestorer(const CrashHandlerRestorer&) = delete;
  CrashHandlerRestorer& operator=(const CrashHandlerRestorer&) = delete;
};

}  // namespace plumbline
