#include "serving/kv_transfer.h"

#include <algorithm>

#include "base/error.h"

namespace plumbline::serving {
namespace {

std::uint64_t ceilDivided(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// Pages with all of their layers, grouped into at most spec.messages messages.
std::vector<KvMessage> blockMessages(const TransferSpec& spec, std::uint64_t token_bytes,
                                     Picoseconds ready, std::uint64_t tokens, std::uint32_t page) {
  const std::uint64_t pages = ceilDivided(tokens, page);
  const std::uint64_t each = ceilDivided(pages, spec.messages);
  std::vector<KvMessage> messages;
  messages.reserve(ceilDivided(pages, each));
  for (std::uint64_t first = 0; first < pages; first += each) {
    const std::uint64_t count = std::min(each, pages - first);
    const std::uint64_t end = std::min((first + count) * page, tokens);
    messages.push_back(
        {ready, (end - first * page) * token_bytes, static_cast<std::uint32_t>(count)});
  }
  return messages;
}

}  // namespace

void check(const TransferSpec& spec) {
  const bool during = spec.unit == TransferUnit::kLayer || spec.unit == TransferUnit::kPage;
  if (spec.verb == TransferVerb::kRead && during) {
    throw Error(ErrorKind::kUsage, "decode cannot read layers during prefill", "verb",
                "the unit request or block, or write-immediate");
  }
  if (spec.outstanding < 1 || spec.messages < 1) {
    throw Error(ErrorKind::kUsage, "a flow without messages", "transfer",
                "1 or more outstanding, 1 or more messages");
  }
  if (spec.post < Picoseconds() || spec.control < Picoseconds()) {
    throw Error(ErrorKind::kUsage, "a negative delay of the transfer", "transfer", "0 s or more");
  }
}

std::vector<KvMessage> kvMessages(const TransferSpec& spec, const ModelProfile& model,
                                  const KvFlow& flow, const PrefillChunk& chunk, bool last,
                                  std::uint64_t total, std::uint32_t page) {
  const std::uint64_t token_bytes = flowBytes(flow, kvBytesPerToken(model), 1);
  const bool whole = spec.unit == TransferUnit::kRequest || spec.unit == TransferUnit::kBlock;
  if (whole) {
    if (!last || total == 0) return {};
    if (spec.unit == TransferUnit::kRequest) return {{chunk.end, total * token_bytes, 1}};
    return blockMessages(spec, token_bytes, chunk.end, total, page);
  }
  if (chunk.tokens == 0) return {};
  std::vector<KvMessage> messages;
  messages.reserve(model.layers);
  const std::uint64_t per_page = model.kv == KvKind::kMla ? 1 : 2;
  const auto descriptors = static_cast<std::uint32_t>(
      spec.unit == TransferUnit::kPage ? ceilDivided(chunk.tokens, page) * per_page : 1);
  const Picoseconds step = chunk.end - chunk.start;
  for (std::uint32_t layer = 0; layer < model.layers; ++layer) {
    const auto share = static_cast<Int128>(step.count()) * (layer + 1) / model.layers;
    messages.push_back({chunk.start + Picoseconds(static_cast<std::int64_t>(share)),
                        chunk.tokens * (token_bytes / model.layers), descriptors});
  }
  return messages;
}

Picoseconds layerwiseExposure(Picoseconds prefill, Picoseconds wire, std::uint32_t layers) {
  const auto hidden = static_cast<Int128>(prefill.count()) * (layers - 1) / layers;
  return std::max(wire, wire * layers - Picoseconds(static_cast<std::int64_t>(hidden)));
}

}  // namespace plumbline::serving
