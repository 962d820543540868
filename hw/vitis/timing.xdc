# Timing and placement of the packed kernel. Not run yet: no Vivado has read this file. What text can
# show is checked: tests/hw/vitis holds each cell, pin and clock that is named here against the RTL,
# the block design and the MAC's pin list, and wants a line for every synchroniser of the RTL.
#
# "?" stands for a bracket in a name: gen_mac?1? is gen_mac[1].

# ---- Clocks ----
# Three, none in step with another: the platform's, and one of each MAC. mac0's is the card's. They are
# made outside: ap_clk (300 MHz) by the platform, gt_txusrclk2 (322.265625 MHz, 3.103 ns) by the MACs.
set ap_clk [get_clocks -of_objects [get_ports ap_clk]]
set card_clk [get_clocks -of_objects [get_pins -hierarchical -filter {NAME =~ */mac0/gt_txusrclk2}]]
set mac1_clk [get_clocks -of_objects [get_pins -hierarchical -filter {NAME =~ */mac1/gt_txusrclk2}]]
set mac_clks [list $card_clk $mac1_clk]

# ---- Between clocks ----
# Into a synchroniser (plumb_sync): one period, so that the bits of a word do not drift apart by more
# than the words differ. Only the path counts, not the clocks' skew.
# Register bus, and the processor's accesses: levels of plumb_register_crossing.
set_max_delay -datapath_only 3.103 -from $card_clk -to [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/u_to_host/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $ap_clk -to [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/u_to_card/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $card_clk -to [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/u_to_host/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $ap_clk -to [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/u_to_card/first_q_reg*}]
# Event frames that wait, an interrupt of the processor.
set_max_delay -datapath_only 3.103 -from $card_clk -to [get_cells -hierarchical -filter {NAME =~ */u_control/u_event/first_q_reg*}]
# MAC registers: levels of the MAC, the wishes for it, and the handshake of a snapshot.
set_max_delay -datapath_only 3.103 -from $mac_clks -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_levels/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $mac_clks -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_beat/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $mac_clks -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_acknowledge/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $ap_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_counters/u_wish/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $ap_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_counters/u_request/first_q_reg*}]
# Link state, of the MAC's clock and of ap_clk.
set_max_delay -datapath_only 3.103 -from [list $ap_clk $card_clk $mac1_clk] -to [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_link_up/first_q_reg*}]
# Pulse per second, wherever a board brings it from (tied to zero in this kernel).
set_max_delay -datapath_only 3.103 -from [list $ap_clk $card_clk $mac1_clk] -to [get_cells -hierarchical -filter {NAME =~ */u_time/u_pps_in/u_sync/first_q_reg*}]
# Gray pointers of the FIFO of port 1 (plumb_async_fifo): all bits within a period of each other.
set_max_delay -datapath_only 3.103 -from $mac1_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/u_freed/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $card_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/u_written/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $card_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/u_freed/first_q_reg*}]
set_max_delay -datapath_only 3.103 -from $mac1_clk -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/u_written/first_q_reg*}]
set_bus_skew 3.103 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/read_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/u_freed/first_q_reg*}]
set_bus_skew 3.103 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/write_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/u_written/first_q_reg*}]
set_bus_skew 3.103 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/read_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/u_freed/first_q_reg*}]
set_bus_skew 3.103 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/write_gray_q_reg*}] -to [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/u_written/first_q_reg*}]

# Data that stand still until a synchroniser has told of them, which takes two periods: the words of
# the FIFOs, an access and its answer, a snapshot of the MAC's counters and its command.
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_tx/words_reg*}] -to $mac1_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_mac?1?.gen_crossed.u_cross/u_rx/words_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/write_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/address_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/wdata_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/answer_resp_q_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_bridge/u_crossing/answer_data_q_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/write_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/address_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/wdata_q_reg*}] -to $card_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/answer_resp_q_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */u_control/u_core_crossing/answer_data_q_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_counters/wide_o_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_counters/narrow_o_reg*}] -to $ap_clk
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/snapshot_q_reg*}] -to $mac_clks
set_max_delay -datapath_only 6.206 -from [get_cells -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/clear_q_reg*}] -to $mac_clks

# Resets that begin without a clock (plumb_reset_sync): their ends are synchronised.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */gen_reset*.u_reset/stage_q_reg*/CLR}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */gen_regs*.u_mac/u_regs/u_reset/stage_q_reg*/CLR}]

# Inputs of a MAC that come from ap_clk without a synchroniser, as they must be there without its
# clock (plumb_mac_regs): the MAC takes resets and loopback at any time, and FEC settings in reset.
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/sys_reset}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/core_tx_reset}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/core_rx_reset}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/gtwiz_reset_tx_datapath}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/gtwiz_reset_rx_datapath}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/gt_loopback_in*}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/ctl_tx_rsfec_enable}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/ctl_rx_rsfec_enable}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/ctl_rx_rsfec_enable_correction}]
set_false_path -to [get_pins -hierarchical -filter {NAME =~ */mac?/ctl_rx_rsfec_enable_indication}]

# ---- Configuration that stands still ----
# Registers of a port that are not used in the two clocks behind their write: two clocks for their
# paths. An access takes five clocks (plumb_axil), so what a later access switches on or triggers
# finds values that are older. Registers that act by themselves are not in these lists.
# Calibration: static during a run; without frames nothing is read from what is computed of it.
set_multicycle_path 2 -setup -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?byte_time_ps?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?tx_ts_offset?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_ts_offset?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?late_threshold_ps?*}]
set_multicycle_path 1 -hold -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?byte_time_ps?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?tx_ts_offset?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_ts_offset?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?late_threshold_ps?*}]
# Virtual receive buffer and watermarks: set before FC_CONTROL switches their use on. Whoever changes
# one while it is in use may have one decision on a mixture of old and new.
set_multicycle_path 2 -setup -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_capacity?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_drain?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_xoff?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_xon?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_buffer_cell_log2?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_buffer_overhead?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?pfc_refresh?*}]
set_multicycle_path 1 -hold -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_capacity?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_drain?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_xoff?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?buffer_xon?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_buffer_cell_log2?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?rx_buffer_overhead?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?pfc_refresh?*}]
# What a command takes over: FC_COMMAND (storm) and DMG_COMMAND are accesses of their own.
set_multicycle_path 2 -setup -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_time_lo?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_time_hi?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_count?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?dmg_*}]
set_multicycle_path 1 -hold -from [get_cells -hierarchical -filter {NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_time_lo?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_time_hi?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?storm_count?* || NAME =~ */u_port/u_control/u_regs/config_o_reg?dmg_*}]

# ---- Placement ----
# A port beside its cage: port 0 in the region of both MACs, port 1 in the next one, as the blocks of
# RAM of two ports (623 of 672) would fill one. Soft, so that the platform's own areas win. The
# border is crossed once in each direction, at the FIFO of port 1 and its registers.
create_pblock pblock_port0
resize_pblock [get_pblocks pblock_port0] -add {SLR1}
add_cells_to_pblock [get_pblocks pblock_port0] [get_cells -hierarchical -filter {NAME =~ */u_card/u_card/gen_port?0?.u_port}]
set_property IS_SOFT TRUE [get_pblocks pblock_port0]
create_pblock pblock_port1
resize_pblock [get_pblocks pblock_port1] -add {SLR2}
add_cells_to_pblock [get_pblocks pblock_port1] [get_cells -hierarchical -filter {NAME =~ */u_card/u_card/gen_port?1?.u_port}]
set_property IS_SOFT TRUE [get_pblocks pblock_port1]
