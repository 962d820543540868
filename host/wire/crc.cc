#include "wire/crc.h"

namespace plumbline::wire {
namespace {

constexpr CrcTables kIeee(0xEDB88320);
constexpr CrcTables kCastagnoli(0x82F63B78);

}  // namespace

std::uint32_t CrcTables::update(std::uint32_t state, ByteView bytes) const {
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    const std::uint32_t low = state ^ load32Le(p);
    const std::uint32_t high = load32Le(p + 4);
    state = slices_[7][low & 0xFFU] ^ slices_[6][(low >> 8) & 0xFFU] ^
            slices_[5][(low >> 16) & 0xFFU] ^ slices_[4][low >> 24] ^ slices_[3][high & 0xFFU] ^
            slices_[2][(high >> 8) & 0xFFU] ^ slices_[1][(high >> 16) & 0xFFU] ^
            slices_[0][high >> 24];
  }
  for (; left > 0; --left, ++p) state = (state >> 8) ^ slices_[0][(state ^ *p) & 0xFFU];
  return state;
}

void Crc32::update(ByteView bytes) { state_ = kIeee.update(state_, bytes); }

std::uint32_t crc32(ByteView bytes) { return ~kIeee.update(0xFFFFFFFF, bytes); }

std::uint32_t crc32c(ByteView bytes) { return ~kCastagnoli.update(0xFFFFFFFF, bytes); }

void appendFcs(Buffer& frame) {
  const std::uint32_t fcs = crc32(frame);
  frame.resize(frame.size() + kFcsSize);
  store32Le(frame.data() + frame.size() - kFcsSize, fcs);
}

bool fcsOk(ByteView frame) {
  return frame.size() > kFcsSize && kIeee.update(0xFFFFFFFF, frame) == kCrc32Residue;
}

}  // namespace plumbline::wire
