// Link-level retry: the layout of its messages and marks on the line, its states, its
// configuration.
package plumb_llr_pkg;

  // Ordered set: byte D0 in bits 7:0. D0 and the low half of D4 mark it.
  localparam logic [7:0] BlockType = 8'h4b;
  localparam logic [3:0] OrderCode = 4'h6;
  localparam logic [7:0] TypeAck = 8'h01;
  localparam logic [7:0] TypeNack = 8'h02;
  localparam logic [7:0] TypeInit = 8'h03;
  localparam logic [7:0] TypeEcho = 8'h04;

  // Preamble without its first byte, D1 in bits 7:0. An eligible frame has its sequence number in
  // D1 (high half), D2 and D3, and EligibleMark in the low half of D1.
  localparam logic [55:0] OrdinaryPreamble = 56'hd5_55_55_55_55_55_55;
  localparam logic [31:0] PreambleTail = 32'hd5_55_55_55;
  localparam logic [3:0]  EligibleMark = 4'h7;

  // Register of CRC-32 after a frame whose FCS is the complement of the right one: poisoned.
  localparam logic [31:0] PoisonResidue = 32'h0000_0000;

  localparam logic [1:0] ActionDiscard = 2'd0;
  localparam logic [1:0] ActionBlock = 2'd1;
  localparam logic [1:0] ActionBestEffort = 2'd2;

  localparam logic [2:0] TxOff = 3'd0;
  localparam logic [2:0] TxInit = 3'd1;
  localparam logic [2:0] TxAdvance = 3'd2;
  localparam logic [2:0] TxReplay = 3'd3;
  localparam logic [2:0] TxFlush = 3'd4;

  localparam logic [1:0] RxOff = 2'd0;
  localparam logic [1:0] RxSendAcks = 2'd1;
  localparam logic [1:0] RxSendNack = 2'd2;
  localparam logic [1:0] RxNackSent = 2'd3;

  // Times in clocks of the card.
  localparam int unsigned ConfigW = 257;
  typedef struct packed {
    logic        tx_enable;
    logic        rx_enable;
    logic        re_init_on_flush;
    logic [1:0]  init_action;
    logic [1:0]  flush_action;
    logic        mac_control_eligible;
    logic        init_data_low_first;
    logic        nack_once;
    logic [19:0] init_seq;
    logic [15:0] init_data;
    logic [15:0] init_interval;
    logic [19:0] max_frames;
    logic [31:0] max_bytes;
    logic [23:0] replay_timer;       // 0: never
    logic [7:0]  replay_count_max;   // 255: no limit
    logic [31:0] pcs_lost;           // 0: never
    logic [31:0] data_age;           // 0: never
    logic [15:0] ack_spacing;
    logic [31:0] byte_time_ps;
  } config_t;

  // Events to be counted, one bit each, in the order of the counters.
  localparam int unsigned TxCounters = 7;
  typedef struct packed {
    logic delayed;
    logic replayed_frame;
    logic replay;
    logic poisoned;
    logic ok;
    logic discarded;
    logic seq_error;
  } tx_events_t;

  localparam int unsigned RxCounters = 10;
  typedef struct packed {
    logic discarded;
    logic replay;
    logic duplicate_seq;
    logic missing_seq;
    logic expected_bad;
    logic expected_poisoned;
    logic expected_good;
    logic bad;
    logic poisoned;
    logic ok;
  } rx_events_t;

  localparam int unsigned CtlCounters = 9;
  typedef struct packed {
    logic rx_bad;
    logic rx_nack;
    logic rx_ack;
    logic rx_echo;
    logic rx_init;
    logic tx_nack;
    logic tx_ack;
    logic tx_echo;
    logic tx_init;
  } ctl_events_t;

  localparam int unsigned Counters = TxCounters + RxCounters + CtlCounters;

endpackage
