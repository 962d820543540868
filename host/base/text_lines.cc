#include "base/text_lines.h"

#include <algorithm>

#include "base/work.h"

namespace plumbline {

bool TextLines::fetch() {
  checkWork();
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  buffer_.erase(0, begin_);
  begin_ = 0;
  const std::size_t held = buffer_.size();
  buffer_.resize(held + kPiece);
  text_.read(buffer_.data() + held, static_cast<std::streamsize>(kPiece));
  buffer_.resize(held + static_cast<std::size_t>(std::max<std::streamsize>(text_.gcount(), 0)));
  return buffer_.size() > held;
}

bool TextLines::next() {
  if (too_long_) return false;
  std::size_t end = buffer_.find('\n', begin_);
  while (end == std::string::npos && buffer_.size() - begin_ <= kMaxLine) {
    const std::size_t searched = buffer_.size() - begin_;
    if (!fetch()) break;
    end = buffer_.find('\n', searched);
  }
  if (begin_ == buffer_.size()) return false;
  torn_ = end == std::string::npos;
  const std::size_t stop = torn_ ? buffer_.size() : end + 1;
  const auto whole = std::string_view(buffer_).substr(begin_, stop - begin_);
  begin_ = stop;
  bytes_ += whole.size();
  hash_.add(whole);
  line_ = torn_ ? whole : whole.substr(0, whole.size() - 1);
  too_long_ = line_.size() > kMaxLine;
  line_ = line_.substr(0, kMaxLine);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (number_ == 0 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
  ++number_;
  return true;
}

}  // namespace plumbline
