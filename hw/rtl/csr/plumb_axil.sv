// AXI4-Lite slave, 32 bit data and 16 bit address, in front of the register bus of the card.
//
// One access at a time; a read and a write that wait together take turns. All outputs are
// registers.
//
//   reg_wen_o / reg_ren_o   one pulse of one clock per access, reg_addr_o and reg_wdata_o valid
//                           with it and until the answer
//   reg_ack_i               pulse that ends the access, reg_rdata_i valid with it
//
// Latency: the pulse leaves two clocks after the address (and data) handshake, the response comes
// one clock after reg_ack_i. With a bus that answers at once an access takes five clocks. Answered
// with SLVERR and not passed on: an address that is not a multiple of four, and a write without all
// four byte strobes. An access that is not acknowledged within 4095 clocks is also answered with
// SLVERR, so that a fault inside the card cannot hang the host.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_axil (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // From the host: AXI4-Lite
  input  wire logic [15:0] s_axil_awaddr_i,   // offset in bytes
  input  wire logic        s_axil_awvalid_i,  // write address is there
  output      logic        s_axil_awready_o,  // write address is taken
  input  wire logic [31:0] s_axil_wdata_i,    // word to be written
  input  wire logic [3:0]  s_axil_wstrb_i,    // one bit per byte; all of them are needed
  input  wire logic        s_axil_wvalid_i,   // word is there
  output      logic        s_axil_wready_o,   // word is taken
  output      logic [1:0]  s_axil_bresp_o,    // 0: done, 2: refused (SLVERR)
  output      logic        s_axil_bvalid_o,   // answer to a write is there
  input  wire logic        s_axil_bready_i,   // answer is taken
  input  wire logic [15:0] s_axil_araddr_i,   // offset in bytes
  input  wire logic        s_axil_arvalid_i,  // read address is there
  output      logic        s_axil_arready_o,  // read address is taken
  output      logic [31:0] s_axil_rdata_o,    // word that was read
  output      logic [1:0]  s_axil_rresp_o,    // 0: done, 2: refused (SLVERR)
  output      logic        s_axil_rvalid_o,   // answer to a read is there
  input  wire logic        s_axil_rready_i,   // answer is taken

  // To the register bus: one access at a time
  output      logic [15:2] reg_addr_o,        // word address
  output      logic        reg_wen_o,         // pulse: write
  output      logic        reg_ren_o,         // pulse: read
  output      logic [31:0] reg_wdata_o,       // word to be written
  input  wire logic        reg_ack_i,         // pulse: the access has ended
  input  wire logic [31:0] reg_rdata_i        // word that was read
);

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;
  localparam logic [11:0] LastClock = 12'd4095;

  typedef enum logic [1:0] {
    StIdle,
    StAccess,
    StReply
  } state_e;
  state_e state_q;

  // What has been accepted and not answered yet. A channel's ready is exactly "nothing held".
  logic [15:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic        wstrb_ok_q;
  logic        is_write_q;
  logic [11:0] clocks_q;

  logic have_write, have_read, take_write, take_read;
  assign have_write = !s_axil_awready_o && !s_axil_wready_o;
  assign have_read = !s_axil_arready_o;
  // Neither kind can starve the other: when an access has been answered its channel is empty for a
  // clock, so that one of the other kind that waits goes first.
  assign take_write = have_write;
  assign take_read = have_read && !have_write;

  logic write_ok, read_ok;
  assign write_ok = awaddr_q[1:0] == 2'b00 && wstrb_ok_q;
  assign read_ok = araddr_q[1:0] == 2'b00;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      s_axil_awready_o <= 1'b1;
      s_axil_wready_o <= 1'b1;
      s_axil_arready_o <= 1'b1;
      s_axil_bvalid_o <= 1'b0;
      s_axil_bresp_o <= RespOkay;
      s_axil_rvalid_o <= 1'b0;
      s_axil_rresp_o <= RespOkay;
      s_axil_rdata_o <= '0;
      awaddr_q <= '0;
      araddr_q <= '0;
      wdata_q <= '0;
      wstrb_ok_q <= 1'b0;
      is_write_q <= 1'b0;
      clocks_q <= '0;
      reg_addr_o <= '0;
      reg_wdata_o <= '0;
      reg_wen_o <= 1'b0;
      reg_ren_o <= 1'b0;
    end else begin
      reg_wen_o <= 1'b0;
      reg_ren_o <= 1'b0;

      // What reads a register stands before what writes it: then a simulation needs no copy of it.
      unique case (state_q)
        StReply: begin
          if (s_axil_bvalid_o && s_axil_bready_i) begin
            s_axil_bvalid_o <= 1'b0;
            s_axil_awready_o <= 1'b1;
            s_axil_wready_o <= 1'b1;
            state_q <= StIdle;
          end
          if (s_axil_rvalid_o && s_axil_rready_i) begin
            s_axil_rvalid_o <= 1'b0;
            s_axil_arready_o <= 1'b1;
            state_q <= StIdle;
          end
        end

        StAccess: begin
          clocks_q <= clocks_q + 12'd1;
          if (reg_ack_i || clocks_q == LastClock) begin
            s_axil_bvalid_o <= is_write_q;
            s_axil_rvalid_o <= !is_write_q;
            s_axil_bresp_o <= reg_ack_i ? RespOkay : RespSlvErr;
            s_axil_rresp_o <= reg_ack_i ? RespOkay : RespSlvErr;
            s_axil_rdata_o <= reg_ack_i ? reg_rdata_i : '0;
            state_q <= StReply;
          end
        end

        StIdle: begin
          clocks_q <= '0;
          if (take_write) begin
            is_write_q <= 1'b1;
            reg_addr_o <= awaddr_q[15:2];
            reg_wdata_o <= wdata_q;
            reg_wen_o <= write_ok;
            s_axil_bvalid_o <= !write_ok;
            s_axil_bresp_o <= RespSlvErr;
            state_q <= write_ok ? StAccess : StReply;
          end else if (take_read) begin
            is_write_q <= 1'b0;
            reg_addr_o <= araddr_q[15:2];
            reg_ren_o <= read_ok;
            s_axil_rvalid_o <= !read_ok;
            s_axil_rresp_o <= RespSlvErr;
            s_axil_rdata_o <= '0;
            state_q <= read_ok ? StAccess : StReply;
          end
        end

        default: state_q <= StIdle;
      endcase

      if (s_axil_awvalid_i && s_axil_awready_o) begin
        s_axil_awready_o <= 1'b0;
        awaddr_q <= s_axil_awaddr_i;
      end
      if (s_axil_wvalid_i && s_axil_wready_o) begin
        s_axil_wready_o <= 1'b0;
        wdata_q <= s_axil_wdata_i;
        wstrb_ok_q <= s_axil_wstrb_i == 4'b1111;
      end
      if (s_axil_arvalid_i && s_axil_arready_o) begin
        s_axil_arready_o <= 1'b0;
        araddr_q <= s_axil_araddr_i;
      end
    end
  end

  `PLUMB_ASSERT(OneAccess, !(reg_wen_o && reg_ren_o))
  `PLUMB_ASSERT(OneReply, !(s_axil_bvalid_o && s_axil_rvalid_o))
  `PLUMB_ASSERT(ReadReplyHeld, s_axil_rvalid_o && !s_axil_rready_i |=> s_axil_rvalid_o &&
                $stable(s_axil_rdata_o) && $stable(s_axil_rresp_o))
  `PLUMB_ASSERT(WriteReplyHeld, s_axil_bvalid_o && !s_axil_bready_i |=> s_axil_bvalid_o &&
                $stable(s_axil_bresp_o))

endmodule
