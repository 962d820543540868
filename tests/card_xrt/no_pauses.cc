// The emulation sleeps for ten seconds when a device is opened and closed, for the vendor's
// simulator. This one needs no time: linked into a test, or preloaded, this replaces its sleep().
#include <ctime>

extern "C" unsigned sleep(unsigned seconds) {
  const timespec pause{0, seconds > 0 ? 20'000'000 : 0};
  nanosleep(&pause, nullptr);
  return 0;
}
