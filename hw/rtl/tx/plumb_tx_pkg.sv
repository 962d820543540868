// Records that travel between the blocks of the transmit path. Beside each struct its width, as
// Yosys has no $bits() of a type.
package plumb_tx_pkg;

  // What the schedule needs to know of a flow: part of its rows in the flow table and, from
  // gap_drawn on, the pattern table.
  localparam int unsigned SchedPatternW = 1 + 1 + 13 + 12 + 16 + 14 + 14;
  localparam int unsigned SchedConfigW = 14 + 3 + 64 + 25 + 32 + 64 + SchedPatternW;
  typedef struct packed {
    logic [13:0] length;          // bytes with FCS
    logic [2:0]  pfc_priority;
    logic [63:0] period;          // Q48.16 ps
    logic [24:0] burst_len;       // 0: endless
    logic [31:0] burst_count;     // 0: endless
    logic [63:0] burst_interval;  // Q48.16 ps
    logic        gap_drawn;       // gaps come from plumb_tx_gaps
    logic        interleave;      // queue pairs take turns by frames, else by messages
    logic [12:0] list_count;      // 0: no queue pair list
    logic [11:0] list_base;
    logic [15:0] message_frames;
    logic [13:0] middle_length;
    logic [13:0] last_length;
  } sched_config_t;

  // Which frame of a message: its template is that many slots behind the flow's own.
  typedef enum logic [1:0] {PartFirst = 2'd0, PartMiddle = 2'd1, PartLast = 2'd2} part_e;

  // What the schedule remembers of a flow.
  localparam int unsigned SchedStateW = 64 + 32 + 25 + 80 + 1 + 80 + 1 + 12 + 16 + 2 + 3 + 64;
  typedef struct packed {
    logic [63:0] sequence_number;  // of the next frame
    logic [31:0] bursts;           // complete ones
    logic [24:0] in_burst;         // frames sent of this burst
    logic [79:0] burst_start;      // Q64.16 ps from the epoch, meaningful if started
    logic        started;          // the burst's first frame was sent or given up
    logic [79:0] scheduled;        // due time of the next frame before it was postponed,
    logic        postponed;        // if so
    logic [11:0] turn;             // of the queue pair list
    logic [15:0] position;         // of the next frame in its message
    logic [1:0]  part;             // ... as part_e
    logic [2:0]  lane;             // that holds the gap behind the next one
    logic [63:0] gap;              // the next one, Q48.16 ps
  } sched_state_t;

  // One frame to be built.
  localparam int unsigned FrameW =
      1 + 1 + 12 + 14 + 8 + 9 + 10 + 2 + 32 + 32 + 16 + 16 + 16 + 16 + 64 + 48;
  typedef struct packed {
    logic        timed;            // an event frame: its bytes are outside
    logic        control;          // a control frame, event frames too; its bytes wait in the builder
    logic [11:0] slot;             // of the template
    logic [13:0] length;           // bytes with FCS
    logic [7:0]  tag_off;          // first byte of the test tag
    logic [8:0]  pay_off;          // first byte of the payload pattern
    logic        tag_en;           // the frame has a test tag
    logic        icrc;             // the last four bytes before the FCS are an ICRC
    logic        vlan;             // 802.1Q tag
    logic        ipv6;             // IPv6, else IPv4
    logic        sport_en;         // sport is written
    logic        qp_en;            // qp is written as destination QP
    logic        pdc_en;           // qp is written as SPDCID and DPDCID
    logic        psn24_en;         // psn is written, 24 bits: RoCE
    logic        psn32_en;         // psn is written, 32 bits: UET
    logic        csum_en;          // csum is written
    logic [1:0]  addr_mode;        // 0 none, 1 source, 2 destination
    logic [31:0] qp;               // UET: SPDCID and DPDCID
    logic [31:0] psn;
    logic [15:0] sport;            // UDP source port
    logic [15:0] addr;             // low 16 bits of the address
    logic [15:0] csum;             // IPv4 header checksum
    logic [15:0] tag_id;           // id of the test tag
    logic [63:0] sequence_number;  // of the test tag
    logic [47:0] departure;        // ps, at the reference point
  } frame_t;

  // What the blocks behind the transmit path want to know of a frame; valid with its first beat.
  localparam int unsigned UserW = 1 + 1 + 1 + 3 + 12 + 32 + 14;
  typedef struct packed {
    logic        timed;            // an event frame: its departure is wanted
    logic        control;          // a control or event frame of the card itself: of no flow
    logic        icrc;             // the last four bytes before the FCS are an ICRC
    logic [2:0]  pfc_priority;
    logic [11:0] flow;
    logic [31:0] number;           // of the flow's frame, from 0, modulo 2^32
    logic [13:0] length;           // bytes with FCS
  } user_t;

  // What is known of one beat of a frame besides its data. Positions of check sequences are in the
  // beat that they begin in; *_ends marks the beat with the last byte that they cover.
  localparam int unsigned BeatW = 9 + 6 + 4 + 6 + 3 + 6;
  typedef struct packed {
    logic       first;             // of the frame
    logic       second;            // of the frame
    logic       last;              // of the frame
    logic       vlan;              // 802.1Q tag
    logic       ipv6;              // IPv6, else IPv4
    logic       tag_low;       // the test tag begins in this beat
    logic       tag_high;      // ... or in the one before
    logic       icrc_en;       // the frame has an ICRC
    logic       icrc_covered;  // some bytes are covered by it
    logic [5:0] last_byte;     // 63 but for the last beat
    logic       icrc_ends;         // the last byte that the ICRC covers
    logic       icrc_here;         // the ICRC begins here, at icrc_at
    logic       fcs_covered;       // some bytes are covered by the FCS
    logic       fcs_ends;          // the last byte that the FCS covers
    logic [5:0] icrc_at;           // byte of the beat, 0 to 63
    logic       fcs_here;          // the FCS begins here, at fcs_at
    logic       pay_here;      // payload begins in this beat
    logic       pay_all;       // ... or before
    logic [5:0] fcs_at;            // byte of the beat, 0 to 63
  } beat_t;

endpackage
