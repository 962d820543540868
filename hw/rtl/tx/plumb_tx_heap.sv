// The schedule: a binary heap of entries, one per flow, earliest due time at the root.
//
// An entry is {invalid, due (Q64.16 ps), flow}, compared as one unsigned number: invalid entries
// are later than every valid one, and of flows due at the same instant the lower number goes first.
// 2^FlowsLog2 positions; position 0 is the root, children of position i are 2i+1 and 2i+2.
//
// Replacing the root (replace_i) is the only operation while running. The new root is in root_o in
// the next clock, and the next replacement may come one clock after that; the entry sinks through
// the levels below meanwhile, one clock each.
//
//   clock    t          t+1                          t+2
//   root     replace_i  new root_o; refill_*         may be replaced again
//            take_*_o
//
// take_left_o / take_right_o (clock t): which child became the root; neither: the entry stayed.
// refill_* (clock t+1, only if a child moved up): the flow that now stands in that child's place.
//
// Table access and sweep only while busy_o is low and no replacement comes. A row read with
// tbl_re_i is in tbl_entry_o in the next clock. A sweep is sweep_i with sweep_quad_i counting
// through all its values; afterwards every entry is invalid.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_heap #(
  parameter int unsigned FlowsLog2 = 8,
  localparam int unsigned EntryW = 81 + FlowsLog2
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,

  // Replacing the root; entries are {invalid, due, flow}
  input  logic                 replace_i,       // pulse, at most every other clock
  input  logic [EntryW-1:0]    entry_i,         // with replace_i: what comes in place of the root
  output logic [EntryW-1:0]    root_o,          // entry that is due first; in registers
  output logic [FlowsLog2-1:0] left_flow_o,     // of the root's left child
  output logic [FlowsLog2-1:0] right_flow_o,    // of the root's right child
  output logic                 take_left_o,     // with replace_i: the left child becomes the root
  output logic                 take_right_o,    // with replace_i: the right child does
  output logic                 refill_o,        // one clock later: a child's place has a new entry
  output logic                 refill_right_o,  // with refill_o: of the right child, else the left
  output logic [FlowsLog2-1:0] refill_flow_o,   // with refill_o: the flow that stands there now
  output logic                 busy_o,          // level: a replacement sinks through the levels

  // Row access and sweep
  input  logic                 tbl_we_i,        // pulse: write
  input  logic                 tbl_re_i,        // pulse: read
  input  logic [FlowsLog2-1:0] tbl_row_i,       // position in the heap, 0 is the root
  input  logic [EntryW-1:0]    tbl_entry_i,     // with tbl_we_i
  output logic [EntryW-1:0]    tbl_entry_o,     // one clock after tbl_re_i
  input  logic                 sweep_i,         // level: make four entries of each level invalid
  input  logic [FlowsLog2-3:0] sweep_quad_i     // which four
);

  `PLUMB_RANGE(plumb_tx_heap, FlowsLog2, 3, 12)

  localparam int unsigned Levels = FlowsLog2 + 1;  // the last holds one position

  // Position -> level and index within it: position + 1 is a one followed by the index.
  logic [FlowsLog2:0]   tbl_place;
  logic [Levels-1:0]    tbl_level;   // one-hot
  logic [FlowsLog2-1:0] tbl_index;

  always_comb begin
    `PLUMB_ANY(tbl_place)
    `PLUMB_ANY(tbl_level)
    `PLUMB_ANY(tbl_index)
    if (tbl_we_i || tbl_re_i) begin
      // One more: a bit changes if all below it are set. A carry chain would be one level more, and
      // the level's memory comes behind it.
      tbl_place = {1'b0, tbl_row_i};
      for (int unsigned b = 0; b <= FlowsLog2; b++) begin
        if (&(tbl_row_i | ({FlowsLog2{1'b1}} << b))) tbl_place[b] = !tbl_place[b];
      end
      // A level takes as many bits as its index has: the one that leads is above them.
      tbl_index = tbl_place[FlowsLog2-1:0];
      for (int unsigned l = 0; l < Levels; l++) begin
        tbl_level[l] = (tbl_place >> l) == (FlowsLog2+1)'(1);
      end
    end
  end

  // Level 0, the root, and its stage.
  logic [EntryW-1:0] root_q, left_q, right_q;
  logic              left_first, moves;

  always_comb begin
    `PLUMB_ANY(left_first)
    moves = 1'b0;
    if (replace_i) begin
      left_first = left_q < right_q;
      moves      = left_q < entry_i || right_q < entry_i;
    end
  end

  assign take_left_o  = moves && left_first;
  assign take_right_o = moves && !left_first;

  always_ff @(posedge clk_i) begin
    if (sweep_i)                        root_q <= '1;
    else if (tbl_we_i && tbl_level[0])  root_q <= tbl_entry_i;
    else if (replace_i)                 root_q <= !moves ? entry_i : left_first ? left_q : right_q;
  end

  // Level 1, the root's children, and its stage.
  logic                work1_q, work1_right_q;
  logic [EntryW-1:0]   work1_entry_q;
  logic [4*EntryW-1:0] quad2;
  logic [EntryW-1:0]   kid_left, kid_right, stay1;
  logic                moves1, to_right1;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) work1_q <= 1'b0;
    else         work1_q <= moves;
  end

  always_ff @(posedge clk_i) begin
    if (replace_i) begin
      work1_right_q <= !left_first;
      work1_entry_q <= entry_i;
    end
  end

  always_comb begin
    `PLUMB_ANY(kid_left)
    `PLUMB_ANY(kid_right)
    `PLUMB_ANY(stay1)
    `PLUMB_ANY(to_right1)
    moves1 = 1'b0;
    if (work1_q) begin
      kid_left  = work1_right_q ? quad2[2*EntryW +: EntryW] : quad2[0 +: EntryW];
      kid_right = work1_right_q ? quad2[3*EntryW +: EntryW] : quad2[EntryW +: EntryW];
      to_right1 = kid_right < kid_left;
      moves1    = kid_left < work1_entry_q || kid_right < work1_entry_q;
      stay1     = !moves1 ? work1_entry_q : to_right1 ? kid_right : kid_left;
    end
  end

  always_ff @(posedge clk_i) begin
    if (sweep_i)                                            left_q <= '1;
    else if (tbl_we_i && tbl_level[1] && !tbl_index[0])     left_q <= tbl_entry_i;
    else if (work1_q && !work1_right_q)                     left_q <= stay1;

    if (sweep_i)                                            right_q <= '1;
    else if (tbl_we_i && tbl_level[1] && tbl_index[0])      right_q <= tbl_entry_i;
    else if (work1_q && work1_right_q)                      right_q <= stay1;
  end

  assign refill_o       = work1_q;
  assign refill_right_o = work1_right_q;
  assign refill_flow_o  = stay1[FlowsLog2-1:0];

  assign root_o       = root_q;
  assign left_flow_o  = left_q[FlowsLog2-1:0];
  assign right_flow_o = right_q[FlowsLog2-1:0];

  // Levels 2 and down, joined by flat vectors with a slot of Levels bits per index; the slots of
  // levels 0 and 1 and the upper bits of each are not used. rows: what is read, handed on from
  // level to level. A simulator that splits the vectors does not put them together every clock.
  logic [Levels:0]                down_valid /*verilator split_var*/;
  logic [(Levels+1)*Levels-1:0]   down_index /*verilator split_var*/;
  logic [(Levels+1)*EntryW-1:0]   down_entry /*verilator split_var*/;
  logic [Levels-1:0]              work       /*verilator split_var*/;
  logic [Levels*Levels-1:0]       work_index /*verilator split_var*/;
  logic [(Levels+1)*4*EntryW-1:0] quads      /*verilator split_var*/;
  logic [(Levels-1)*EntryW-1:0]   rows       /*verilator split_var*/;
  logic [Levels-2:0]              row_valid  /*verilator split_var*/;

  assign down_valid[1:0]           = 2'b00;
  assign down_index[2*Levels-1:0]  = '0;
  assign down_entry[2*EntryW-1:0]  = '0;
  assign down_valid[2]             = moves1;
  assign down_index[2*Levels +: Levels] = Levels'({work1_right_q, to_right1});
  assign down_entry[2*EntryW +: EntryW] = work1_entry_q;
  assign work[1:0]                 = {work1_q, replace_i};
  assign work_index[2*Levels-1:0]  = (2*Levels)'({Levels'(work1_right_q), Levels'(0)});
  assign quads[8*EntryW-1:0]       = '0;
  assign quads[Levels*4*EntryW +: 4*EntryW] = '1;
  assign quad2                     = quads[2*4*EntryW +: 4*EntryW];

  // Few flows stay in the upper levels: the deep ones rest until a replacement comes near, and all
  // that it does there is over long before their clock stops.
  localparam int unsigned Deep = 4;
  logic clk_deep;

  plumb_clock_gate u_deep (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .busy_i (tbl_we_i || tbl_re_i || sweep_i || (|work[Levels-1:2])),
    .clk_o  (clk_deep)
  );

  for (genvar l = 2; l < Levels; l++) begin : gen_level
    localparam int unsigned Nodes = (l == FlowsLog2) ? 1 : 2**l;
    localparam int unsigned QuadAddrW = (l > 2) ? l - 2 : 1;
    logic [l:0]   index_below;
    logic [l-1:0] index_work;

    plumb_tx_heap_level #(
      .Level  (l),
      .Nodes  (Nodes),
      .EntryW (EntryW)
    ) u_level (
      .clk_i        ((l < Deep) ? clk_i : clk_deep),
      .rst_ni       (rst_ni),
      .up_valid_i   (down_valid[l]),
      .up_index_i   (down_index[l*Levels +: l]),
      .up_entry_i   (down_entry[l*EntryW +: EntryW]),
      .read_i       (work[l-2]),
      .read_quad_i  (work_index[(l-2)*Levels +: QuadAddrW]),
      .quad_o       (quads[l*4*EntryW +: 4*EntryW]),
      .below_quad_i (quads[(l+1)*4*EntryW +: 4*EntryW]),
      .down_valid_o (down_valid[l+1]),
      .down_index_o (index_below),
      .down_entry_o (down_entry[(l+1)*EntryW +: EntryW]),
      .work_o       (work[l]),
      .work_index_o (index_work),
      .tbl_we_i     (tbl_we_i && tbl_level[l]),
      .tbl_re_i     (tbl_re_i && tbl_level[l]),
      .tbl_index_i  (tbl_index[l-1:0]),
      .tbl_entry_i  (tbl_entry_i),
      .row_valid_i  (row_valid[l-2]),
      .row_i        (rows[(l-2)*EntryW +: EntryW]),
      .row_valid_o  (row_valid[l-1]),
      .row_o        (rows[(l-1)*EntryW +: EntryW]),
      .sweep_i      (sweep_i),
      .sweep_quad_i (sweep_quad_i[QuadAddrW-1:0])
    );

    assign down_index[(l+1)*Levels +: Levels] = Levels'(index_below);
    assign work_index[l*Levels +: Levels]     = Levels'(index_work);
  end

  // Not in waveforms: for them a simulator would put it together in every clock.
  /*verilator tracing_off*/
  logic unused_slots;
  /*verilator tracing_on*/
  assign unused_slots = ^{row_valid, down_valid, down_index, down_entry, work_index, quads[8*EntryW-1:0]};

  assign busy_o = work1_q || (|work[Levels-1:2]);

  // Row read.
  logic [1:0]        read_top_q;    // of levels 1 and 0
  logic              read_right_q;
  logic [EntryW-1:0] row_top;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) read_top_q <= 2'b00;
    else         read_top_q <= tbl_re_i ? tbl_level[1:0] : 2'b00;
  end

  always_ff @(posedge clk_i) begin
    if (tbl_re_i) read_right_q <= tbl_index[0];
  end

  always_comb begin
    `PLUMB_ANY(row_top)
    if (read_top_q[0]) row_top = root_q;
    if (read_top_q[1]) row_top = read_right_q ? right_q : left_q;
  end

  assign row_valid[0]      = read_top_q != 2'b00;
  assign rows[0 +: EntryW] = row_top;
  assign tbl_entry_o       = rows[(Levels-2)*EntryW +: EntryW];

  `PLUMB_ASSERT(EveryOtherClock, replace_i |-> !work1_q)

endmodule
