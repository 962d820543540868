// What the host and the firmware of the control processor have in common: the header of an image,
// the block of memory that both use, commands and answers, log. docs/firmware.md has it as tables.
//
// All of it is 32-bit words, so that neither byte order nor padding matters. A change of meaning
// raises the major version of the interface, an addition the minor one.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace plumbline::firmware {

inline constexpr uint32_t kInterfaceMajor = 1;
inline constexpr uint32_t kInterfaceMinor = 0;
inline constexpr uint32_t kInterfaceVersion = kInterfaceMajor << 16 | kInterfaceMinor;

// Where the processor has its memory, and where an image lies and begins.
inline constexpr uint32_t kMemoryBase = 0x1000'0000;

// ---- Image ----

inline constexpr uint32_t kImageMagic = 0x504C'4657;  // the letters PLFW

// The first words of an image.
struct ImageHeader {
  uint32_t jump;               // the instruction that the processor executes first
  uint32_t magic;              // kImageMagic
  uint32_t interface_version;  // major in bits 31:16, minor in 15:0
  uint32_t version;            // of the firmware: major in bits 31:24, minor 23:16, patch 15:0
  uint32_t map_version;        // of the register map that it was built with, the same way
  uint32_t image_bytes;        // length of the image, a multiple of 4
  uint32_t memory_bytes;       // from the start of the memory, with all that is not in the image
  uint32_t shared_offset;      // of the Shared block, from the start of the memory
  uint32_t checksum;           // CRC-32 (IEEE 802.3) of the image's bytes, this word taken as zero
};
inline constexpr uint32_t kHeaderWords = sizeof(ImageHeader) / 4;

// ---- Commands ----

// The host writes Shared::command, and then its sequence number into the mailbox. The firmware
// answers in Shared::reply, and then puts the same number into the mailbox of the other direction.
// Anything that the host sends counts as a sign of life.
enum CommandCode : uint32_t {
  kPing = 0,         // nothing but the sign of life
  kInfo = 1,         // values: InfoValue
  kArmWatchdog = 2,  // arguments: clocks without a command after which it parks, low and high
  kDisarmWatchdog = 3,
  kPark = 4,     // stops the schedule now
  kReadRow = 5,  // arguments: port, table, row; values: the 16 words of the row
};

enum CommandStatus : uint32_t {
  kDone = 0,
  kUnknownCommand = 1,
  kBadArgument = 2,   // outside of what this card has
  kAccessFailed = 3,  // the card refused a register access
};

// Words of the answer to kInfo. Times are clocks of the card.
enum InfoValue : uint32_t {
  kUptimeLow,
  kUptimeHigh,
  kWatchdogLow,  // 0 while it is not armed
  kWatchdogHigh,
  kInfoValues,
};

inline constexpr uint32_t kArguments = 4;
inline constexpr uint32_t kValues = 16;

struct Command {
  uint32_t sequence;
  uint32_t code;
  uint32_t arguments[kArguments];
};

struct Reply {
  uint32_t sequence;
  uint32_t status;
  uint32_t values[kValues];
};

// ---- State, statistics, log ----

enum State : uint32_t {
  kStarting = 0,
  kReady = 1,
  kParked = 2,   // the transmitter was stopped; arming or disarming the watchdog ends it
  kFaulted = 3,  // an exception that it cannot go on from: Shared::fault
};

struct Statistics {
  uint32_t wakes;        // from sleep
  uint32_t commands;     // carried out
  uint32_t refused;      // commands with another status than kDone
  uint32_t stale_words;  // mailbox words without a command of their number
  uint32_t timer_events;
  uint32_t failed_accesses;  // register accesses that the card refused
  uint32_t parks;
  uint32_t answers_dropped;  // the host had not taken the last one
};

struct Fault {
  uint32_t cause;    // mcause
  uint32_t address;  // mepc
  uint32_t value;    // mtval
};

// argument: what stands behind each.
enum LogEvent : uint32_t {
  kLogStarted = 1,         // version of the firmware
  kLogCommandRefused = 2,  // code
  kLogWatchdogArmed = 3,   // low half of its clocks
  kLogWatchdogDisarmed = 4,
  kLogParked = 5,        // ParkReason
  kLogAccessFailed = 6,  // offset of the register
  kLogFault = 7,         // cause
};

enum ParkReason : uint32_t {
  kHostSilent = 0,
  kHostAsked = 1,
};

struct LogEntry {
  uint32_t time_low;  // clocks since reset
  uint32_t time_high;
  uint32_t event;
  uint32_t argument;
};
inline constexpr uint32_t kLogEntries = 64;

inline constexpr uint32_t kSharedMagic = 0x504C'5348;  // the letters PLSH

struct Shared {
  uint32_t magic;  // kSharedMagic once the firmware has filled in the block
  uint32_t interface_version;
  uint32_t version;
  uint32_t state;  // State
  Command command;
  Reply reply;
  Statistics statistics;
  Fault fault;
  uint32_t log_written;       // entries ever written; the last kLogEntries are there
  LogEntry log[kLogEntries];  // entry n at n % kLogEntries
};
inline constexpr uint32_t kSharedWords = sizeof(Shared) / 4;

// The layout is the interface: what moves here raises its version.
static_assert(sizeof(ImageHeader) == 36 && sizeof(Shared) == 1184);
static_assert(offsetof(Shared, command) == 16 && offsetof(Shared, reply) == 40 &&
              offsetof(Shared, statistics) == 112 && offsetof(Shared, fault) == 144 &&
              offsetof(Shared, log_written) == 156 && offsetof(Shared, log) == 160);

}  // namespace plumbline::firmware
