#include "bench/sim/nic_figures.h"

#include <algorithm>

namespace plumbline::bench {
namespace {

using enum NicFigure;

struct NicCounter {
  std::string_view driver;
  NicFigure figure;
  std::string_view name;
};

// Drivers that have none of a figure have no line for it. Source: the Linux kernel's
// drivers/infiniband, in the file that each part names.
constexpr NicCounter kNicCounters[] = {
    // hw/mlx5/counters.c
    {"mlx5_core", kRetransmissions, "packet_seq_err"},
    {"mlx5_core", kRetransmissions, "implied_nak_seq_err"},
    {"mlx5_core", kRetransmissions, "local_ack_timeout_err"},
    {"mlx5_core", kRetransmissions, "rnr_nak_retry_err"},
    {"mlx5_core", kCnpsSent, "np_cnp_sent"},
    {"mlx5_core", kCnpsHandled, "rp_cnp_handled"},
    {"mlx5_core", kOutOfSequence, "out_of_sequence"},
    // hw/mlx4/main.c
    {"mlx4_core", kRetransmissions, "sq_num_oos"},
    {"mlx4_core", kRetransmissions, "sq_num_to"},
    {"mlx4_core", kRetransmissions, "sq_num_rnr"},
    {"mlx4_core", kOutOfSequence, "rq_num_oos"},
    // hw/bnxt_re/hw_counters.c
    {"bnxt_en", kRetransmissions, "to_retransmits"},
    {"bnxt_en", kRetransmissions, "seq_err_naks_rcvd"},
    {"bnxt_en", kRetransmissions, "rnr_naks_rcvd"},
    {"bnxt_en", kCnpsSent, "tx_cnp_pkts"},
    {"bnxt_en", kCnpsHandled, "rx_cnp_pkts"},
    {"bnxt_en", kOutOfSequence, "oos_drop_count"},
    // hw/irdma/verbs.c; a newer kernel has another name for the first one
    {"ice", kRetransmissions, "tcpRetransSegs"},
    {"ice", kRetransmissions, "RetransSegs"},
    {"ice", kCnpsSent, "cnpSent"},
    {"ice", kCnpsHandled, "cnpHandled"},
    // hw/efa/efa_verbs.c
    {"efa", kRetransmissions, "retrans_pkts"},
    // hw/mana/counters.c; cnps that were sent are counted by the device, not by its port
    {"mana", kRetransmissions, "requester_timeout"},
    {"mana", kRetransmissions, "requester_oos_nak"},
    {"mana", kRetransmissions, "requester_implicit_nak"},
    {"mana", kRetransmissions, "requester_rnr_nak"},
    {"mana", kCnpsSent, "sent_cnps"},
    {"mana", kCnpsHandled, "received_cnps"},
    {"mana", kOutOfSequence, "responder_oos"},
    // sw/rxe/rxe_hw_counters.c
    {kSoftRoce, kRetransmissions, "completer_retry_err"},
    {kSoftRoce, kRetransmissions, "rcvd_rnr_err"},
    {kSoftRoce, kOutOfSequence, "out_of_seq_request"},
};

}  // namespace

std::string_view nicFigureKpi(NicFigure figure) {
  switch (figure) {
    case kRetransmissions:
      return "nic_retransmissions";
    case kCnpsSent:
      return "nic_cnps_sent";
    case kCnpsHandled:
      return "nic_cnps_handled";
    case kOutOfSequence:
      break;
  }
  return "nic_out_of_sequence";
}

std::string_view nicFigureName(NicFigure figure) {
  switch (figure) {
    case kRetransmissions:
      return "retransmissions";
    case kCnpsSent:
      return "CNPs sent";
    case kCnpsHandled:
      return "CNPs handled";
    case kOutOfSequence:
      break;
  }
  return "packets out of sequence";
}

std::string_view counterOf(const HostCounter& counter) {
  const std::string_view name = counter.name;
  return name.substr(name.rfind(' ') + 1);
}

std::string_view counterOwner(const HostCounter& counter) {
  const std::string_view name = counter.name;
  const std::size_t end = name.rfind(' ');
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

std::optional<NicFigure> figureOfCounter(std::string_view counter) {
  const auto* found = std::find_if(std::begin(kNicCounters), std::end(kNicCounters),
                                   [&](const NicCounter& one) { return one.name == counter; });
  return found == std::end(kNicCounters) ? std::nullopt : std::optional(found->figure);
}

std::vector<std::string_view> countersOf(std::string_view driver, NicFigure figure) {
  std::vector<std::string_view> names;
  for (const NicCounter& one : kNicCounters) {
    if (one.driver == driver && one.figure == figure) names.push_back(one.name);
  }
  return names;
}

bool isKnownNicDriver(std::string_view driver) {
  return std::any_of(std::begin(kNicCounters), std::end(kNicCounters),
                     [&](const NicCounter& one) { return one.driver == driver; });
}

}  // namespace plumbline::bench
