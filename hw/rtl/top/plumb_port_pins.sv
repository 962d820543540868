// What the MAC of a port sets, on its way in.
//
// In hardware these are wires. Only a simulation of the whole card has registers here
// (PLUMB_EARLY_PINS), so that no logic hangs on a pin: a simulator evaluates such logic once more
// whenever it looks at the pins. Whoever drives the pins makes up for the clock that the registers
// take: a pin is set before the edge after which the card is to see it.
module plumb_port_pins (
  input  logic         clk_i,

  input  logic [511:0] rx_tdata_i,
  input  logic [63:0]  rx_tkeep_i,
  input  logic         rx_tvalid_i,
  input  logic         rx_tlast_i,
  input  logic [55:0]  rx_preamble_i,
  input  logic         rx_ctl_valid_i,
  input  logic [63:0]  rx_ctl_i,
  input  logic         tx_tready_i,
  input  logic         tx_ctl_ready_i,
  input  logic         link_up_i,

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
    rx_tvalid_o    <= rx_tvalid_i;
    rx_ctl_valid_o <= rx_ctl_valid_i;
    tx_tready_o    <= tx_tready_i;
    tx_ctl_ready_o <= tx_ctl_ready_i;
    link_up_o      <= link_up_i;
    // What nobody looks at without its valid.
    if (rx_tvalid_i) begin
      rx_tdata_o    <= rx_tdata_i;
      rx_tkeep_o    <= rx_tkeep_i;
      rx_tlast_o    <= rx_tlast_i;
      rx_preamble_o <= rx_preamble_i;
    end
    if (rx_ctl_valid_i) rx_ctl_o <= rx_ctl_i;
  end
`else
  assign rx_tvalid_o    = rx_tvalid_i;
  assign rx_ctl_valid_o = rx_ctl_valid_i;
  assign tx_tready_o    = tx_tready_i;
  assign tx_ctl_ready_o = tx_ctl_ready_i;
  assign link_up_o      = link_up_i;
  assign rx_tdata_o     = rx_tdata_i;
  assign rx_tkeep_o     = rx_tkeep_i;
  assign rx_tlast_o     = rx_tlast_i;
  assign rx_preamble_o  = rx_preamble_i;
  assign rx_ctl_o       = rx_ctl_i;

  logic unused_clk;
  assign unused_clk = clk_i;
`endif

endmodule
