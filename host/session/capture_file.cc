#include "session/capture_file.h"

#include "base/error.h"
#include "wire/crc.h"

namespace plumbline::session {

CaptureFile::CaptureFile(const std::string& file) : file_(file) {
  writer_.emplace(file_.stream(), wire::PcapngWriter::Options{wire::PcapngResolution::kPicoseconds,
                                                              "Plumbline tester card",
                                                              "plumbline " PLUMBLINE_VERSION});
}

CaptureFile::~CaptureFile() {
  try {
    endTrial();
  } catch (const Error&) {
    // The disk is full: the file has the frames that fitted.
  }
}

std::uint32_t CaptureFile::interfaceOf(std::uint32_t port) {
  if (port >= interfaces_.size()) interfaces_.resize(port + 1);
  if (!interfaces_[port]) {
    wire::PcapngInterface interface;
    interface.name = "port" + std::to_string(port);
    interface.fcs_bytes = static_cast<std::uint8_t>(wire::kFcsSize);
    interfaces_[port] = writer_->addInterface(interface);
  }
  return *interfaces_[port];
}

void CaptureFile::write(const card::CapturedFrame& frame, const std::string& trial) {
  if (trial != trial_) {
    endTrial();
    trial_ = trial;
    trial_named_ = false;
  }
  held_.emplace(frame.timestamp, frame);
  while (held_.size() > kMaxBufferedFrames ||
         held_.rbegin()->first - held_.begin()->first > kReorderWindow) {
    writeEarliest();
  }
}

void CaptureFile::endTrial() {
  while (!held_.empty()) writeEarliest();
  file_.check();
}

void CaptureFile::writeEarliest() {
  const auto held = held_.extract(held_.begin());
  const card::CapturedFrame& frame = held.mapped();
  wire::PcapngPacket packet;
  packet.interface = interfaceOf(frame.port);
  packet.timestamp = frame.timestamp;
  packet.original_length = static_cast<std::uint32_t>(frame.bytes.size());
  packet.bytes = frame.bytes;
  packet.direction =
      frame.sent ? wire::PacketDirection::kOutbound : wire::PacketDirection::kInbound;
  packet.crc_error = !frame.fcs_ok;
  if (!trial_named_) packet.comment = trial_;
  writer_->write(packet);
  trial_named_ = true;
}

void CaptureFile::write(std::uint32_t port, Picoseconds time,
                        const std::vector<std::uint8_t>& bytes, const std::string& comment) {
  endTrial();
  wire::PcapngPacket packet;
  packet.interface = interfaceOf(port);
  packet.timestamp = time;
  packet.original_length = static_cast<std::uint32_t>(bytes.size());
  packet.bytes = bytes;
  packet.direction = wire::PacketDirection::kOutbound;
  packet.comment = comment;
  writer_->write(packet);
}

}  // namespace plumbline::session
