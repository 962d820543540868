#include "xclbin_writer.h"

#include <fmt/format.h>
#include <xclbin.h>

#include <cstring>
#include <fstream>

#include "card_xrt/kernel_layout.h"

namespace plumbline::card_xrt_test {
namespace {

using Section = std::pair<axlf_section_kind, std::vector<char>>;

template <typename T>
std::vector<char> bytesOf(const T& value) {
  const char* begin = reinterpret_cast<const char*>(&value);
  return {begin, begin + sizeof value};
}

template <std::size_t n>
void setName(unsigned char (&field)[n], const std::string& name) {
  std::memcpy(field, name.data(), std::min(name.size(), n - 1));
}

// The emulation's data on the kernel and its registers.
std::string metadata(const std::string& kernel) {
  return fmt::format(R"(<?xml version="1.0" encoding="UTF-8"?>
<project name="plumbline">
  <platform vendor="xilinx" boardid="u55c" name="emulated" featureRomTime="0">
    <version major="1" minor="0"/>
    <description/>
    <board name="xilinx.com:u55c" vendor="xilinx.com" fpga="xcu55c"><interfaces/></board>
    <device name="fpga0" fpgaDevice="virtexuplusHBM:xcu55c:fsvh2892:-2L:e" addrWidth="0">
      <core name="OCL_REGION_0" target="hw_em" type="clc_region" clockFreq="0MHz" numComputeUnits="1">
        <kernelClocks><clock port="KERNEL_CLK" frequency="322.265625MHz"/></kernelClocks>
        <kernel name="{0}" language="ip_c" vlnv="plumbline:kernel:{0}:1.0" attributes="" preferredWorkGroupSizeMultiple="0" workGroupSize="1" interrupt="false" hwControlProtocol="user_managed" debug="false" compileOptions="">
          <port name="m_axi_capture" portType="addressable" mode="master" range="0xFFFFFFFFFFFFFFFF" dataWidth="512" base="0x0"/>
          <port name="s_axi_control" portType="addressable" mode="slave" range="{1:#x}" dataWidth="32" base="0x0"/>
          <arg name="capture" addressQualifier="1" id="0" port="m_axi_capture" size="0x8" offset="0x10" hostOffset="0x0" hostSize="0x8" type="void*"/>
          <instance name="{0}_1"><addrRemap base="{2:#x}" range="{1:#x}" port="s_axi_control"/></instance>
        </kernel>
      </core>
    </device>
  </platform>
</project>
)",
                     kernel, card::kKernelRange, kKernelBase);
}

std::vector<Section> sections(const XclbinOptions& options, const std::vector<char>& bitstream) {
  mem_topology memory{};
  memory.m_count = 1;
  memory.m_mem_data[0].m_type = MEM_DDR4;
  memory.m_mem_data[0].m_used = 1;
  memory.m_mem_data[0].m_size = options.bank_bytes / 1024;
  memory.m_mem_data[0].m_base_address = kBankBase;
  setName(memory.m_mem_data[0].m_tag, "DDR[0]");
  ip_layout layout{};
  layout.m_count = 1;
  layout.m_ip_data[0].m_type = IP_KERNEL;
  layout.m_ip_data[0].properties = AP_CTRL_NONE << IP_CONTROL_SHIFT;
  layout.m_ip_data[0].m_base_address = kKernelBase;
  setName(layout.m_ip_data[0].m_name, options.kernel + ":" + options.kernel + "_1");
  connectivity wires{};  // argument 0 of kernel 0 to bank 0
  wires.m_count = options.connected ? 1 : 0;
  const std::string xml = metadata(options.kernel);
  return {{EMBEDDED_METADATA, {xml.begin(), xml.end()}},
          {MEM_TOPOLOGY, bytesOf(memory)},
          {IP_LAYOUT, bytesOf(layout)},
          {CONNECTIVITY, bytesOf(wires)},
          {ASK_GROUP_TOPOLOGY, bytesOf(memory)},
          {ASK_GROUP_CONNECTIVITY, bytesOf(wires)},
          {BITSTREAM, bitstream}};
}

}  // namespace

void writeXclbin(const std::filesystem::path& path, const XclbinOptions& options,
                 const std::vector<char>& bitstream) {
  const std::vector<Section> content = sections(options, bitstream);
  axlf head{};
  std::memcpy(head.m_magic, "xclbin2", 8);
  head.m_signature_length = -1;
  std::memset(head.reserved, 0xFF, sizeof head.reserved);
  std::memset(head.m_keyBlock, 0xFF, sizeof head.m_keyBlock);
  head.m_header.m_versionMajor = 2;
  head.m_header.m_versionMinor = 13;
  head.m_header.m_mode = XCLBIN_HW_EMU;
  setName(head.m_header.m_platformVBNV, "plumbline_emulated");
  setName(head.m_header.uuid, options.kernel);
  head.m_header.m_numSections = static_cast<std::uint32_t>(content.size());

  const std::size_t head_bytes = sizeof head + (content.size() - 1) * sizeof(axlf_section_header);
  std::vector<char> body;
  std::vector<axlf_section_header> table;
  for (const auto& [kind, bytes] : content) {
    body.resize((head_bytes + body.size() + 7) / 8 * 8 - head_bytes);
    axlf_section_header& entry = table.emplace_back();
    entry.m_sectionKind = kind;
    entry.m_sectionOffset = head_bytes + body.size();
    entry.m_sectionSize = bytes.size();
    body.insert(body.end(), bytes.begin(), bytes.end());
  }
  head.m_header.m_length = head_bytes + body.size();
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&head), offsetof(axlf, m_sections));
  out.write(reinterpret_cast<const char*>(table.data()),
            static_cast<std::streamsize>(table.size() * sizeof table[0]));
  out.write(body.data(), static_cast<std::streamsize>(body.size()));
}

}  // namespace plumbline::card_xrt_test
