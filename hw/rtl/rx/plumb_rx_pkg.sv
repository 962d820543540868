// What travels between the blocks of the receiver.
package plumb_rx_pkg;

  // Clocks from the cycle of a frame's last beat at the MAC boundary to desc_valid_o.
  localparam int unsigned DescLatency = 11;

  // A beat without its data. length and stamp belong to the last beat.
  localparam int unsigned BeatW = 116;
  typedef struct packed {
    logic [63:0] stamp;    // card time of the first beat, calibrated
    logic [31:0] length;   // bytes of the whole frame, FCS included; saturates
    logic [10:0] index;    // number of the beat in its frame; wraps only in giants
    logic [6:0]  bytes;    // valid bytes: 64 but for the last beat
    logic        last;
    logic        first;
  } beat_t;

  // What the first beat says.
  localparam int unsigned NetW = 35;
  typedef struct packed {
    logic [8:0]  kind;        // first bits behind UDP, from the beat on that holds them
    logic [16:0] ip_end;      // position in the frame just behind the IP packet
    logic        udp;         // IP and UDP understood; the fields below need it
    logic        vlan;
    logic        ipv6;
    logic        roce;
    logic        uet;
    logic        ce;          // ECN = CE
    logic        mac_control;
    logic        pfc;         // MAC control: priority flow control
    logic        pause;       // MAC control: 802.3x PAUSE
  } net_t;

  // A frame waiting for its verdict.
  localparam int unsigned RecordW = 251;
  typedef struct packed {
    logic [63:0]  stamp;
    logic [31:0]  length;
    logic [143:0] body;        // test tag, or PFC classes and times; first byte in bits 7:0
    logic         understood;  // headers known and complete
    logic         has_tag;     // the magic is where the tag is expected
    logic         icrc;        // an ICRC is expected
    logic         icrc_fits;   // and the frame is long enough to hold it
    logic         ce;
    logic         trimmed;     // a switch cut its payload off
    logic         mac_control;
    logic         pfc;
    logic         pause;
    logic         runt;
    logic         giant;
  } record_t;

  // A tagged frame on its way to the tables.
  localparam int unsigned EventW = 146;
  typedef struct packed {
    logic [47:0] latency;   // modulo 2^48
    logic [63:0] seq;
    logic [4:0]  group;
    logic [11:0] row;
    logic [13:0] length;
    logic        ce;
    logic        trimmed;
    logic        bad_icrc;
  } event_t;

  // A row of the flow table: the fields of the register map, and above them the window. Bit i of
  // the window: sequence number next - 1 - i has arrived.
  localparam int unsigned RowW = 583;
  localparam int unsigned RowTableW = 455;
  typedef struct packed {
    logic [127:0] window;
    logic [6:0]   reorder_depth;
    logic [39:0]  trimmed;
    logic [63:0]  next_sequence;
    logic [39:0]  bad_icrc;
    logic [39:0]  ce;
    logic [31:0]  stale;
    logic [39:0]  out_of_order;
    logic [39:0]  duplicate;
    logic [47:0]  lost;
    logic [55:0]  bytes;
    logic [47:0]  frames;
  } row_t;

  localparam int unsigned GroupW = 240;
  typedef struct packed {
    logic [95:0] sum;
    logic [47:0] maximum;
    logic [47:0] minimum;
    logic [47:0] count;
  } group_t;

endpackage
