// The firmware on the processor itself: its header, its bus, its main function and its trap
// handler.
#include <stddef.h>

#include "firmware/control.h"

inline void* operator new(size_t /*bytes*/, void* place) noexcept { return place; }

namespace plumbline::firmware {
namespace {

constexpr uint32_t kLoadFault = 5;  // values of mcause
constexpr uint32_t kStoreFault = 7;
constexpr uint32_t kInstructionBytes = 4;

volatile uint32_t& word(uint32_t address) {
  return *reinterpret_cast<volatile uint32_t*>(static_cast<uintptr_t>(address));
}

class CoreBus {
 public:
  // A load that faults leaves its register as it was, so it is zero before.
  uint32_t readCard(uint32_t offset) {
    uint32_t value = 0;
    asm volatile("lw %0, 0(%1)" : "+&r"(value) : "r"(local::kCardBase + offset) : "memory");
    return value;
  }
  void writeCard(uint32_t offset, uint32_t value) { word(local::kCardBase + offset) = value; }
  bool takeFailure() {
    const bool failed = failed_;
    failed_ = false;
    return failed;
  }
  uint32_t readLocal(uint32_t offset) { return word(local::kBase + offset); }
  void writeLocal(uint32_t offset, uint32_t value) { word(local::kBase + offset) = value; }

  // Interrupts are enabled in mie and not in mstatus: they end the sleep, at once if they came
  // before it, and no handler runs.
  void sleep() {
    constexpr uint32_t kTimerAndExternal = 1u << 7 | 1u << 11;
    asm volatile("csrs mie, %0\n\twfi" : : "r"(kTimerAndExternal) : "memory");
  }

  void noteFailure() { failed_ = true; }

 private:
  volatile bool failed_ = false;
};

constinit CoreBus bus;

}  // namespace

// The linker script makes an offset of its address.
extern "C" volatile Shared firmware_shared;
volatile Shared firmware_shared __attribute__((section(".bss.shared")));

namespace {

// ImageHeader behind the jump. What the linker knows it gives as addresses.
struct HeaderWords {
  uint32_t magic;
  uint32_t interface_version;
  uint32_t version;
  uint32_t map_version;
  uint32_t image_bytes;  // put in by make_image.py
  const char* memory_bytes;
  const char* shared_offset;
  uint32_t checksum;  // put in by make_image.py
};
static_assert(sizeof(HeaderWords) + sizeof(uint32_t) == sizeof(ImageHeader));

}  // namespace

extern "C" const char _memory_bytes[];
extern "C" const char _shared_offset[];
extern "C" const HeaderWords firmware_header;
constinit const HeaderWords firmware_header __attribute__((section(".header.words"), used)) = {
    kImageMagic, kInterfaceVersion, kVersion,       regs::global::kVersionValue,
    0,           _memory_bytes,     _shared_offset, 0};

namespace {

// Made anew with each start: initial data would keep what an earlier run has left in them.
using CoreControl = Control<CoreBus>;
alignas(CoreControl) unsigned char control_storage[sizeof(CoreControl)];
CoreControl* control = nullptr;

}  // namespace

extern "C" [[noreturn]] void firmwareMain();
extern "C" void firmwareMain() {
  control = new (control_storage) CoreControl(bus, firmware_shared);
  control->run();
}

extern "C" uint32_t firmwareTrap(uint32_t cause, uint32_t address, uint32_t value);
extern "C" uint32_t firmwareTrap(uint32_t cause, uint32_t address, uint32_t value) {
  if ((cause == kLoadFault || cause == kStoreFault) && value >= local::kCardBase) {
    bus.noteFailure();
    return address + kInstructionBytes;
  }
  if (control != nullptr) control->fault(cause, address, value);
  // Nothing enabled: it sleeps until the host resets it.
  for (;;) asm volatile("csrw mie, zero\n\twfi" : : : "memory");
}

}  // namespace plumbline::firmware
