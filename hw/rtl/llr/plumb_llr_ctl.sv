// Control ordered sets of a port, both ways: gives LLR's messages and those of CBFC (cf_*, passed
// unchanged) one after the other to the MAC, and decodes the messages of LLR that come.
//
// NACK before ECHO before INIT before ACK before cf. A message is taken (its *_taken_o) when it
// enters the register to the MAC, where it stays until tx_ctl_ready_i; a request may be withdrawn
// before it is taken. The MAC is ready while every set it has taken has its place on the line.
// Received sets are decoded one clock after rx_ctl_valid_i; one without the marks of an ordered set
// is only counted.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_llr_ctl (
  // Clock and reset (active low)
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // Configuration
  input  logic                       tx_enable_i,     // level: the sender heeds ACK, NACK and ECHO
  input  logic                       rx_enable_i,     // level: the receiver heeds INIT
  input  logic [19:0]                init_seq_i,      // number that our INIT carries
  input  logic [15:0]                init_data_i,     // data that our INIT carries
  input  logic                       low_first_i,     // byte order of init_data_i: low byte first

  // From and to the sender
  input  logic                       init_i,          // level: send an INIT
  output logic                       init_taken_o,    // combinational, for one clock
  output logic                       quiet_o,         // level: every set sent has its place
  output logic                       ack_o,           // pulse: an ACK came, of seq_o
  output logic                       nack_o,          // pulse: a NACK came, of seq_o
  output logic [19:0]                seq_o,           // number in the message received, with its
                                                      // pulse
  output logic                       echo_o,          // pulse: an ECHO to our INIT came

  // From and to the receiver
  input  logic                       send_ack_i,      // level: send an ACK
  input  logic                       send_nack_i,     // level: send a NACK
  input  logic [19:0]                last_good_i,     // number that ACK and NACK carry
  output logic                       ack_taken_o,     // combinational, for one clock
  output logic                       nack_taken_o,    // combinational, for one clock
  output logic                       init_o,          // pulse: an INIT came, of seq_o

  // Ordered sets of CBFC, passed through; D0 in bits 7:0
  input  logic                       cf_valid_i,      // level: a set waits
  input  logic [63:0]                cf_data_i,
  output logic                       cf_ready_o,      // combinational: taken in this clock

  // MAC; D0 in bits 7:0
  output logic                       tx_ctl_valid_o,  // level, until it is taken
  output logic [63:0]                tx_ctl_o,
  input  logic                       tx_ctl_ready_i,  // every set taken has its place on the line
  input  logic                       rx_ctl_valid_i,  // pulse: a set was received
  input  logic [63:0]                rx_ctl_i,
  output plumb_llr_pkg::ctl_events_t events_o         // a pulse per counter
);

  // Ordered set of a message: data is D5 (bits 7:0) and D6.
  function automatic logic [63:0] message(input logic [7:0] kind, input logic [19:0] seq,
                                          input logic [15:0] data);
    message = {8'd0, data, seq[3:0], plumb_llr_pkg::OrderCode, seq[11:4], seq[19:12], kind,
               plumb_llr_pkg::BlockType};
  endfunction

  // ---- To the MAC ----

  logic        echo_due_q, load, send_nack, send_echo, send_init, send_ack, send_cf;
  logic [19:0] echo_seq_q;
  logic [15:0] echo_data_q, init_data;

  assign load      = !tx_ctl_valid_o || tx_ctl_ready_i;
  assign send_nack = load && send_nack_i;
  assign send_echo = load && !send_nack_i && echo_due_q;
  assign send_init = load && !send_nack_i && !echo_due_q && init_i;
  assign send_ack  = load && !send_nack_i && !echo_due_q && !init_i && send_ack_i;
  assign send_cf   = load && !send_nack_i && !echo_due_q && !init_i && !send_ack_i && cf_valid_i;

  assign nack_taken_o = send_nack;
  assign init_taken_o = send_init;
  assign ack_taken_o  = send_ack;
  assign cf_ready_o   = load && !send_nack_i && !echo_due_q && !init_i && !send_ack_i;
  assign quiet_o      = !tx_ctl_valid_o && tx_ctl_ready_i;
  assign init_data    = low_first_i ? init_data_i : {init_data_i[7:0], init_data_i[15:8]};

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      tx_ctl_valid_o <= 1'b0;
      tx_ctl_o       <= '0;
    end else if (load) begin
      tx_ctl_valid_o <= send_nack || send_echo || send_init || send_ack || send_cf;
      if (send_nack)      tx_ctl_o <= message(plumb_llr_pkg::TypeNack, last_good_i, 16'd0);
      else if (send_echo) tx_ctl_o <= message(plumb_llr_pkg::TypeEcho, echo_seq_q, echo_data_q);
      else if (send_init) tx_ctl_o <= message(plumb_llr_pkg::TypeInit, init_seq_i, init_data);
      else if (send_ack)  tx_ctl_o <= message(plumb_llr_pkg::TypeAck, last_good_i, 16'd0);
      else if (send_cf)   tx_ctl_o <= cf_data_i;
    end
  end

  // ---- From the MAC ----

  logic        received_q, marked;
  logic [63:0] set_q;
  logic [7:0]  kind;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) received_q <= 1'b0;
    else         received_q <= rx_ctl_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (rx_ctl_valid_i) set_q <= rx_ctl_i;
  end

  assign seq_o = {set_q[23:16], set_q[31:24], set_q[39:36]};

  // Sets are rare.
  logic ack, nack, init, echo;
  always_comb begin
    kind   = '0;
    marked = 1'b0;
    ack    = 1'b0;
    nack   = 1'b0;
    init   = 1'b0;
    echo   = 1'b0;
    ack_o  = 1'b0;
    nack_o = 1'b0;
    echo_o = 1'b0;
    init_o = 1'b0;
    if (received_q) begin
      kind   = set_q[15:8];
      marked = set_q[7:0] == plumb_llr_pkg::BlockType &&
               set_q[35:32] == plumb_llr_pkg::OrderCode;
      ack    = marked && kind == plumb_llr_pkg::TypeAck;
      nack   = marked && kind == plumb_llr_pkg::TypeNack;
      init   = marked && kind == plumb_llr_pkg::TypeInit;
      echo   = marked && kind == plumb_llr_pkg::TypeEcho;
      ack_o  = ack && tx_enable_i;
      nack_o = nack && tx_enable_i;
      echo_o = echo && tx_enable_i && set_q[55:40] == init_data;
      init_o = init && rx_enable_i;
    end
  end

  // The latest INIT is answered, with what it said.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)        echo_due_q <= 1'b0;
    else if (init_o)    echo_due_q <= 1'b1;
    else if (send_echo) echo_due_q <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (init_o) begin
      echo_seq_q  <= seq_o;
      echo_data_q <= set_q[55:40];
    end
  end

  // In the order of ctl_events_t.
  always_comb begin
    events_o = '0;
    if (received_q || send_nack_i || send_ack_i || echo_due_q || init_i) begin
      events_o = {received_q && !marked, nack, ack, echo, init, send_nack, send_ack, send_echo,
                  send_init};
    end
  end

  logic unused_set;
  assign unused_set = ^set_q[63:56];

  `PLUMB_ASSERT(Held, tx_ctl_valid_o && !tx_ctl_ready_i |=> tx_ctl_valid_o && $stable(tx_ctl_o))

endmodule
