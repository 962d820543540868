# Packages the card as an RTL kernel for Alveo U55C: plumb_kernel.xo, a port on each of its two cages.
#
#   vivado -mode batch -source hw/vitis/package.tcl -tclargs <build directory>
#
# Not run yet: no Vivado has read this file. It makes a block design of the card, two CMACs and a
# clock converter for the memory port, packages that as an IP, and that as a kernel object. The
# parameters of the IPs are those of their guides (PG203 for cmac_usplus 3.1). What memory, cages and
# clocks the kernel is connected to is said when it is linked (link.cfg). tests/hw/vitis carries this
# file out with commands that only record, and holds what they say against the list of the MAC's pins
# (cmac_pins.tsv) and against the card's.

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
add_files -norecurse [list $here/plumb_cmac_shim.sv $here/plumb_kernel_mac.sv $here/plumb_kernel.sv \
  $here/plumb_kernel_top.v]
set_property include_dirs $rtl/pkg [current_fileset]
# Settings of the MAC that the IP has no parameters for; clocks, crossings and placement. Both name
# cells of the MACs, so they are read behind their own constraints, when the design is implemented.
add_files -fileset constrs_1 -norecurse [list $here/mac.xdc $here/timing.xdc]
set_property PROCESSING_ORDER LATE [get_files {mac.xdc timing.xdc}]
set_property USED_IN {implementation} [get_files timing.xdc]
update_compile_order -fileset sources_1

# ---- The block design ----
create_bd_design plumb
create_bd_cell -type module -reference plumb_kernel_top card

create_bd_port -dir I -type clk -freq_hz 300000000 ap_clk
create_bd_port -dir I -type rst ap_rst_n
# Of the platform, 100 MHz, never stopped (link.cfg): transceivers' resets and configuration ports.
create_bd_port -dir I -type clk -freq_hz 100000000 clk_gt_freerun
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:aximm_rtl:1.0 s_axi_control
set_property -dict {CONFIG.PROTOCOL AXI4LITE CONFIG.ADDR_WIDTH 16 CONFIG.DATA_WIDTH 32} \
  [get_bd_intf_ports s_axi_control]
create_bd_intf_port -mode Master -vlnv xilinx.com:interface:aximm_rtl:1.0 m_axi
set_property -dict {CONFIG.PROTOCOL AXI4 CONFIG.ADDR_WIDTH 64 CONFIG.DATA_WIDTH 512} \
  [get_bd_intf_ports m_axi]
set_property CONFIG.ASSOCIATED_BUSIF s_axi_control:m_axi [get_bd_ports ap_clk]

connect_bd_net [get_bd_ports ap_clk] [get_bd_pins card/ap_clk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins card/ap_rst_n]
connect_bd_intf_net [get_bd_intf_ports s_axi_control] [get_bd_intf_pins card/s_axi_control]

# ---- Constants ----
# Inputs of a MAC that never change, and why.
foreach {name width value} {zero1 1 0 zero2 2 0 zero10 10 0 zero16 16 0 zero80 80 0} {
  create_bd_cell -type ip -vlnv xilinx.com:ip:xlconstant $name
  set_property -dict [list CONFIG.CONST_WIDTH $width CONFIG.CONST_VAL $value] [get_bd_cells $name]
}
set constant_pins {
  tx_axis_tuser zero1 {no frame is marked as bad on its way out: damage is the card's}
  ctl_tx_test_pattern zero1 {no test pattern}
  ctl_rx_test_pattern zero1 {no test pattern}
  ctl_rsfec_ieee_error_indication_mode zero1 {blocks are marked by MAC_CONTROL.rsfec_indication alone}
  ctl_tx_systemtimerin zero80 {the card stamps frames itself}
  ctl_rx_systemtimerin zero80 {the card stamps frames itself}
  tx_ptp_1588op_in zero2 {the card stamps frames itself}
  tx_ptp_tag_field_in zero16 {the card stamps frames itself}
  drp_addr zero10 {the configuration port is not used}
  drp_di zero16 {the configuration port is not used}
  drp_en zero1 {the configuration port is not used}
  drp_we zero1 {the configuration port is not used}
}

# ---- A MAC for each cage ----
# The pins that MAC and card join by the same name; the numbered ones come side by side into one.
set joined_pins {
  tx_axis_tdata tx_axis_tkeep tx_axis_tvalid tx_axis_tlast tx_axis_tready tx_preamblein
  rx_axis_tdata rx_axis_tkeep rx_axis_tvalid rx_axis_tlast rx_axis_tuser rx_preambleout
  rx_ptp_tstamp_out rx_ptp_pcslane_out
  gt_powergoodout gt_loopback_in usr_tx_reset usr_rx_reset tx_unfout tx_ovfout
  stat_rx_aligned stat_rx_status stat_rx_synced stat_rx_block_lock stat_rx_hi_ber
  stat_rx_local_fault stat_rx_internal_local_fault stat_rx_received_local_fault
  stat_rx_remote_fault stat_tx_local_fault stat_rx_bad_code
  stat_rx_rsfec_cw_inc stat_rx_rsfec_corrected_cw_inc stat_rx_rsfec_uncorrected_cw_inc
  stat_rx_rsfec_hi_ser stat_rx_rsfec_lane_alignment_status stat_rx_rsfec_lane_mapping
  ctl_tx_enable ctl_tx_send_rfi ctl_tx_send_lfi ctl_tx_send_idle ctl_rx_enable ctl_rx_force_resync
  ctl_tx_rsfec_enable ctl_rx_rsfec_enable ctl_rx_rsfec_enable_correction
  ctl_rx_rsfec_enable_indication
  sys_reset core_tx_reset core_rx_reset gtwiz_reset_tx_datapath gtwiz_reset_rx_datapath
}
set numbered_pins {
  rx_lane_aligner_fill          20 7 rx_lane_aligner_fill_%d
  stat_rx_pcsl_number           20 5 stat_rx_pcsl_number_%d
  stat_rx_bip_err               20 1 stat_rx_bip_err_%d
  stat_rx_rsfec_am_lock          4 1 stat_rx_rsfec_am_lock%d
  stat_rx_rsfec_err_count_inc    4 3 stat_rx_rsfec_err_count%d_inc
}

foreach {n core quad lanes} {
  0 CMACE4_X0Y3 X0Y24~X0Y27 {X0Y24 X0Y25 X0Y26 X0Y27}
  1 CMACE4_X0Y4 X0Y28~X0Y31 {X0Y28 X0Y29 X0Y30 X0Y31}
} {
  set mac mac$n
  create_bd_cell -type ip -vlnv xilinx.com:ip:cmac_usplus $mac
  # Frames have their own FCS in both directions, and a bad one is the card's to count; control
  # frames, PFC among them, are the card's to obey. More in mac.xdc.
  set_property -dict [list \
    CONFIG.CMAC_CAUI4_MODE 1 \
    CONFIG.NUM_LANES 4x25 \
    CONFIG.GT_REF_CLK_FREQ 161.1328125 \
    CONFIG.GT_DRP_CLK 100 \
    CONFIG.USER_INTERFACE AXIS \
    CONFIG.ENABLE_AXI_INTERFACE 0 \
    CONFIG.INCLUDE_STATISTICS_COUNTERS 0 \
    CONFIG.INCLUDE_SHARED_LOGIC 2 \
    CONFIG.CMAC_CORE_SELECT $core \
    CONFIG.GT_GROUP_SELECT $quad \
    CONFIG.LANE1_GT_LOC [lindex $lanes 0] \
    CONFIG.LANE2_GT_LOC [lindex $lanes 1] \
    CONFIG.LANE3_GT_LOC [lindex $lanes 2] \
    CONFIG.LANE4_GT_LOC [lindex $lanes 3] \
    CONFIG.INCLUDE_RS_FEC 1 \
    CONFIG.TX_FRAME_CRC_CHECKING {Disable FCS Insertion} \
    CONFIG.RX_FRAME_CRC_CHECKING {Disable FCS Stripping} \
    CONFIG.RX_MAX_PACKET_LEN 16383 \
    CONFIG.RX_MIN_PACKET_LEN 64 \
    CONFIG.ENABLE_TIME_STAMPING 1 \
    CONFIG.TX_FLOW_CONTROL 0 \
    CONFIG.RX_FLOW_CONTROL 0 \
    CONFIG.RX_FORWARD_CONTROL_FRAMES 1 \
  ] [get_bd_cells $mac]
  make_bd_intf_pins_external -name gt_refclk$n [get_bd_intf_pins $mac/gt_ref_clk]
  make_bd_intf_pins_external -name gt_serial_port$n [get_bd_intf_pins $mac/gt_serial_port]

  connect_bd_net [get_bd_ports clk_gt_freerun] [get_bd_pins $mac/init_clk] \
    [get_bd_pins $mac/drp_clk]
  # One clock for both directions of a MAC; the first one's is the card's, too.
  connect_bd_net [get_bd_pins $mac/gt_txusrclk2] [get_bd_pins $mac/rx_clk] \
    [get_bd_pins card/${mac}_gt_txusrclk2]
  foreach pin $joined_pins {
    connect_bd_net [get_bd_pins card/${mac}_$pin] [get_bd_pins $mac/$pin]
  }
  # The configuration port is reset with all of the MAC.
  connect_bd_net [get_bd_pins card/${mac}_sys_reset] [get_bd_pins $mac/core_drp_reset]
  foreach {pin count width form} $numbered_pins {
    set side ${mac}_$pin
    create_bd_cell -type ip -vlnv xilinx.com:ip:xlconcat $side
    set_property CONFIG.NUM_PORTS $count [get_bd_cells $side]
    for {set i 0} {$i < $count} {incr i} {
      set_property CONFIG.IN${i}_WIDTH $width [get_bd_cells $side]
      connect_bd_net [get_bd_pins $mac/[format $form $i]] [get_bd_pins $side/In$i]
    }
    connect_bd_net [get_bd_pins $side/dout] [get_bd_pins card/$side]
  }
  foreach {pin constant why} $constant_pins {
    connect_bd_net [get_bd_pins $constant/dout] [get_bd_pins $mac/$pin]
  }
}

# ---- The memory port, from the card's clock to the platform's ----
create_bd_cell -type ip -vlnv xilinx.com:ip:proc_sys_reset reset
connect_bd_net [get_bd_pins mac0/gt_txusrclk2] [get_bd_pins reset/slowest_sync_clk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins reset/ext_reset_in]
create_bd_cell -type ip -vlnv xilinx.com:ip:axi_clock_converter memory
connect_bd_intf_net [get_bd_intf_pins card/m_axi] [get_bd_intf_pins memory/S_AXI]
connect_bd_intf_net [get_bd_intf_pins memory/M_AXI] [get_bd_intf_ports m_axi]
connect_bd_net [get_bd_pins mac0/gt_txusrclk2] [get_bd_pins memory/s_axi_aclk]
connect_bd_net [get_bd_pins reset/peripheral_aresetn] [get_bd_pins memory/s_axi_aresetn]
connect_bd_net [get_bd_ports ap_clk] [get_bd_pins memory/m_axi_aclk]
connect_bd_net [get_bd_ports ap_rst_n] [get_bd_pins memory/m_axi_aresetn]

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
