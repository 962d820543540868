# Packages the card as an RTL kernel for Alveo U55C: plumb_kernel.xo, one port on the first cage.
#
#   vivado -mode batch -source hw/vitis/package.tcl -tclargs <build directory>
#
# Not run yet: no Vivado has read this file. It makes a block design of the card, a CMAC and clock
# converters for register bus and memory port, packages that as an IP, and that as a kernel object.
# The parameters of the IPs are those of their guides (PG203 for cmac_usplus 3.1). Which memory the
# port reaches is said when the kernel is linked (link.cfg).

if {[llength $argv] != 1} {
  error "usage: vivado -mode batch -source package.tcl -tclargs <build directory>"
}
set here [file normalize [file dirname [info script]]]
set rtl [file normalize $here/../rtl]
set build [file normalize [lindex $argv 0]]
file mkdir $build

create_project -force plumb_kernel $build/project -part xcu55c-fsvh2892-2L-e

# ---- Sources, in the order of files.f ----
set list [open $rtl/files.f]
foreach file [split [string trim [read $list]] "\n"] {
  add_files -norecurse $rtl/$file
}
close $list
add_files -norecurse [list $here/plumb_cmac_shim.sv $here/plumb_kernel.sv $here/plumb_kernel_top.v]
set_property include_dirs $rtl/pkg [current_fileset]
update_compile_order -fileset sources_1

# ---- The block design ----
create_bd_design plumb
create_bd_cell -type module -reference plumb_kernel_top card

create_bd_port -dir I -type clk -freq_hz 300000000 ap_clk
create_bd_port -dir I -type rst ap_rst_n
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 s_axi_control
set_property -dict {CONFIG.PROTOCOL AXI4LITE CONFIG.ADDR_WIDTH 16 CONFIG.DATA_WIDTH 32} \
  [get_bd_intf_ports s_axi_control]
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:aximm_rtl:1.0 m_axi
set_property -dict {CONFIG.PROTOCOL AXI4 CONFIG.ADDR_WIDTH 64 CONFIG.DATA_WIDTH 512} \
  [get_bd_intf_ports m_axi]
set_property CONFIG.ASSOCIATED_BUSIF s_axi_control:m_axi [get_bd_ports ap_clk]

# Frames have their own FCS in both directions, and a bad one is the card's to count.
create_bd_cell -type ip -vlnv xilinx.com:ip:cmac_usplus mac
set_property -dict {
  CONFIG.CMAC_CAUI4_MODE 1
  CONFIG.NUM_LANES 4x25
  CONFIG.GT_REF_CLK_FREQ 161.1328125
  CONFIG.USER_INTERFACE AXIS
  CONFIG.CMAC_CORE_SELECT CMACE4_X0Y3
  CONFIG.GT_GROUP_SELECT X0Y24~X0Y27
  CONFIG.INCLUDE_RS_FEC 1
  CONFIG.TX_FCS_INS_ENABLE 0
  CONFIG.RX_FCS_DEL_ENABLE 0
  CONFIG.RX_MAX_PACKET_LEN 16383
  CONFIG.RX_MIN_PACKET_LEN 64
  CONFIG.ENABLE_TIME_STAMPING 1
  CONFIG.TX_FLOW_CONTROL 0
  CONFIG.RX_FLOW_CONTROL 0
} [get_bd_cells mac]
make_bd_intf_pins_external -name gt_refclk [get_bd_intf_pins mac/gt_ref_clk]
make_bd_intf_pins_external -name gt_serial [get_bd_intf_pins mac/gt_serial_port]
create_bd_cell -type ip -vlnv xilinx.com:ip:clk_wiz slow
set_property -dict {
  CONFIG.PRIM_IN_FREQ 300 CONFIG.CLKOUT1_REQUESTED_OUT_FREQ 100
  CONFIG.USE_RESET false CONFIG.USE_LOCKED false
} [get_bd_cells slow]
connect_bd_net [get_bd_ports ap_clk] [get_bd_pins slow/clk_in1]
connect_bd_net [get_bd_pins slow/clk_out1] [get_bd_pins mac/init_clk]

# The card runs on the MAC's clock, in both directions.
set clock [get_bd_pins mac/gt_txusrclk2]
connect_bd_net $clock [get_bd_pins mac/rx_clk] [get_bd_pins card/ap_clk]
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
connect_bd_net $clock [get_bd_pins reset/slowest_sync_clk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins reset/ext_reset_in]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins card/ap_rst_n]

create_bd_cell -type ip -vlnv xilinx.com:ip:axi_clock_converter registers
connect_bd_intf_net [get_bd_intf_ports s_axi_control] [get_bd_intf_pins registers/S_AXI]
connect_bd_intf_net [get_bd_intf_pins registers/M_AXI] [get_bd_intf_pins card/s_axi_control]
connect_bd_net [get_bd_ports ap_clk] [get_bd_pins registers/s_axi_aclk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins registers/s_axi_aresetn]
connect_bd_net $clock [get_bd_pins registers/m_axi_aclk]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins registers/m_axi_aresetn]

create_bd_cell -type ip -vlnv xilinx.com:ip:axi_clock_converter memory
connect_bd_intf_net [get_bd_intf_pins card/m_axi] [get_bd_intf_pins memory/S_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M_AXI] [get_bd_intf_ports m_axi]
connect_bd_net $clock [get_bd_pins memory/s_axi_aclk]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins memory/s_axi_aresetn]
connect_bd_net [get_bd_ports ap_clk] [get_bd_pins memory/m_axi_aclk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins memory/m_axi_aresetn]

foreach {card mac} {
  tx_axis_tdata tx_axis_tdata    tx_axis_tkeep tx_axis_tkeep    tx_axis_tvalid tx_axis_tvalid
  tx_axis_tlast tx_axis_tlast    tx_axis_tready tx_axis_tready  tx_preamble tx_preamblein
  rx_axis_tdata rx_axis_tdata    rx_axis_tkeep rx_axis_tkeep    rx_axis_tvalid rx_axis_tvalid
  rx_axis_tlast rx_axis_tlast    rx_axis_tuser rx_axis_tuser    rx_preamble rx_preambleout
  rx_pcslane rx_ptp_pcslane_out  rx_aligned stat_rx_aligned
} {
  connect_bd_net [get_bd_pins card/$card] [get_bd_pins mac/$mac]
}

# Of the MAC's timestamp the lower 64 bits; its twenty lanes side by side.
create_bd_cell -type ip -vlnv xilinx.com:ip:xlslice timestamp
set_property -dict {CONFIG.DIN_WIDTH 80 CONFIG.DIN_FROM 63 CONFIG.DIN_TO 0} [get_bd_cells timestamp]
connect_bd_net [get_bd_pins mac/rx_ptp_tstamp_out] [get_bd_pins timestamp/Din]
connect_bd_net [get_bd_pins timestamp/Dout] [get_bd_pins card/rx_timestamp]
foreach {pin source width} {rx_fill rx_lane_aligner_fill 7 rx_pcsl_number stat_rx_pcsl_number 5} {
  create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat $source
  set_property CONFIG.NUM_PORTS 20 [get_bd_cells $source]
  for {set n 0} {$n < 20} {incr n} {
    set_property CONFIG.IN${n}_WIDTH $width [get_bd_cells $source]
    connect_bd_net [get_bd_pins mac/${source}_$n] [get_bd_pins $source/In$n]
  }
  connect_bd_net [get_bd_pins $source/dout] [get_bd_pins card/$pin]
}

# Constant inputs of the MAC. Its system timer stands still: nothing uses its timestamps yet.
foreach {name width value pins} {
  one 1 1 {ctl_tx_enable ctl_rx_enable ctl_tx_custom_preamble_enable ctl_rx_ignore_fcs}
  zero 1 0 {tx_axis_tuser ctl_tx_send_idle ctl_tx_send_rfi ctl_tx_send_lfi ctl_rx_force_resync
            ctl_tx_test_pattern ctl_rx_test_pattern sys_reset}
  never 80 0 {ctl_rx_systemtimerin ctl_tx_systemtimerin}
} {
  create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant $name
  set_property CONFIG.CONST_WIDTH $width [get_bd_cells $name]
  set_property CONFIG.CONST_VAL $value [get_bd_cells $name]
  foreach pin $pins {
    connect_bd_net [get_bd_pins $name/dout] [get_bd_pins mac/$pin]
  }
}

assign_bd_address -offset 0x0 -range 64K [get_bd_addr_segs card/s_axi_control/reg0]
# All 64 bits of the memory port: the platform says what is where.
assign_bd_address -target_address_space /card/m_axi -offset 0x0 -range 16E \
  [get_bd_addr_segs m_axi/Reg]
validate_bd_design
save_bd_design
set wrapper [make_wrapper -files [get_files plumb.bd] -top]
add_files -norecurse $wrapper
set_property top plumb_wrapper [current_fileset]
update_compile_order -fileset sources_1

# ---- The kernel ----
ipx::package_project -root_dir $build/ip -vendor plumbline -library kernel -name plumb_kernel \
  -version 1.0 -taxonomy /KernelIP -import_files -set_current true
set core [ipx::current_core]
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
ipx::associate_bus_interfaces -busif s_axi_control -clock ap_clk $core
ipx::associate_bus_interfaces -busif m_axi -clock ap_clk $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity -kernel $core
ipx::save_core $core

package_xo -force -xo_path $build/plumb_kernel.xo -kernel_name plumb_kernel \
  -ip_directory $build/ip -kernel_xml $here/kernel.xml
