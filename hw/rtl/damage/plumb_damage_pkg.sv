// Records of the damage blocks. Beside each struct its width, as Yosys has no $bits() of a type.
package plumb_damage_pkg;

  // Clocks that sent frames take through plumb_damage.
  localparam int unsigned Clocks = 4;

  // What is done to a frame; Random is an error of the random source, in events only.
  localparam logic [2:0] KindNone = 3'd0;
  localparam logic [2:0] KindBits = 3'd1;      // a run of bits is inverted
  localparam logic [2:0] KindFcs = 3'd2;       // bits of the FCS
  localparam logic [2:0] KindIcrc = 3'd3;      // bits of the ICRC, and the FCS made right again
  localparam logic [2:0] KindTruncate = 3'd4;  // the frame ends early
  localparam logic [2:0] KindDrop = 3'd5;      // the frame does not leave
  localparam logic [2:0] KindRandom = 3'd6;

  // Which frames a rule looks at, and so what their numbers count.
  localparam logic [1:0] MatchAny = 2'd0;
  localparam logic [1:0] MatchFlow = 2'd1;
  localparam logic [1:0] MatchControl = 2'd2;

  // What was damaged.
  localparam logic [1:0] SubjectFrame = 2'd0;
  localparam logic [1:0] SubjectControl = 2'd1;     // MAC control frame
  localparam logic [1:0] SubjectOrderedSet = 2'd2;

  localparam int unsigned RuleW = 3 + 2 + 12 + 32 + 32 + 32 + 32 + 17 + 32;
  typedef struct packed {
    logic [2:0]  kind;
    logic [1:0]  match;
    logic [11:0] flow;
    logic [31:0] first;    // number of the first frame that may be hit
    logic [31:0] last;     // ... and of the last
    logic [31:0] step;     // after a hit the next is at least so many frames on; 0 counts as 1
    logic [31:0] times;    // hits at most; 0: any number
    logic [16:0] offset;   // KindBits: first bit
    logic [31:0] param;    // bits of the run, mask of the check sequence, or bytes that remain
  } rule_t;

  // A rule as it applies to one frame.
  localparam int unsigned ActionW = 3 + 18 + 18 + 6 + 14 + 64;
  typedef struct packed {
    logic [2:0]  kind;
    logic [17:0] start;    // bits that are inverted: from here
    logic [17:0] stop;     // ... to before here
    logic [5:0]  probe;    // a byte of the beat: there if the frame reaches so far
    logic [13:0] bytes;    // that remain
    logic [63:0] pattern;  // which bits to invert, from the first one on and repeated
  } action_t;

  // What happened to one frame or ordered set: an entry of the log.
  localparam int unsigned EventW = 3 + 3 + 2 + 12 + 32 + 19 + 64;
  typedef struct packed {
    logic [2:0]  kind;
    logic [2:0]  slot;
    logic [1:0]  subject;
    logic [11:0] flow;
    logic [31:0] number;
    logic [18:0] position;  // first damaged bit; bytes that remain of a truncated frame
    logic [63:0] stamp;
  } event_t;

  // One damaged beat, on its way to the log.
  localparam int unsigned HitW = 1 + 3 + 3 + 19 + 1 + 64 + 10 + 2 + 12 + 32 + 64;
  typedef struct packed {
    logic        ruled;     // a rule struck here, with
    logic [2:0]  kind;
    logic [2:0]  slot;
    logic [18:0] position;
    logic        random;    // random errors, those in the bytes of
    logic [63:0] keep;
    logic [9:0]  beat;
    logic [1:0]  subject;
    logic [11:0] flow;
    logic [31:0] number;
    logic [63:0] stamp;
  } hit_t;

endpackage
