// SIGINT and SIGTERM, whatever libraries are loaded. Both are blocked in every thread and taken by
// one thread that waits for them: a handler that a library installs (libfabric's shm and psm3
// providers do) is never called.
#pragma once

#include <functional>

namespace plumbline {

// First in main(), before anything starts a thread: threads inherit what is blocked. Without
// onInterrupt() the signals end the program as they would have. Does nothing when called again.
void takeOverInterrupts();

// What is to be done on each of the two signals instead, on the thread that waits; nothing = end.
// When it returns, what was there before is not being called any more.
void onInterrupt(std::function<void()> act);

// In a process that was forked, before it runs another program: unblocks the signals. May be called
// between fork() and exec().
void unblockInterrupts();

}  // namespace plumbline
