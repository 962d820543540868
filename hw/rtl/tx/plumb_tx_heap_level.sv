// One level of the schedule heap: the entries of its nodes, and one stage of the replacement.
//
// A replacement that reaches this level (up_valid_i) works on node up_index_i in the following
// clock: the earliest of the entry on its way down and the node's two children is written to the
// node; if a child moved up, the entry goes on to the child's place in the level below. Node i's
// children are 2i and 2i+1 of the level below.
//
// The children must be there without waiting for a memory, or replacements could not follow each
// other every two clocks. So a node's four grandchildren are read together while the node is
// worked on, and the stage below picks the pair it needs: memory words are quads of entries.
//
//   clock            t          t+1             t+2
//   level L - 2      works      -               -
//   this level's     read_i     quad_o          written if the replacement comes so far
//
// A write in the clock of a read of the same quad is seen by the read.
//
// Takes a replacement every other clock, never back to back. The table ports and the sweep may
// only be used while no replacement is under way. Sweep: every entry becomes all ones, the invalid
// entry that is later than every other.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_heap_level #(
  parameter int unsigned Level = 3,    // 2 or more
  parameter int unsigned Nodes = 8,    // nodes that exist, from index 0
  parameter int unsigned EntryW = 89,
  localparam int unsigned QuadAddrW = (Level > 2) ? Level - 2 : 1
) (
  // Clock and reset (active low)
  input  logic                  clk_i,
  input  logic                  rst_ni,

  // Replacement from the level above, combinational there
  input  logic                  up_valid_i,    // an entry comes down, worked on in the next clock
  input  logic [Level-1:0]      up_index_i,    // node that it comes to
  input  logic [EntryW-1:0]     up_entry_i,    // the entry

  // Quads (four entries) of this level, for the stage above
  input  logic                  read_i,        // pulse, from two levels above
  input  logic [QuadAddrW-1:0]  read_quad_i,   // with read_i: which quad
  output logic [4*EntryW-1:0]   quad_o,        // one clock after read_i

  // The level below
  input  logic [4*EntryW-1:0]   below_quad_i,  // quad with both children of the node at work
  output logic                  down_valid_o,  // combinational: the entry goes on down
  output logic [Level:0]        down_index_o,  // with down_valid_o: to this node
  output logic [EntryW-1:0]     down_entry_o,  // with down_valid_o: the entry

  // Replacement at work in this level; also the read of the level two below
  output logic                  work_o,        // level, for one clock
  output logic [Level-1:0]      work_index_o,  // with work_o: the node

  // Row access and sweep, while nothing is at work
  input  logic                  tbl_we_i,      // pulse: write
  input  logic                  tbl_re_i,      // pulse: read
  input  logic [Level-1:0]      tbl_index_i,   // node within the level
  input  logic [EntryW-1:0]     tbl_entry_i,   // with tbl_we_i
  input  logic                  row_valid_i,   // a level above answers a read
  input  logic [EntryW-1:0]     row_i,         // its entry
  output logic                  row_valid_o,   // that, or one clock after tbl_re_i this level's
  output logic [EntryW-1:0]     row_o,         // with row_valid_o
  input  logic                  sweep_i,       // level: make the four entries of a quad invalid
  input  logic [QuadAddrW-1:0]  sweep_quad_i   // which quad; beyond the last: none
);

  `PLUMB_RANGE(plumb_tx_heap_level, Level, 2, 12)
  `PLUMB_PARAMETER(plumb_tx_heap_level, Nodes, Nodes >= 1 && Nodes <= 2**Level, 1 to 2^Level)
  `PLUMB_PARAMETER(plumb_tx_heap_level, EntryW, EntryW >= 1, at least 1)

  localparam int unsigned Quads = (Nodes + 3) / 4;

  // The replacement at work.
  logic              work_q;
  logic [Level-1:0]  index_q;
  logic [EntryW-1:0] entry_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) work_q <= 1'b0;
    else         work_q <= up_valid_i;
  end

  always_ff @(posedge clk_i) begin
    if (up_valid_i) begin
      index_q <= up_index_i;
      entry_q <= up_entry_i;
    end
  end

  assign work_o       = work_q;
  assign work_index_o = index_q;

  // The earliest of three.
  logic [EntryW-1:0] left, right, stay;
  logic              moves, to_right;

  always_comb begin
    `PLUMB_ANY(left)
    `PLUMB_ANY(right)
    `PLUMB_ANY(stay)
    `PLUMB_ANY(to_right)
    moves = 1'b0;
    if (work_q) begin
      left     = index_q[0] ? below_quad_i[2*EntryW +: EntryW] : below_quad_i[0 +: EntryW];
      right    = index_q[0] ? below_quad_i[3*EntryW +: EntryW] : below_quad_i[EntryW +: EntryW];
      to_right = right < left;
      moves    = left < entry_q || right < entry_q;
      stay     = !moves ? entry_q : to_right ? right : left;
    end
  end

  assign down_valid_o = moves;
  assign down_index_o = {index_q, to_right};
  assign down_entry_o = entry_q;

  // The memory: a word is a quad of four lanes, one entry each, which can be written alone. What is
  // not in use is not worked out: that costs nothing in hardware and much in a simulation.
  localparam int unsigned Words = (Quads > 1) ? Quads : 2;   // Yosys maps no memory of one word
  localparam int unsigned MemAddrW = $clog2(Words);

  (* ram_style = "distributed" *)
  logic [4*EntryW-1:0]  mem [0:Words-1];
  logic [4*EntryW-1:0]  quad_q;
  logic [QuadAddrW-1:0] node_quad, write_quad, read_quad;
  logic [Level-1:0]     node_index;
  logic [EntryW-1:0]    write_entry;
  logic                 write, read;
  logic                 write_exists, read_exists;
  logic                 reads_node;   // the quad that is written: its new entry is to be seen
  logic [3:0]           lanes;        // to be written

  assign write = work_q || tbl_we_i || sweep_i;
  assign read  = read_i || tbl_re_i;

  always_comb begin
    `PLUMB_ANY(node_index)
    `PLUMB_ANY(node_quad)
    `PLUMB_ANY(write_quad)
    `PLUMB_ANY(read_quad)
    `PLUMB_ANY(write_exists)
    `PLUMB_ANY(read_exists)
    `PLUMB_ANY(reads_node)
    `PLUMB_ANY(write_entry)
    lanes = 4'b0000;
    if (write || read) begin
      node_index = work_q ? index_q : tbl_index_i;
      node_quad  = QuadAddrW'(node_index >> 2);
      write_quad = sweep_i ? sweep_quad_i : node_quad;
      read_quad  = read_i ? read_quad_i : node_quad;
      // Addresses beyond a partly filled last level: no such nodes, their entries are invalid.
      write_exists = Quads >= 2**(Level-2) || 32'(write_quad) < Quads;
      read_exists  = Quads >= 2**(Level-2) || 32'(read_quad) < Quads;
      // The table and the sweep write while nothing is read.
      reads_node  = work_q && QuadAddrW'(index_q >> 2) == read_quad;
      write_entry = work_q ? stay : sweep_i ? '1 : tbl_entry_i;
      if (write && write_exists) lanes = sweep_i ? 4'b1111 : 4'b0001 << node_index[1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      if (lanes[0]) mem[write_quad[MemAddrW-1:0]][0 +: EntryW]        <= write_entry;
      if (lanes[1]) mem[write_quad[MemAddrW-1:0]][EntryW +: EntryW]   <= write_entry;
      if (lanes[2]) mem[write_quad[MemAddrW-1:0]][2*EntryW +: EntryW] <= write_entry;
      if (lanes[3]) mem[write_quad[MemAddrW-1:0]][3*EntryW +: EntryW] <= write_entry;
    end
  end

  always_ff @(posedge clk_i) begin
    if (read) begin
      if (!read_exists) quad_q <= '1;
      else              quad_q <= mem[read_quad[MemAddrW-1:0]];
      if (reads_node) begin
        unique case (index_q[1:0])
          2'd0:    quad_q[0 +: EntryW]        <= stay;
          2'd1:    quad_q[EntryW +: EntryW]   <= stay;
          2'd2:    quad_q[2*EntryW +: EntryW] <= stay;
          default: quad_q[3*EntryW +: EntryW] <= stay;
        endcase
      end
    end
  end

  assign quad_o = quad_q;

  // A row read is answered in the next clock only.
  logic       row_q;
  logic [1:0] row_lane_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) row_q <= 1'b0;
    else         row_q <= tbl_re_i;
  end

  always_ff @(posedge clk_i) begin
    if (tbl_re_i) row_lane_q <= tbl_index_i[1:0];
  end

  assign row_valid_o = row_q || row_valid_i;

  always_comb begin
    `PLUMB_ANY(row_o)
    if (row_valid_i) row_o = row_i;
    if (row_q) begin
      unique case (row_lane_q)
        2'd0:    row_o = quad_q[0 +: EntryW];
        2'd1:    row_o = quad_q[EntryW +: EntryW];
        2'd2:    row_o = quad_q[2*EntryW +: EntryW];
        default: row_o = quad_q[3*EntryW +: EntryW];
      endcase
    end
  end

  `PLUMB_ASSERT(EveryOtherClock, work_q |-> !up_valid_i)
  `PLUMB_ASSERT(TableWhileIdle, (tbl_we_i || tbl_re_i || sweep_i) |-> !work_q && !read_i)
  `PLUMB_ASSERT(NoReadWithWrite, tbl_re_i |-> !tbl_we_i && !sweep_i)

endmodule
