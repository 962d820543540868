// Signals that stay the program's, whatever libraries are loaded. SIGINT and SIGTERM are blocked in
// every thread and taken by one thread that waits for them: a handler that a library installs
// (libfabric's shm and psm3 providers do) is never called. Handlers of crashes are taken out again.
#pragma once

#include <functional>

namespace plumbline {

// First in main(), before anything starts a thread: threads inherit what is blocked. Without
// onInterrupt() the signals end the program as they would have. From then on writing to a pipe or
// socket that nobody reads is an error, and not SIGPIPE. Does nothing when called again.
void takeOverInterrupts();

// What is to be done on each of the two signals instead, on the thread that waits; nothing = end.
// When it returns, what was there before is not being called any more.
void onInterrupt(std::function<void()> act);

// In a process that was forked, before it runs another program: all signals are as this program
// found them. May be called between fork() and exec().
void unblockInterrupts();

// Lives while a library is loaded or asked for something that may install handlers. At its end the
// signals of a crash have the actions that they had when the first such object was made, or
// takeOverInterrupts() was called: a crash ends the program by its signal. The handlers of PSM
// libraries end it with exit code 1 instead, which means that a limit was missed, and write a file.
class CrashHandlersKept {
 public:
  CrashHandlersKept();
  ~CrashHandlersKept();
  CrashHandlersKept(const CrashHandlersKept&) = delete;
  CrashHandlersKept& operator=(const CrashHandlersKept&) = delete;
};

}  // namespace plumbline
