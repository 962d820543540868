#include "suite/framework/trial_configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#include "base/counted.h"
#include "suite/framework/profile.h"
#include "suite/framework/rc_recovery.h"

namespace plumbline::suite {
namespace {

std::string rateText(BitRate rate) {
  return fmt::format("{:.6g} Mb/s", static_cast<double>(rate.bitsPerSecond()) / 1e6);
}

std::string dcqcnText(const transport::DcqcnSpec& dcqcn) {
  if (!dcqcn.enabled) return "off";
  std::string text = fmt::format(
      "CNP at most every {}, rate cut at most every {}, alpha from {:.6g} with g {:.6g} every {}, "
      "cut by alpha x {:.6g}, increase every {}",
      durationText(dcqcn.cnp_interval), durationText(dcqcn.decrease_interval), dcqcn.initial_alpha,
      dcqcn.g, durationText(dcqcn.alpha_period), dcqcn.cut_weight,
      durationText(dcqcn.increase_period));
  if (dcqcn.increase_bytes > 0) text += fmt::format(" and every {} B", dcqcn.increase_bytes);
  text += fmt::format(", {} of fast recovery, then {} and {} more, at least {}",
                      counted(dcqcn.fast_recovery_steps, "step"), rateText(dcqcn.additive_increase),
                      rateText(dcqcn.hyper_increase), rateText(dcqcn.min_rate));
  return text;
}

const char* ipText(bool ipv6) { return ipv6 ? "IPv6" : "IPv4"; }

std::string roceText(const transport::RoceSpec& roce) {
  std::string text = fmt::format("{}{}, path MTU {} B", ipText(roce.ipv6),
                                 roce.vlan ? ", VLAN tag" : "", roce.path_mtu);
  if (roce.service == transport::RoceService::kRc) {
    text += fmt::format(", {}", recoveryText(roce));
    text += roce.ack_every > 0 ? fmt::format(", ACK every {} packets", roce.ack_every)
                               : std::string(", ACK for the last packet of a message");
    text += fmt::format(", timeout {}", durationText(roce.ack_timeout));
    if (roce.exponential_backoff) {
      text += fmt::format(" doubling up to {}", durationText(roce.max_ack_timeout));
    }
    text += fmt::format(", {} retries", roce.retry_count);
    if (roce.window_packets > 0) text += fmt::format(", window {} packets", roce.window_packets);
  }
  if (roce.spray) text += ", entropy per packet";
  text += fmt::format(", priorities: data {}, ACK {}, CNP {}", roce.data_priority,
                      roce.ack_priority, roce.cnp_priority);
  return text + (roce.ect ? ", ECT" : ", Not-ECT");
}

const char* serviceText(transport::UetService service) {
  switch (service) {
    case transport::UetService::kRod:
      return "ROD";
    case transport::UetService::kRud:
      return "RUD";
    case transport::UetService::kRudi:
      return "RUDI";
    case transport::UetService::kUud:
      return "UUD";
  }
  throw std::logic_error("UET service without a name");
}

const char* congestionControlText(transport::UetCongestionControl control) {
  switch (control) {
    case transport::UetCongestionControl::kNone:
      return "fixed window";
    case transport::UetCongestionControl::kNscc:
      return "NSCC";
    case transport::UetCongestionControl::kRccc:
      return "receiver credit";
    case transport::UetCongestionControl::kNsccRccc:
      return "NSCC and receiver credit";
    case transport::UetCongestionControl::kSwift:
      return "Swift";
  }
  throw std::logic_error("UET congestion control without a name");
}

// What a service does not have is not said of it.
std::string uetText(const transport::UetSpec& uet) {
  using Service = transport::UetService;
  std::string text = fmt::format("{}{}, MTU {} B", ipText(uet.ipv6), uet.crc ? ", CRC of 4 B" : "",
                                 uet.mtu_payload);
  if (uet.service == Service::kUud) {
    text += ", no acknowledgements";
  } else {
    text +=
        fmt::format(", {}, base RTT {}, retransmission timeout {}, {} retries",
                    uet.service == Service::kRudi ? "fixed window"
                                                  : congestionControlText(uet.congestion_control),
                    roundedTimeText(uet.base_rtt), durationText(uet.rto), uet.max_rto_retries);
  }
  if (uet.service == Service::kRod || uet.service == Service::kRud) {
    text += fmt::format(", ACK every {} B, at most {} PDCs", uet.ack_trigger_bytes, uet.max_pdcs);
  }
  text += fmt::format(", priorities: data {}, control {}", uet.data_priority, uet.control_priority);
  if (uet.trimming) text += ", may be trimmed";
  return text + (uet.ecn ? ", ECT" : ", Not-ECT");
}

// Settings of one name, in the order in which points have them first.
struct Setting {
  std::string name;
  std::vector<std::string> texts;
};

void addSetting(std::vector<Setting>& settings, const std::string& name, std::string text) {
  auto known = std::find_if(settings.begin(), settings.end(),
                            [&](const Setting& one) { return one.name == name; });
  if (known == settings.end()) known = settings.insert(settings.end(), {name, {}});
  auto& texts = known->texts;
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
}

std::string settingText(const std::vector<std::string>& texts) {
  constexpr std::size_t kMax = 4;
  if (texts.size() > kMax) return fmt::format("{} settings, by point", texts.size());
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace

void addNicConfiguration(const bench::TransportSpec& transport, ConfigurationLines& lines) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    const char* service = roce->service == transport::RoceService::kRc ? "RC" : "UC";
    lines.emplace_back(fmt::format("NIC, RoCEv2 {}", service), roceText(*roce));
    lines.emplace_back("NIC, DCQCN", dcqcnText(roce->dcqcn));
    return;
  }
  const auto& uet = std::get<transport::UetSpec>(transport);
  lines.emplace_back(fmt::format("NIC, UET {}", serviceText(uet.service)), uetText(uet));
}

void addTrialConfiguration(const std::vector<SweepPoint>& points, ConfigurationLines& lines) {
  std::vector<Setting> settings;
  for (const SweepPoint& point : points) {
    ConfigurationLines one;
    if (point.spec.dut.topology.kind != fabric::TopologyKind::kLink) {
      addSwitchConfiguration(point.spec.dut.switches, one);
    }
    if (point.spec.transport) addNicConfiguration(*point.spec.transport, one);
    // A switch with several ECN or PFC profiles has several lines of one name.
    std::vector<Setting> of_point;
    for (auto& [name, text] : one) addSetting(of_point, name, std::move(text));
    for (const Setting& setting : of_point) {
      addSetting(settings, setting.name, fmt::format("{}", fmt::join(setting.texts, " and ")));
    }
  }
  const std::size_t known = lines.size();
  for (const Setting& setting : settings) {
    const bool told = std::any_of(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(known),
                                  [&](const auto& line) { return line.first == setting.name; });
    if (!told) lines.emplace_back(setting.name, settingText(setting.texts));
  }
}

}  // namespace plumbline::suite
