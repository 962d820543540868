#include "bench/card/card_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/work.h"
#include "bench/card/stream_frame.h"

namespace plumbline::bench {
namespace {

// Steps in which time passes while the card sends: a share of the trial, within these bounds.
constexpr Picoseconds kMinStep = microseconds(2);
constexpr Picoseconds kMaxStep = microseconds(500);
constexpr std::int64_t kSteps = 50;
// The last frame leaves when it is due; a card that still sends this much later is broken.
constexpr Picoseconds kOvertime = microseconds(100);
// How late a frame may cross to the MAC after the departure in its tag, and the trial still count.
// A MAC makes room for the alignment markers of its 20 lanes, a block of 8 bytes each, every 210
// us: 12.8 ns at 80 ps a byte, to which two clocks come that it may take to pause and to go on.
constexpr Picoseconds kMaxDisplaced = Picoseconds(12'800) + Picoseconds(6'208);
// Counting frames during a trial, for an observer, takes at most 1/kCountingShare of the time.
constexpr std::int64_t kCountingShare = 20;
// From the last bit at the card's MAC until the frame is in all counters.
constexpr Picoseconds kReceiveTime = microseconds(3);
// ... and until a captured frame can be taken: it first moves from the card to host memory.
constexpr Picoseconds kCaptureTime = microseconds(20);
// From the card's decision to stop until its last frame is on the wire.
constexpr Picoseconds kTransmitTime = microseconds(3);

Picoseconds roundUp(Picoseconds time, Picoseconds unit) {
  return unit * ((time + unit - Picoseconds(1)) / unit);
}

}  // namespace

CardTrial::CardTrial(CardSet& cards, LinkPartner& link_partner, const MacTiming& mac,
                     const TrialSpec& spec, const Capabilities& capabilities,
                     const TrialHooks& hooks)
    : cards_(cards),
      link_partner_(link_partner),
      mac_(mac),
      line_rate_(capabilities.line_rate),
      bench_(capabilities.name),
      spec_(spec),
      hooks_(hooks),
      hosts_(usedHosts(spec)),
      port_of_host_(spec.dut.hostCount()),
      plan_(planFlows(spec, capabilities)),
      parts_(cards, spec, plan_, hosts_, mac.tx_offset),
      retry_(cards, spec, hosts_),
      links_(cards, hosts_),
      reading_time_(cards.readingTime(hosts_.size())) {
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) port_of_host_[hosts_[port]] = port;
}

TrialResult CardTrial::run() {
  configure();
  result_.card_time = send();
  cards_.stop();
  if (cards_.lateStart()) fault("the common start was armed too late");
  collectPorts();
  collectStreams();
  collectLatency();
  parts_.readLogs();
  parts_.collect(result_);
  retry_.collect(result_);
  links_.collect(result_);
  link_partner_.collect(result_);
  link_partner_.collectFabric(result_);
  if (hooks_.observer != nullptr) showEnd();
  return std::move(result_);
}

void CardTrial::fault(const std::string& what) { result_.faults.push_back(what); }

void CardTrial::configure() {
  cards_.reset();
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    const std::uint32_t host = hosts_[port];
    cards_.port(port).setTiming({serializationTime(Bytes(1), line_rate_), mac_.tx_offset,
                                 mac_.rx_offset, plan_.late_threshold[host]});
    const bool capture = spec_.capture_port == host;
    cards_.port(port).setCapture(capture, capture || parts_.wantsCapture());
    if (!plan_.flows[host].empty()) cards_.port(port).loadFlows(plan_.flows[host]);
  }
  parts_.configure();
  retry_.bringUp();
  links_.begin();
  cards_.readCaptured();  // left by an interrupted trial
}

Picoseconds CardTrial::send() {
  // On the grid on which clock and line repeat, so that every trial sees the same phases.
  start_ = roundUp(cards_.earliestStart(),
                   Picoseconds(static_cast<std::int64_t>(cards_.info().clock_period_num)));
  link_partner_.startAt(start_);
  parts_.begin(start_);
  cards_.arm(start_);
  const Picoseconds step = std::clamp(plan_.end / kSteps, kMinStep, kMaxStep);
  const Picoseconds end = start_ + plan_.end;
  bool asked = false;
  bool paused = false;
  for (Picoseconds time = start_; time < end; time += step) {
    if (!asked && time + step > end - reading_time_) {
      asked = true;
      paused = pausedAway();
    }
    advanceTo(std::min(time + step, end));
    if (hooks_.observer != nullptr) show(end);
  }
  if (!spec_.paused_frames_wait && cards_.sending() && (paused || pausedAway())) {
    // Frames that pauses kept from leaving in time are not sent afterwards.
    cards_.stop();
    stopped_ = true;
  }
  // Waiting frames are sent at line rate, for at most as long as the trial took.
  const Picoseconds limit =
      end + kOvertime + (spec_.paused_frames_wait || retry_.on() ? plan_.end : Picoseconds());
  for (; !stopped_; advanceBy(kMinStep)) {
    const Picoseconds asked = cards_.now();
    if (!cards_.sending()) break;
    if (asked > limit) {
      throw Error(ErrorKind::kTester,
                  fmt::format("the card is still sending {} us after the end of the trial",
                              (limit - end).toMicroseconds()));
    }
  }
  drain();
  return cards_.cardTime() - start_;
}

bool CardTrial::pausedAway() {
  if (obeyedPriorities(spec_) == 0) return false;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    if (cards_.port(port).counters().tx_pfc_skipped > 0) return true;
  }
  return false;
}

void CardTrial::advanceTo(Picoseconds time) {
  cards_.runUntil(time);
  serveHooks();
}

void CardTrial::advanceBy(Picoseconds duration) { advanceTo(cards_.now() + duration); }

bool CardTrial::capturing() const { return spec_.capture_port || parts_.wantsCapture(); }

void CardTrial::serveHooks() {
  checkWork();
  if (capturing()) {
    for (const card::CapturedFrame& frame : cards_.readCaptured()) {
      if (parts_.wantsCapture()) parts_.onCaptured(frame);
      const bool wanted = frame.port < hosts_.size() && hosts_[frame.port] == spec_.capture_port;
      if (hooks_.captured && wanted) hooks_.captured(frame);
    }
  }
  parts_.readLogs();
  if (hooks_.progress) {
    const Picoseconds done = std::clamp(cards_.now() - start_, Picoseconds(), plan_.end);
    const LinkPartner::CrossedFrames frames = crossedFrames();
    hooks_.progress({done, plan_.end, frames.from_cards, frames.to_cards});
  }
}

LinkPartner::CrossedFrames CardTrial::crossedFrames() {
  if (const auto counted = link_partner_.crossedFrames()) return *counted;
  const Picoseconds now = cards_.now();
  if (now < next_count_) return counted_;
  next_count_ = now + kCountingShare * cards_.readingTime(hosts_.size());
  LinkPartner::CrossedFrames frames;
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    const card::PortCounters counters = cards_.port(port).counters();
    frames.from_cards += counters.tx_frames;
    frames.to_cards += counters.rx_frames;
  }
  counted_ = frames;
  return counted_;
}

// Reading takes card time but does not affect the traffic: the card already holds all frames and
// their times.
void CardTrial::show(Picoseconds end) {
  if (cards_.now() + reading_time_ > end || !hooks_.observer->due()) return;
  // Latches all counters at one instant, because reading takes far longer than latching. Between
  // the latches of two ports lies one register write, which is shorter than a frame's way from one
  // to the other: no frame is counted as received but not as sent.
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) cards_.port(port).latchCounters();
  TrialSnapshot snapshot;
  snapshot.bench = bench_;
  snapshot.time = cards_.now() - start_;
  snapshot.total = plan_.end;
  link_partner_.look(snapshot);
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    const card::PortCounters counters = cards_.port(port).latchedCounters();
    PortSnapshot& one = snapshot.ports.emplace_back();
    one.port = hosts_[port];
    one.tx_frames = counters.tx_frames;
    one.tx_bytes = counters.tx_bytes;
    one.rx_frames = counters.rx_frames;
    one.rx_bytes = counters.rx_bytes;
    const BitRate rate = spec_.dut.topology.link_rate;
    one.tx_pending = notYetPassed(one.tx_frames, one.tx_bytes, rate, snapshot.time);
    one.rx_pending = notYetPassed(one.rx_frames, one.rx_bytes, rate, snapshot.time);
    for (std::size_t i = 0; i < counters.rx_xoff.size(); ++i) {
      one.paused[i] = {counters.rx_xoff[i],
                       Picoseconds(static_cast<std::int64_t>(counters.paused_ps[i]))};
    }
  }
  hooks_.observer->onSnapshot(snapshot);
}

void CardTrial::showEnd() {
  TrialSnapshot snapshot = snapshotOf(spec_, result_);
  snapshot.bench = bench_;
  snapshot.links.clear();  // the watch has them, with the queues since the last snapshot
  link_partner_.look(snapshot);
  hooks_.observer->onSnapshot(snapshot);
}

// The drain ends early when the far end is known to hold no frame of the cards.
void CardTrial::drain() {
  std::uint64_t planned = 0;
  for (const StreamPlan& stream : plan_.streams) planned += stream.frames;
  if (stopped_) advanceBy(kTransmitTime);
  planned -= parts_.droppedFrames();
  const auto settled = [&] { return link_partner_.settled(planned, stopped_) && retry_.settled(); };
  for (Picoseconds waited; waited < spec_.drain && !settled(); waited += kMinStep) {
    advanceBy(std::min(kMinStep, spec_.drain - waited));
  }
  link_partner_.close(spec_.drain, result_.faults);
  advanceBy(capturing() ? kCaptureTime : kReceiveTime);
}

void CardTrial::collectPorts() {
  result_.ports.resize(hosts_.back() + 1);
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    counters_.push_back(cards_.port(port).counters());
    const card::PortCounters& counters = counters_.back();
    PortResult& result = result_.ports[hosts_[port]];
    result.tx_frames = counters.tx_frames;
    result.tx_bytes = counters.tx_bytes;
    result.tx_late = counters.tx_late;
    result.tx_late_max = Picoseconds(static_cast<std::int64_t>(counters.tx_late_max_ps));
    result.rx_frames = counters.rx_frames;
    result.rx_bytes = counters.rx_bytes;
    result.fcs_errors = counters.rx_fcs_errors;
    result.icrc_errors = counters.rx_icrc_errors;
    result.untagged = counters.rx_untagged;
    result.runts = counters.rx_runts;
    result.giants = counters.rx_giants;
    result.tx_given_up = counters.tx_pfc_skipped;
    result.tx_waited = counters.tx_waited;
    link_partner_.collectPort(port, result);
    for (std::size_t i = 0; i < result.priority.size(); ++i) {
      result.priority[i] = {counters.rx_xoff[i], counters.rx_xon[i],
                            Picoseconds(static_cast<std::int64_t>(counters.paused_ps[i])),
                            counters.tx_xoff[i]};
    }

    const auto portFault = [&](bool present, const std::string& what) {
      if (present) fault(fmt::format("port {}: {}", hosts_[port], what));
    };
    const card::PortFaults sticky = cards_.port(port).faults();
    // Frames that waited for a replay leave late by design, and are counted.
    portFault(sticky.tx_late && !retry_.on(),
              fmt::format("{} frames left late, the worst by {} ns", counters.tx_late,
                          static_cast<double>(counters.tx_late_max_ps) / 1e3));
    portFault(
        counters.tx_displaced_max_ps > static_cast<std::uint64_t>(kMaxDisplaced.count()),
        fmt::format("{} frames left after the departure in their tag, the worst by {} ns: the "
                    "MAC did not take {} clocks' beats, and up to {} ns are expected around "
                    "alignment markers",
                    counters.tx_displaced, static_cast<double>(counters.tx_displaced_max_ps) / 1e3,
                    counters.tx_stall_clocks, kMaxDisplaced.toNanoseconds()));
    portFault(sticky.rx_event_overflow || counters.rx_event_overflow > 0,
              fmt::format("{} received frames were not accounted", counters.rx_event_overflow));
    portFault(sticky.capture_overflow || counters.capture_dropped > 0,
              fmt::format("capture lost {} frames", counters.capture_dropped));
    const bool all_timed = std::all_of(
        spec_.streams.begin(), spec_.streams.end(),
        [&](const StreamSpec& stream) { return stream.to != hosts_[port] || timed(stream); });
    portFault(all_timed && counters.rx_latency_negative > 0,
              fmt::format("{} frames arrived before they left: the calibration is wrong",
                          counters.rx_latency_negative));
    portFault(counters.rx_bad_row > 0,
              fmt::format("{} frames with a tag of no stream", counters.rx_bad_row));
    portFault(link_partner_.underran(port), "the wire ran dry within a frame");
    if (auto due = link_partner_.due(port, parts_.droppedArrivals(port))) {
      if (retry_.on()) due = retry_.crossedFrames(port);
      portFault(
          counters.rx_frames != *due,
          fmt::format("the card received {} of {} frames on the wire", counters.rx_frames, *due));
    }
  }
}

void CardTrial::collectStreams() {
  // Frames that each port should have counted. If all belong to streams that end there, all other
  // rows are zero and need not be read.
  std::vector<std::uint64_t> accounted(hosts_.size());
  std::vector<std::vector<card::RxFlow>> rows;
  for (std::uint32_t i = 0; i < spec_.streams.size(); ++i) {
    const std::uint32_t port = port_of_host_[spec_.streams[i].to];
    rows.push_back(cards_.port(port).rxFlows(plan_.streams[i].row, plan_.streams[i].rows));
    for (const card::RxFlow& row : rows.back()) accounted[port] += row.frames;
  }
  for (std::uint32_t i = 0; i < spec_.streams.size(); ++i) {
    StreamResult result = collectStream(i, rows[i]);
    for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
      if (hosts_[port] == spec_.streams[i].to || counters_[port].rx_frames == accounted[port]) {
        continue;
      }
      for (const card::RxFlow& row :
           cards_.port(port).rxFlows(plan_.streams[i].row, plan_.streams[i].rows)) {
        result.misdelivered += row.frames;
      }
    }
    result_.streams.push_back(std::move(result));
  }
  if (stopped_) checkSkipped();
}

StreamResult CardTrial::collectStream(std::uint32_t index, const std::vector<card::RxFlow>& rows) {
  const StreamSpec& stream = spec_.streams[index];
  const std::uint32_t port = port_of_host_[stream.from];
  const std::uint32_t flow = plan_.streams[index].flow;
  StreamResult result;
  result.name = stream.name;
  result.sent_frames = cards_.port(port).txState(flow).frames;
  result.sent_bytes = bytesSent(stream, result.sent_frames);
  if (result.sent_frames != plan_.streams[index].frames && !stopped_) {
    fault(fmt::format("stream '{}' sent {} of {} frames", stream.name, result.sent_frames,
                      plan_.streams[index].frames));
  }
  const bool counted = stream.queue_pairs && stream.queue_pairs->counted;
  const std::vector<std::uint64_t> sent = counted ? cards_.port(port).queuePairsSent(flow)
                                                  : std::vector<std::uint64_t>{result.sent_frames};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const card::RxFlow& row = rows[i];
    result.received_frames += row.frames;
    result.received_bytes += row.bytes;
    result.duplicate += row.duplicate;
    result.out_of_order += row.out_of_order;
    result.stale += row.stale;
    result.ce += row.ce;
    result.bad_icrc += row.bad_icrc;
    result.reorder_depth = std::max(result.reorder_depth, row.reorder_depth);
    // The row does not show losses after the last received frame; the sender's count does.
    const std::uint64_t arrived = row.frames - row.duplicate - row.stale;
    std::uint64_t lost = 0;
    if (arrived + row.lost != row.next_sequence || arrived > sent.at(i)) {
      fault(fmt::format("stream '{}': the receiver's counters contradict each other", stream.name));
    } else {
      lost = sent[i] - arrived;
    }
    result.lost += lost - std::min<std::uint64_t>(row.stale, lost);
    if (counted) {
      result.queue_pairs.push_back(
          {sent[i], row.frames, lost, row.duplicate, row.out_of_order, row.reorder_depth});
    }
  }
  return result;
}

// Checks that every frame that was due was sent, or its slot given up to a pause.
void CardTrial::checkSkipped() {
  std::vector<std::uint64_t> missing(hosts_.size());
  for (std::uint32_t i = 0; i < spec_.streams.size(); ++i) {
    missing[port_of_host_[spec_.streams[i].from]] +=
        plan_.streams[i].frames - result_.streams[i].sent_frames;
  }
  for (std::uint32_t port = 0; port < hosts_.size(); ++port) {
    if (missing[port] > counters_[port].tx_pfc_skipped) {
      fault(fmt::format("port {}: {} frames were not sent, but only {} slots paused", hosts_[port],
                        missing[port], counters_[port].tx_pfc_skipped));
    }
  }
}

bool CardTrial::timed(const StreamSpec& stream) const {
  return cards_.oneClock(port_of_host_[stream.from], port_of_host_[stream.to]);
}

void CardTrial::collectLatency() {
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;  // (group, port)
  std::set<std::pair<std::uint32_t, std::uint32_t>> untimed;
  for (const StreamSpec& stream : spec_.streams) {
    const std::pair place(stream.group, port_of_host_[stream.to]);
    (timed(stream) ? places : untimed).insert(place);
  }
  // A histogram that streams of both kinds have entered is of no use.
  for (const auto& place : untimed) places.erase(place);
  std::map<std::uint32_t, stats::Histogram> groups;
  for (const auto& [group, port] : places) groups[group].merge(cards_.port(port).latency(group));
  for (auto& [group, histogram] : groups) {
    if (histogram.count() > 0) result_.latency.push_back({group, std::move(histogram)});
  }
}

}  // namespace plumbline::bench
