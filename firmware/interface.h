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
inline constexpr uint32_t kInterfaceMinor = 1;
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
  // Of a port with block mac:
  kSetFec = 6,       // arguments: port, MacFec (mac_bring_up.h); the link comes up anew
  kRestartLink = 7,  // argument: port
  kSetLink = 8,      // arguments: port, LinkMode
  kClearHealth = 9,  // argument: port; its sums begin anew
  // Of a port with link-level retry. Arguments: port, RetryPolicy, and with kRetryInit: attempts
  // before it gives up (1 to 255), microseconds that an attempt may take (100 to 10^6).
  kSetRetry = 10,
  // Of a card with block time. Arguments:
  //   PtpRole in bits 7:0, port in 15:8, domain in 23:16
  //   log2 of seconds, signed bytes: from one Sync to the next in bits 7:0 (-7 to 4), Delay_Req in
  //   15:8 (-7 to 4), Announce in 23:16 (-3 to 4)
  //   the port's MAC address: bytes 0 to 3, byte 0 in bits 7:0; then bytes 4 and 5
  kSetPtp = 11,
};

inline constexpr uint32_t kMaxAttempts = 255;  // ranges of kSetRetry
inline constexpr uint32_t kMinLimitUs = 100;
inline constexpr uint32_t kMaxLimitUs = 1'000'000;

enum CommandStatus : uint32_t {
  kDone = 0,
  kUnknownCommand = 1,
  kBadArgument = 2,   // outside of what this card or port has
  kAccessFailed = 3,  // the card refused a register access
};

// Words of the answer to kInfo. Times are clocks of the processor.
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
  kLogLink = 8,          // port, MacState, MacReason, RS-FEC: a byte each, port in the lowest
  kLogRetry = 9,         // port, RetryState, RetryReason, attempts: the same way
  kLogPtp = 10,          // PtpState, PtpRole, port: a byte each
  kLogPtpStep = 11,      // ns by which time was stepped, signed, at most what 32 bits hold
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

// ---- Ports: links, link-level retry, health ----

inline constexpr uint32_t kMaxPorts = 8;

// A number of 64 bits. Times are clocks of the processor since its reset.
struct Wide {
  uint32_t low;
  uint32_t high;
};

enum LinkMode : uint32_t {
  kLinkRun = 0,       // the firmware brings it up and watches it
  kLinkHeld = 1,      // the MAC is held in reset: the other end sees no signal
  kLinkReleased = 2,  // the firmware leaves the port's block mac to the host
};

struct LinkStatus {
  uint32_t mode;    // LinkMode
  uint32_t fec;     // MacFec, as asked for
  uint32_t state;   // MacState
  uint32_t reason;  // MacReason
  uint32_t rs_fec;  // 1: RS-FEC on the link, or in the present attempt
  uint32_t losses;  // of links that had been up
  Wide changed;     // when state or reason last changed
};

enum RetryPolicy : uint32_t {
  kRetryLeave = 0,  // the firmware does nothing about link-level retry
  kRetryOff = 1,    // both directions are switched off
  kRetryInit = 2,   // both are switched on, and initialised whenever the link comes up
};

enum RetryState : uint32_t {
  kRetryIdle = 0,     // by its policy
  kRetryNoLink = 1,   // initialised when the link comes up
  kRetryBegun = 2,    // INIT is sent, no ECHO has come
  kRetryUp = 3,       // frames are kept and sent again
  kRetryWaiting = 4,  // off until the next attempt
  kRetryGivenUp = 5,  // off until the link comes up anew, or the host asks
};

// Why it is not up: how the last attempt ended, or the retry that had been up.
enum RetryReason : uint32_t {
  kRetryNone = 0,
  kRetryNoEcho = 1,    // the other end did not answer INIT in time
  kRetryFlushed = 2,   // the sender gave up its frames
  kRetryLinkLost = 3,  // the MAC lost its link
};

struct RetryStatus {
  uint32_t policy;    // RetryPolicy
  uint32_t state;     // RetryState
  uint32_t reason;    // RetryReason
  uint32_t attempts;  // since the link came up, or since the retry was up for long
  uint32_t most;      // attempts before it gives up
  uint32_t limit_us;  // of an attempt, and the wait behind the first; each wait is twice the last
  uint32_t failures;  // attempts that failed, ever
  Wide changed;       // when state or reason last changed
};

// Counts of a MAC since `from`, by their places in Health::sums. The registers' names are those of
// docs/registers.md.
inline constexpr uint32_t kFecLanes = 4;
inline constexpr uint32_t kPcsLanes = 20;
enum HealthSum : uint32_t {
  kSumCodewords,
  kSumCorrected,
  kSumUncorrected,
  kSumSymbolErrors,                              // one for each FEC lane
  kSumBipErrors = kSumSymbolErrors + kFecLanes,  // one for each PCS lane
  kSumBadCodes = kSumBipErrors + kPcsLanes,
  kSumAlignmentLosses,
  kSumHiBerEvents,
  kSumLocalFaults,
  kSumRemoteFaults,
  kSumTxUnderflows,
  kSumTxOverflows,
  kSumRxFifoOverflows,
  kHealthSums,
};

struct Health {
  Wide from;
  Wide to;               // when the sums were last added to
  uint32_t readings;     // so many times since `from`
  uint32_t clock_count;  // MAC_CLOCK_COUNT at the last reading
  uint32_t saturated;    // 1: a counter was full, the sums are lower bounds
  Wide sums[kHealthSums];
};

// The firmware makes `sequence` odd, changes the rest, and makes it even again: what was read
// between two readings of the same even number belongs together.
struct PortStatus {
  uint32_t sequence;
  uint32_t has_mac;    // 1: the port has block mac
  uint32_t has_retry;  // 1: the port has link-level retry
  LinkStatus link;
  RetryStatus retry;
  Health health;
};

// ---- Time between cards ----

enum PtpRole : uint32_t {
  kPtpOff = 0,     // the card's time runs free, at the rate that it has
  kPtpSlave = 1,   // it follows a master
  kPtpMaster = 2,  // it is one
  kPtpPps = 3,     // whole seconds follow the pulse per second
};

enum PtpState : uint32_t {
  kPtpFree = 0,
  kPtpSends = 1,      // as master
  kPtpListening = 2,  // no master has been heard
  kPtpMeasuring = 3,  // rate and delay
  kPtpTracking = 4,
  kPtpLocked = 5,
  kPtpHoldover = 6,  // was locked, and no master is heard: the rate stays
};

// Under its sequence number, as PortStatus.
struct PtpStatus {
  uint32_t sequence;
  uint32_t has_time;  // 1: the card has block time
  uint32_t role;      // PtpRole
  uint32_t port;
  uint32_t domain;
  uint32_t state;        // PtpState
  uint32_t master_high;  // clock identity of the master, bytes 0 to 3, byte 0 highest
  uint32_t master_low;   // bytes 4 to 7
  uint32_t master_port;
  uint32_t uncertainty_ps;  // standard uncertainty of offset_ps, without asymmetry of the path
  Wide offset_ps;           // signed: mean of the card's time less the master's lately
  Wide delay_ps;            // signed: of the path, one way
  uint32_t rate;            // signed, 1e-12: of the card's time against its oscillator
  uint32_t syncs;           // used, or sent
  uint32_t exchanges;       // Delay_Req that were answered, or that it has answered
  uint32_t outliers;        // Syncs that were left out
  uint32_t steps;           // of time
  uint32_t losses;          // of a master
  uint32_t bad_frames;      // received, and not understood
  uint32_t dropped;         // frames that were not sent, requests beyond those that fit
  Wide changed;             // when role or state last changed
};

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
  uint32_t ports;             // of the card
  PortStatus port[kMaxPorts];
  PtpStatus ptp;
};
inline constexpr uint32_t kSharedWords = sizeof(Shared) / 4;

// The layout is the interface: what moves here raises its version.
static_assert(sizeof(ImageHeader) == 36 && sizeof(PortStatus) == 388 && sizeof(PtpStatus) == 96 &&
              sizeof(Shared) == 4388);
static_assert(offsetof(Shared, command) == 16 && offsetof(Shared, reply) == 40 &&
              offsetof(Shared, statistics) == 112 && offsetof(Shared, fault) == 144 &&
              offsetof(Shared, log_written) == 156 && offsetof(Shared, log) == 160 &&
              offsetof(Shared, ports) == 1184 && offsetof(Shared, port) == 1188 &&
              offsetof(Shared, ptp) == 4292);

}  // namespace plumbline::firmware
