// Records that travel between the blocks of the transmit path. Beside each struct its width, as
// Yosys has no $bits() of a type.
package plumb_tx_pkg;

  // What the schedule needs to know of a flow: part of its row in the flow table.
  localparam int unsigned SchedConfigW = 14 + 3 + 64 + 25 + 32 + 64;
  typedef struct packed {
    logic [13:0] length;          // bytes with FCS
    logic [2:0]  pfc_priority;
    logic [63:0] period;          // Q48.16 ps
    logic [24:0] burst_len;       // 0: endless
    logic [31:0] burst_count;     // 0: endless
    logic [63:0] burst_interval;  // Q48.16 ps
  } sched_config_t;

  // What the schedule remembers of a flow.
  localparam int unsigned SchedStateW = 64 + 32 + 25 + 80 + 1;
  typedef struct packed {
    logic [63:0] sequence_number;  // of the next frame
    logic [31:0] bursts;           // complete ones
    logic [24:0] in_burst;         // frames sent of this burst
    logic [79:0] burst_start;      // Q64.16 ps from the epoch, meaningful if started
    logic        started;          // the burst's first frame was sent or given up
  } sched_state_t;

  // One frame to be built.
  localparam int unsigned FrameW = 12 + 14 + 8 + 9 + 9 + 2 + 24 + 32 + 16 + 16 + 16 + 16 + 64 + 48;
  typedef struct packed {
    logic [11:0] flow;
    logic [13:0] length;           // bytes with FCS
    logic [7:0]  tag_off;
    logic [8:0]  pay_off;
    logic        tag_en;
    logic        icrc;
    logic        vlan;
    logic        ipv6;
    logic        sport_en;
    logic        qp_en;
    logic        psn24_en;         // RoCE
    logic        psn32_en;         // UET
    logic        csum_en;
    logic [1:0]  addr_mode;        // 0 none, 1 source, 2 destination
    logic [23:0] qp;
    logic [31:0] psn;
    logic [15:0] sport;
    logic [15:0] addr;
    logic [15:0] csum;
    logic [15:0] tag_id;
    logic [63:0] sequence_number;
    logic [47:0] departure;        // ps, at the reference point
  } frame_t;

  // What is known of one beat of a frame besides its data. Positions of check sequences are in the
  // beat that they begin in; *_ends marks the beat with the last byte that they cover.
  localparam int unsigned BeatW = 9 + 6 + 4 + 6 + 3 + 6;
  typedef struct packed {
    logic       first;
    logic       second;
    logic       last;
    logic       vlan;
    logic       ipv6;
    logic       tag_low;       // the test tag begins in this beat
    logic       tag_high;      // ... or in the one before
    logic       icrc_en;       // the frame has an ICRC
    logic       icrc_covered;  // some bytes are covered by it
    logic [5:0] last_byte;     // 63 but for the last beat
    logic       icrc_ends;
    logic       icrc_here;
    logic       fcs_covered;
    logic       fcs_ends;
    logic [5:0] icrc_at;
    logic       fcs_here;
    logic       pay_here;      // payload begins in this beat
    logic       pay_all;       // ... or before
    logic [5:0] fcs_at;
  } beat_t;

endpackage
