// Random bit errors, made ahead of the stream: masks of whole beats for the datapath, and the
// positions one by one for the log.
//
// The source runs over an endless row of 512-bit blocks, one per beat that passes, whatever part of
// the beat is frame: errors behind a frame's end hit nothing. Every bit of the row is bad with the
// same probability, independently, and so is every bit of the frames. The row begins with the first
// beat after ready_o has risen.
//
// hit_o and mask_o belong to the beat that passes next; take_i says that it passes in this clock.
// The bits of its mask are then in the queue of positions, lowest first, pos_last_o with the last
// one of the beat; they stay until popped.
//
// A beat every clock, as long as there is less than one error per clock on average: 32 beats with
// errors are made ahead. If they should ever run out, beats pass undamaged, the row does not
// move, and late_o pulses.
//
// load_i ends what runs; with on_i it starts anew from the seed as soon as settled_i (all hits are
// in the log) has been high for 16 clocks.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_damage_random (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // Configuration
  input  logic         load_i,       // pulse: end, and begin anew if on_i
  input  logic         on_i,         // with load_i
  input  logic [127:0] seed_i,       // steady after load_i, like the next two
  input  logic [31:0]  scale_i,      // see plumb_damage_gap
  input  logic [5:0]   shift_i,      // see plumb_damage_gap
  input  logic         settled_i,    // level: all hits are in the log
  output logic         ready_o,      // level: errors are made
  output logic         late_o,       // pulse: a beat passed without its errors

  // Masks, for beats
  input  logic         take_i,       // pulse: a beat passes
  output logic         hit_o,        // level: mask_o belongs to the beat that passes next
  output logic [511:0] mask_o,       // bits to be inverted

  // Positions, for the log
  output logic         pos_valid_o,  // level: there is one
  output logic [8:0]   pos_o,        // bit in the beat
  output logic         pos_last_o,   // the last one of its beat
  input  logic         pos_pop_i     // pulse, with pos_valid_o: take the next
);

  localparam int unsigned SkipW = 48;
  localparam int unsigned MasksLog2 = 5;
  localparam int unsigned PositionsLog2 = 7;

  // ---- Start ----
  logic       want_q, run_q, start_q;
  logic [3:0] settled_q;
  logic       step;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      want_q    <= 1'b0;
      run_q     <= 1'b0;
      start_q   <= 1'b0;
      settled_q <= '0;
    end else begin
      start_q <= 1'b0;
      if (load_i) begin
        want_q    <= on_i;
        run_q     <= 1'b0;
        settled_q <= '0;
      end else if (want_q && !run_q && !start_q) begin
        settled_q <= settled_i ? settled_q + 4'd1 : 4'd0;
        start_q   <= settled_i && &settled_q;
      end else if (start_q) begin
        run_q <= 1'b1;
      end
    end
  end

  // ---- Gaps to places: block and bit of each error ----
  logic        gap_valid;
  logic [55:0] gap;

  plumb_damage_gap u_gap (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .load_i   (start_q),
    .seed_i   (seed_i),
    .scale_i  (scale_i),
    .shift_i  (shift_i),
    .enable_i (step),
    .valid_o  (gap_valid),
    .gap_o    (gap)
  );

  logic [9:0]       next_q;      // first bit behind the error before, in its block
  logic [9:0]       sum;
  logic [SkipW-1:0] whole;       // blocks that the gap fills by itself
  logic             placed_q;
  logic             first_q;     // no error yet
  logic             new_q;       // another block than that of the error before
  logic [8:0]       bit_q;
  logic [SkipW-1:0] skip_q;      // good blocks between

  assign sum   = next_q + 10'(gap[8:0]);
  assign whole = SkipW'(gap[55:9]);

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      placed_q <= 1'b0;
      first_q  <= 1'b1;
      next_q   <= '0;
    end else if (start_q) begin
      placed_q <= 1'b0;
      first_q  <= 1'b1;
      next_q   <= '0;
    end else if (step && gap_valid) begin
      placed_q <= 1'b1;
      first_q  <= 1'b0;
      next_q   <= {1'b0, sum[8:0]} + 10'd1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (step && gap_valid) begin
      bit_q  <= sum[8:0];
      new_q  <= first_q || whole != '0 || sum[9];
      // The block of the error before is not between; the first error has none before.
      skip_q <= (first_q == sum[9]) ? (first_q ? whole + SkipW'(1) : whole - SkipW'(1)) : whole;
    end
  end

  // ---- Places to masks: one is open, and goes when an error falls into another block ----
  logic             open_q;
  logic [511:0]     open_mask_q;
  logic [SkipW-1:0] open_skip_q;
  logic [8:0]       open_last_q;     // the error before, of which it is not yet known if it is last
  logic             place, push_mask, push_pos;

  assign place     = step && placed_q;
  assign push_mask = place && open_q && new_q;
  assign push_pos  = place && open_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni)      open_q <= 1'b0;
    else if (start_q) open_q <= 1'b0;
    else if (place)   open_q <= 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (place) begin
      open_last_q <= bit_q;
      open_mask_q <= (new_q ? 512'd0 : open_mask_q) | (512'd1 << bit_q);
      if (new_q) open_skip_q <= skip_q;
    end
  end

  // ---- Queues ----
  (* ram_style = "distributed" *)
  logic [SkipW+511:0]     masks [0:2**MasksLog2-1];
  (* ram_style = "distributed" *)
  logic [9:0]             positions [0:2**PositionsLog2-1];
  logic [MasksLog2:0]     mask_write_q, mask_read_q, mask_level;
  logic [PositionsLog2:0] pos_write_q, pos_read_q, pos_level;
  logic                   full_q, fetch, mask_waits;

  assign mask_level  = mask_write_q - mask_read_q;
  assign pos_level   = pos_write_q - pos_read_q;
  // That there is something in a queue need not wait for the difference.
  assign mask_waits  = mask_write_q != mask_read_q;
  assign pos_valid_o = pos_write_q != pos_read_q;
  assign {pos_last_o, pos_o} = positions[pos_read_q[PositionsLog2-1:0]];
  assign step        = run_q && !full_q;

  always_ff @(posedge clk_i) begin
    if (push_mask) masks[mask_write_q[MasksLog2-1:0]] <= {open_skip_q, open_mask_q};
    if (push_pos)  positions[pos_write_q[PositionsLog2-1:0]] <= {new_q, open_last_q};
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      mask_write_q <= '0;
      mask_read_q  <= '0;
      pos_write_q  <= '0;
      pos_read_q   <= '0;
      full_q       <= 1'b0;
      ready_o      <= 1'b0;
    end else if (start_q) begin
      mask_write_q <= '0;
      mask_read_q  <= '0;
      pos_write_q  <= '0;
      pos_read_q   <= '0;
      full_q       <= 1'b0;
    end else begin
      if (push_mask) mask_write_q <= mask_write_q + (MasksLog2+1)'(1);
      if (push_pos)  pos_write_q  <= pos_write_q + (PositionsLog2+1)'(1);
      if (fetch)     mask_read_q  <= mask_read_q + (MasksLog2+1)'(1);
      if (pos_pop_i && pos_valid_o) pos_read_q <= pos_read_q + (PositionsLog2+1)'(1);
      // Seen a clock late: room for two more.
      full_q <= mask_level >= (MasksLog2+1)'(2**MasksLog2 - 2) ||
                pos_level >= (PositionsLog2+1)'(2**PositionsLog2 - 2);
      ready_o <= run_q && !load_i && (ready_o || full_q);
    end
  end

  // ---- The next block with errors, and the good ones before it ----
  logic             next_valid_q, due_q;
  logic [SkipW-1:0] left_q, head_skip;
  logic [511:0]     next_mask_q, head_mask;
  logic             pass;

  assign {head_skip, head_mask} = fetch ? masks[mask_read_q[MasksLog2-1:0]] : 'x;
  assign pass  = take_i && ready_o && next_valid_q;
  assign hit_o = ready_o && next_valid_q && due_q;
  assign fetch = run_q && mask_waits && (!next_valid_q || (pass && due_q));

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      late_o       <= 1'b0;
    end else begin
      late_o <= take_i && ready_o && !next_valid_q;
      if (load_i || !run_q)   next_valid_q <= 1'b0;
      else if (fetch)         next_valid_q <= 1'b1;
      else if (pass && due_q) next_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (fetch) begin
      left_q      <= head_skip;
      due_q       <= head_skip == '0;
      next_mask_q <= head_mask;
    end else if (pass && !due_q) begin
      left_q <= left_q - SkipW'(1);
      due_q  <= left_q == SkipW'(1);
    end
  end

  assign mask_o = next_mask_q;

  `PLUMB_ASSERT(MasksFit, push_mask |-> !mask_level[MasksLog2])
  `PLUMB_ASSERT(PositionsFit, push_pos |-> !pos_level[PositionsLog2])
  `PLUMB_ASSERT(PositionsThere, pos_pop_i |-> pos_valid_o)

endmodule
