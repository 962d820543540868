#include "tests/hw/llr/llr_link.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "Vplumb_llr.h"
#include "tests/hw/packer.h"
#include "wire/crc.h"

namespace plumbline::test {
namespace {

constexpr std::size_t kBeatBytes = 64;
constexpr std::int64_t kOverheadBytes = 20;  // preamble, SFD, average gap
constexpr std::int64_t kColumnBytes = 8;
constexpr std::size_t kNumberAt = 14;
constexpr std::size_t kCounterCount = 26;
constexpr unsigned kCounterBits = 48;

// `width` bits of a wide value from bit `from` on.
template <typename Words>
std::uint64_t bitsOf(const Words& words, unsigned from, unsigned width) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < width; ++i) {
    const unsigned bit = from + i;
    value |= static_cast<std::uint64_t>((words[bit / 32] >> (bit % 32)) & 1U) << i;
  }
  return value;
}

}  // namespace

std::int64_t edgeAt(std::int64_t time) {
  std::int64_t edge = time * 33 / 102400;
  while (edgeTime(edge) < time) ++edge;
  return edge;
}

// Fields are at the places that the drafts of the link layer give: D0 in the lowest byte.
OrderedSet OrderedSet::of(std::uint64_t word) {
  const auto byte = [word](unsigned n) { return static_cast<std::uint32_t>(word >> 8 * n) & 0xFF; };
  OrderedSet set;
  set.type = byte(1);
  set.seq = byte(2) << 12 | byte(3) << 4 | byte(4) >> 4;
  set.d5 = byte(5);
  set.d6 = byte(6);
  set.marked = byte(0) == 0x4B && (byte(4) & 0xF) == 6 && byte(7) == 0;
  return set;
}

std::uint64_t OrderedSet::word() const {
  const std::array<std::uint32_t, 8> bytes{
      0x4BU, type, seq >> 12, (seq >> 4) & 0xFF, (seq & 0xF) << 4 | (marked ? 6U : 0U), d5, d6, 0U};
  std::uint64_t word = 0;
  for (unsigned n = 0; n < 8; ++n) word |= static_cast<std::uint64_t>(bytes[n]) << 8 * n;
  return word;
}

std::uint32_t LineFrame::seq() const {
  const auto low = static_cast<std::uint32_t>(preamble);
  return ((low >> 4) & 0xF) << 16 | ((low >> 8) & 0xFF) << 8 | ((low >> 16) & 0xFF);
}

wire::Buffer numberedFrame(std::uint64_t number, std::size_t length) {
  wire::Buffer frame(length - wire::kFcsSize);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    frame[i] = static_cast<std::uint8_t>(number * 7 + i * 13);
  }
  std::memcpy(frame.data() + kNumberAt, &number, sizeof number);
  wire::appendFcs(frame);
  return frame;
}

std::uint64_t numberOf(const wire::Buffer& frame) {
  std::uint64_t number = 0;
  std::memcpy(&number, frame.data() + kNumberAt, sizeof number);
  return number;
}

// A frame on its way to the other end.
struct LlrLink::Arriving {
  LineFrame frame;
  std::size_t offset = 0;
};

struct LlrLink::End {
  explicit End(VerilatedContext* context) : owner(std::make_unique<Vplumb_llr>(context)) {}

  std::unique_ptr<Vplumb_llr> owner;
  Vplumb_llr& model = *owner;

  std::size_t offered = 0;  // bytes of the front source frame already taken
  bool offering = false;    // a beat stands at the sender and must stay
  std::uint32_t number = 0;

  // Line to the other end.
  LineFrame sending;
  bool inside = false;
  std::int64_t line_end = 0;             // end of the last frame [ps]
  std::optional<std::uint64_t> waiting;  // ordered set without a place on the line

  // Line from the other end.
  std::deque<Arriving> frames;
  std::deque<std::pair<std::int64_t, std::uint64_t>> sets;  // time, word

  SinkFrame receiving;
  bool receiving_inside = false;
  std::optional<std::uint64_t> foreign_set;
};

LlrLink::LlrLink(const LlrSettings& left, const LlrSettings& right, std::int64_t delay_ps)
    : context_(std::make_unique<VerilatedContext>()), delay_(delay_ps) {
  for (auto& end : ends_) {
    end = std::make_unique<End>(context_.get());
    end->model.link_up_i = 1;
    end->model.mac_rx_preamble_i = kOrdinaryPreamble;
    end->model.tx_empty_i = 1;
    end->model.rst_ni = 1;
    end->model.eval();
    end->model.rst_ni = 0;
  }
  clocks(4);
  for (auto& end : ends_) end->model.rst_ni = 1;
  // The histogram is swept first.
  while (ends_[0]->model.clear_busy_o != 0) clock();
  configure(0, left);
  configure(1, right);
}

LlrLink::~LlrLink() {
  for (auto& end : ends_) end->model.final();
}

void LlrLink::configure(int side, const LlrSettings& s) {
  auto& words = ends_[static_cast<std::size_t>(side)]->model.config_i;
  Packer packer(words);
  packer.put(kByteTimePs, 32);
  packer.put(s.ack_spacing, 16);
  packer.put(s.data_age, 32);
  packer.put(s.pcs_lost, 32);
  packer.put(s.replay_count_max, 8);
  packer.put(s.replay_timer, 24);
  packer.put(s.max_bytes, 32);
  packer.put(s.max_frames, 20);
  packer.put(s.init_interval, 16);
  packer.put(s.init_data, 16);
  packer.put(s.init_seq, 20);
  packer.put(s.nack_once ? 1 : 0, 1);
  packer.put(s.init_data_low_first ? 1 : 0, 1);
  packer.put(s.mac_control_eligible ? 1 : 0, 1);
  packer.put(s.flush_action, 2);
  packer.put(s.init_action, 2);
  packer.put(s.re_init_on_flush ? 1 : 0, 1);
  packer.put(s.rx_enable ? 1 : 0, 1);
  packer.put(s.tx_enable ? 1 : 0, 1);
}

void LlrLink::setLinkUp(int side, bool up) {
  ends_[static_cast<std::size_t>(side)]->model.link_up_i = up ? 1 : 0;
}

void LlrLink::pulseReInit(int side) {
  auto& model = ends_[static_cast<std::size_t>(side)]->model;
  model.re_init_i = 1;
  clock();
  model.re_init_i = 0;
}

void LlrLink::pulseClear(int side) {
  auto& model = ends_[static_cast<std::size_t>(side)]->model;
  model.clear_i = 1;
  clock();
  model.clear_i = 0;
  clock();
  while (model.clear_busy_o != 0) clock();
}

void LlrLink::inject(int side, std::uint64_t set) {
  ends_[static_cast<std::size_t>(side)]->sets.emplace_back(edgeTime(edge_), set);
}

void LlrLink::offerSet(int side, std::uint64_t set) {
  ends_[static_cast<std::size_t>(side)]->foreign_set = set;
}

void LlrLink::driveSource(End& end, int side) {
  auto& model = end.model;
  auto& queue = source[static_cast<std::size_t>(side)];
  model.tx_tvalid_i = 0;
  if (queue.empty() || (!end.offering && source_bubble && source_bubble())) return;
  const SourceFrame& frame = queue.front();
  const std::size_t bytes = std::min(kBeatBytes, frame.bytes.size() - end.offered);
  std::memcpy(model.tx_tdata_i.data(), frame.bytes.data() + end.offered, bytes);
  model.tx_tkeep_i = ~std::uint64_t{0} >> (kBeatBytes - bytes);
  model.tx_tlast_i = end.offered + bytes == frame.bytes.size() ? 1 : 0;
  model.tx_tvalid_i = 1;
  model.tx_sof_i = end.offered == 0 ? 1 : 0;
  model.tx_poisoned_i = frame.poisoned ? 1 : 0;
  model.tx_departure_i = 1'000'000 + end.number;
  // control:1, icrc:1, priority:3, flow:12, number:32, length:14
  model.tx_user_i = static_cast<std::uint64_t>(frame.control ? 1 : 0) << 62 |
                    static_cast<std::uint64_t>(end.number) << 14 | frame.bytes.size();
}

// What comes from the line in the clock that begins at edge_.
void LlrLink::driveLine(End& end) {
  auto& model = end.model;
  const std::int64_t now = edgeTime(edge_);
  model.mac_rx_tvalid_i = 0;
  model.rx_ctl_valid_i = 0;
  if (!end.sets.empty() && end.sets.front().first <= now) {
    model.rx_ctl_valid_i = 1;
    model.rx_ctl_i = end.sets.front().second;
    end.sets.pop_front();
  }
  if (end.frames.empty()) return;
  Arriving& front = end.frames.front();
  const auto& bytes = front.frame.bytes;
  const std::size_t until = std::min(front.offset + kBeatBytes, bytes.size());
  if (front.frame.first_bit + kByteTimePs * static_cast<std::int64_t>(until) + delay_ > now) return;
  std::memcpy(model.mac_rx_tdata_i.data(), bytes.data() + front.offset, until - front.offset);
  model.mac_rx_tkeep_i = ~std::uint64_t{0} >> (kBeatBytes - (until - front.offset));
  model.mac_rx_tvalid_i = 1;
  model.mac_rx_tlast_i = until == bytes.size() ? 1 : 0;
  model.mac_rx_preamble_i = front.frame.preamble;
  front.offset = until;
  if (until == bytes.size()) end.frames.pop_front();
}

void LlrLink::finishFrame(End& end, int side) {
  LineFrame frame = std::move(end.sending);
  end.sending = {};
  end.inside = false;
  end.line_end = frame.first_bit + kByteTimePs * static_cast<std::int64_t>(frame.bytes.size());
  if (saw_frame) saw_frame(side, frame);
  const Fate fate = on_frame ? on_frame(side, frame) : Fate::kPass;
  if (fate == Fate::kDamage) frame.bytes[frame.bytes.size() / 2] ^= 0x10;
  if (fate != Fate::kLose) {
    ends_[static_cast<std::size_t>(1 - side)]->frames.push_back({std::move(frame), 0});
  }
}

// An ordered set has its place once no frame is on its way to the line: it takes idle time.
void LlrLink::placeSet(End& end, int side) {
  if (!end.waiting || end.inside) return;
  std::uint64_t set = *end.waiting;
  end.waiting.reset();
  const std::int64_t at = std::max(edgeTime(edge_), end.line_end);
  if (!on_set || on_set(side, set)) {
    ends_[static_cast<std::size_t>(1 - side)]->sets.emplace_back(
        at + kByteTimePs * kColumnBytes + delay_, set);
  }
}

// What crosses to the MAC at the edge that ends this clock, edge_ + 1.
void LlrLink::takeSent(End& end, int side) {
  auto& model = end.model;
  const std::int64_t crossing = edgeTime(edge_ + 1);
  auto& queue = source[static_cast<std::size_t>(side)];
  end.offering = model.tx_tvalid_i != 0 && model.tx_tready_o == 0;
  if (model.tx_tvalid_i != 0 && model.tx_tready_o != 0) {
    end.offered += kBeatBytes;
    if (model.tx_tlast_i != 0) {
      end.offered = 0;
      ++end.number;
      queue.pop_front();
    }
  }
  if (model.mac_tx_tvalid_o != 0 && model.mac_tx_tready_i != 0) {
    if (!end.inside) {
      end.inside = true;
      end.sending.preamble = model.mac_tx_preamble_o;
      end.sending.replay = model.mac_tx_replay_o != 0;
      end.sending.departure = model.mac_tx_departure_o;
      end.sending.number = static_cast<std::uint32_t>(model.mac_tx_user_o >> 14);
      end.sending.first_bit =
          std::max(crossing, end.line_end + (end.line_end > 0 ? kByteTimePs * kOverheadBytes : 0));
    }
    EXPECT_EQ(end.sending.preamble, model.mac_tx_preamble_o);
    EXPECT_EQ(model.mac_tx_sof_o != 0, end.sending.bytes.empty());
    const auto* data = reinterpret_cast<const std::uint8_t*>(model.mac_tx_tdata_o.data());
    end.sending.bytes.insert(end.sending.bytes.end(), data,
                             data + std::popcount(model.mac_tx_tkeep_o));
    if (model.mac_tx_tlast_o != 0) finishFrame(end, side);
  }
  if (model.tx_ctl_valid_o != 0 && model.tx_ctl_ready_i != 0) {
    if (saw_set) saw_set(side, OrderedSet::of(model.tx_ctl_o), edge_ + 1);
    end.waiting = model.tx_ctl_o;
  }
  if (model.cf_valid_i != 0 && model.cf_ready_o != 0) end.foreign_set.reset();
}

void LlrLink::takeReceived(End& end, int side) {
  const auto& model = end.model;
  if (model.rx_tvalid_o == 0) {
    // A frame leaves the receiver without a gap when it is stored first.
    EXPECT_TRUE(!end.receiving_inside || model.rx_state_o == 0);
    return;
  }
  if (!end.receiving_inside) {
    end.receiving.stamp = static_cast<std::int64_t>(model.rx_time_o);
    end.receiving.clock = edge_;
  }
  end.receiving_inside = model.rx_tlast_o == 0;
  const auto* data = reinterpret_cast<const std::uint8_t*>(model.rx_tdata_o.data());
  end.receiving.bytes.insert(end.receiving.bytes.end(), data,
                             data + std::popcount(model.rx_tkeep_o));
  if (model.rx_tlast_o != 0) {
    SinkFrame frame = std::move(end.receiving);
    end.receiving = {};
    if (on_received) on_received(side, std::move(frame));
  }
}

void LlrLink::clock() {
  for (int side = 0; side < 2; ++side) {
    End& end = *ends_[static_cast<std::size_t>(side)];
    placeSet(end, side);
    end.model.clk_i = 0;
    end.model.now_i = static_cast<std::uint64_t>(edgeTime(edge_));
    end.model.mac_rx_time_i = end.model.now_i;
    end.model.mac_tx_tready_i = !mac_ready || mac_ready() ? 1 : 0;
    end.model.tx_ctl_ready_i = end.waiting ? 0 : 1;
    end.model.cf_valid_i = end.foreign_set ? 1 : 0;
    if (end.foreign_set) end.model.cf_data_i = *end.foreign_set;
    driveSource(end, side);
    driveLine(end);
    end.model.eval();
    takeReceived(end, side);
  }
  for (int side = 0; side < 2; ++side) {
    End& end = *ends_[static_cast<std::size_t>(side)];
    takeSent(end, side);
    end.model.clk_i = 1;
    end.model.eval();
  }
  ++edge_;
}

void LlrLink::clocks(std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) clock();
}

void LlrLink::runUntil(const std::function<bool()>& done, std::int64_t limit) {
  const std::int64_t end = edge_ + limit;
  while (!done()) {
    if (edge_ >= end) {
      ADD_FAILURE() << "not done after " << limit << " clocks";
      return;
    }
    clock();
  }
}

void LlrLink::bringUp() {
  runUntil([this] { return txState(0) == 2 && txState(1) == 2; }, 20'000);
}

LlrCounters LlrLink::counters(int side) const {
  const auto& model = ends_[static_cast<std::size_t>(side)]->model;
  std::array<std::uint64_t, kCounterCount + 1> values{};
  static_assert(sizeof(LlrCounters) == sizeof values);
  for (unsigned i = 0; i < kCounterCount; ++i) {
    values[i] = bitsOf(model.counts_o, kCounterBits * i, kCounterBits);
  }
  values[kCounterCount] = model.flushed_o;
  return std::bit_cast<LlrCounters>(values);
}

std::uint32_t LlrLink::txState(int side) const {
  return ends_[static_cast<std::size_t>(side)]->model.tx_state_o;
}
std::uint32_t LlrLink::rxState(int side) const {
  return ends_[static_cast<std::size_t>(side)]->model.rx_state_o;
}
std::uint32_t LlrLink::outstanding(int side) const {
  return ends_[static_cast<std::size_t>(side)]->model.outstanding_o;
}
bool LlrLink::hold(int side) const {
  return ends_[static_cast<std::size_t>(side)]->model.tx_hold_o != 0;
}

RetryGroup LlrLink::retries(int side, std::uint32_t group) {
  auto& model = ends_[static_cast<std::size_t>(side)]->model;
  clocks(20);  // what is being counted
  model.group_row_i = static_cast<std::uint16_t>(group);
  model.group_read_i = 1;
  clock();
  model.group_read_i = 0;
  runUntil([&model] { return model.group_ack_o != 0; }, 20);
  return {bitsOf(model.group_o, 0, 48), bitsOf(model.group_o, 48, 48),
          bitsOf(model.group_o, 96, 48), bitsOf(model.group_o, 144, 64)};
}

std::uint64_t LlrLink::retryBucket(int side, std::uint32_t group, std::uint32_t bucket) {
  auto& model = ends_[static_cast<std::size_t>(side)]->model;
  model.hist_group_i = static_cast<std::uint8_t>(group);
  model.hist_bucket_i = static_cast<std::uint16_t>(bucket);
  model.hist_req_i = 1;
  clock();
  model.hist_req_i = 0;
  runUntil([&model] { return model.hist_ack_o != 0; }, 20);
  return model.hist_data_o;
}

bool LlrLink::quiet() const {
  for (std::size_t side = 0; side < 2; ++side) {
    const End& end = *ends_[side];
    if (!source[side].empty() || !end.frames.empty() || end.inside || end.receiving_inside ||
        end.model.outstanding_o != 0 || end.waiting || !end.sets.empty()) {
      return false;
    }
  }
  return true;
}

}  // namespace plumbline::test
