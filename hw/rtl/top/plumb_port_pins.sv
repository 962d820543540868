// The inputs of a port, from its MAC and from the card's common part.
//
// In hardware these are wires. Only a simulated port has registers here (PLUMB_EARLY_PINS), so that
// no logic hangs on a pin: a simulator evaluates such logic once more whenever it looks at the
// pins. The simulation makes up for the clock that the registers take: a pin is set before the edge
// after which the port is to see it.
module plumb_port_pins (
  input  logic         clk_i,           // rising edge

  // From the card's common part
  input  logic [63:0]  now_i,           // local time in ps
  input  logic [63:0]  offset_i,        // card time - local time, ps
  input  logic         running_i,       // level: schedules live
  input  logic [63:0]  start_time_i,    // epoch of the run, local time in ps
  input  logic [11:2]  reg_addr_i,      // word of a register access, with its pulse
  input  logic         reg_event_i,     // with the pulse: of block event, else of block port
  input  logic         reg_wen_i,       // pulse: write
  input  logic         reg_ren_i,       // pulse: read
  input  logic [31:0]  reg_wdata_i,     // with reg_wen_i

  // From the MAC: received frames, ordered sets, what it can take
  input  logic [511:0] rx_tdata_i,      // byte 0 in bits 7:0
  input  logic [63:0]  rx_tkeep_i,      // one bit per byte
  input  logic         rx_tvalid_i,
  input  logic         rx_tlast_i,
  input  logic [55:0]  rx_preamble_i,   // with the first beat: D1 to D7, D1 lowest
  input  logic         rx_ctl_valid_i,  // pulse: an ordered set was received
  input  logic [63:0]  rx_ctl_i,        // D0 in bits 7:0
  input  logic         tx_tready_i,     // takes a beat
  input  logic         tx_ctl_ready_i,  // takes an ordered set
  input  logic         link_up_i,       // level

  // The same, inside the port
  output logic [63:0]  now_o,
  output logic [63:0]  offset_o,
  output logic         running_o,
  output logic [63:0]  start_time_o,
  output logic [11:2]  reg_addr_o,
  output logic         reg_event_o,
  output logic         reg_wen_o,
  output logic         reg_ren_o,
  output logic [31:0]  reg_wdata_o,
  output logic [511:0] rx_tdata_o,
  output logic [63:0]  rx_tkeep_o,
  output logic         rx_tvalid_o,
  output logic         rx_tlast_o,
  output logic [55:0]  rx_preamble_o,
  output logic         rx_ctl_valid_o,
  output logic [63:0]  rx_ctl_o,
  output logic         tx_tready_o,
  output logic         tx_ctl_ready_o,
  output logic         link_up_o
);

`ifdef PLUMB_EARLY_PINS
  always_ff @(posedge clk_i) begin
    now_o          <= now_i;
    offset_o       <= offset_i;
    running_o      <= running_i;
    start_time_o   <= start_time_i;
    reg_wen_o      <= reg_wen_i;
    reg_ren_o      <= reg_ren_i;
    rx_tvalid_o    <= rx_tvalid_i;
    rx_ctl_valid_o <= rx_ctl_valid_i;
    tx_tready_o    <= tx_tready_i;
    tx_ctl_ready_o <= tx_ctl_ready_i;
    link_up_o      <= link_up_i;
    // What has no meaning without its valid.
    if (reg_wen_i || reg_ren_i) begin
      reg_addr_o  <= reg_addr_i;
      reg_event_o <= reg_event_i;
      reg_wdata_o <= reg_wdata_i;
    end
    if (rx_tvalid_i) begin
      rx_tdata_o    <= rx_tdata_i;
      rx_tkeep_o    <= rx_tkeep_i;
      rx_tlast_o    <= rx_tlast_i;
      rx_preamble_o <= rx_preamble_i;
    end
    if (rx_ctl_valid_i) rx_ctl_o <= rx_ctl_i;
  end
`else
  assign now_o          = now_i;
  assign offset_o       = offset_i;
  assign running_o      = running_i;
  assign start_time_o   = start_time_i;
  assign reg_addr_o     = reg_addr_i;
  assign reg_event_o    = reg_event_i;
  assign reg_wen_o      = reg_wen_i;
  assign reg_ren_o      = reg_ren_i;
  assign reg_wdata_o    = reg_wdata_i;
  assign rx_tdata_o     = rx_tdata_i;
  assign rx_tkeep_o     = rx_tkeep_i;
  assign rx_tvalid_o    = rx_tvalid_i;
  assign rx_tlast_o     = rx_tlast_i;
  assign rx_preamble_o  = rx_preamble_i;
  assign rx_ctl_valid_o = rx_ctl_valid_i;
  assign rx_ctl_o       = rx_ctl_i;
  assign tx_tready_o    = tx_tready_i;
  assign tx_ctl_ready_o = tx_ctl_ready_i;
  assign link_up_o      = link_up_i;

  logic unused_clk;
  assign unused_clk = clk_i;
`endif

endmodule
