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
    logic        tx_enable;            // number and keep frames, repeat them
    logic        rx_enable;            // check, hold and drop frames
    logic        re_init_on_flush;     // a flush is followed by INIT
    logic [1:0]  init_action;          // Action...: eligible frames in Init
    logic [1:0]  flush_action;         // Action...: eligible frames in Flush
    logic        mac_control_eligible; // MAC control frames are numbered too
    logic        init_data_low_first;  // byte order of init_data on the line
    logic        nack_once;            // no further NACK for the frame of the last one
    logic [19:0] init_seq;             // number of the first frame
    logic [15:0] init_data;            // data of INIT, which the ECHO has to repeat
    logic [15:0] init_interval;        // between two INITs
    logic [19:0] max_frames;           // that may be outstanding
    logic [31:0] max_bytes;            // that may be outstanding
    logic [23:0] replay_timer;         // without progress until a replay, 0: never
    logic [7:0]  replay_count_max;     // replays without progress, 255: no limit
    logic [31:0] pcs_lost;             // without a link until a flush, 0: never
    logic [31:0] data_age;             // of a frame until a flush, 0: never
    logic [15:0] ack_spacing;          // between an ACK or NACK and the next ACK
    logic [31:0] byte_time_ps;         // ps per byte on the wire
  } config_t;

  // Events to be counted, one bit each, in the order of the counters.
  localparam int unsigned TxCounters = 7;
  typedef struct packed {
    logic delayed;                 // a frame left later than its schedule says
    logic replayed_frame;          // a frame was sent again
    logic replay;                  // a replay began
    logic poisoned;                // a numbered frame with complemented FCS was sent
    logic ok;                      // a numbered frame was sent
    logic discarded;               // a frame was consumed, by init_action or flush_action
    logic seq_error;               // an ACK or NACK names no frame of the window
  } tx_events_t;

  localparam int unsigned RxCounters = 10;
  typedef struct packed {
    logic discarded;               // a usable one dropped: before INIT, or replay awaited
    logic replay;                  // the expected frame came after a fault
    logic duplicate_seq;           // an earlier number
    logic missing_seq;             // a later number: the first sign of a gap
    logic expected_bad;            // the expected number, damaged
    logic expected_poisoned;       // the expected number, FCS complemented
    logic expected_good;           // the expected number, FCS right
    logic bad;                     // a damaged frame
    logic poisoned;                // an eligible frame with complemented FCS
    logic ok;                      // an eligible frame with right FCS
  } rx_events_t;

  localparam int unsigned CtlCounters = 9;
  typedef struct packed {
    logic rx_bad;                  // a set without the marks of an ordered set
    logic rx_nack;                 // messages received
    logic rx_ack;
    logic rx_echo;
    logic rx_init;
    logic tx_nack;                 // messages sent
    logic tx_ack;
    logic tx_echo;
    logic tx_init;
  } ctl_events_t;

  localparam int unsigned Counters = TxCounters + RxCounters + CtlCounters;

endpackage
