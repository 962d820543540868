// For capture_writer_test: the capture writer of a card of two ports behind the taps that feed it,
// each with a source that is never held up. Stream 2p is port p's received frames, 2p + 1 its sent
// ones.
module tapped_writer (
  input  wire logic              clk_i,
  input  wire logic              rst_ni,

  input  wire logic              enable_i,
  input  wire logic [51:0]       address_i,
  input  wire logic [18:0]       size_i,
  output      logic              started_o,
  input  wire logic              read_valid_i,
  input  wire logic [25:0]       read_i,
  output      logic [57:0]       written_o,
  output      logic              write_error_o,
  output      logic              mismatch_o,

  input  wire logic [3:0]        beat_i,
  input  wire logic [4*512-1:0]  tdata_i,
  input  wire logic [4*64-1:0]   tkeep_i,
  input  wire logic [3:0]        tlast_i,
  input  wire logic [3:0]        desc_valid_i,
  input  wire logic [4*64-1:0]   desc_timestamp_i,
  input  wire logic [4*16-1:0]   desc_length_i,
  input  wire logic [4*3-1:0]    desc_flags_i,   // FCS right, ICRC checked, ICRC right
  output      logic [3:0]        dropped_o,
  output      logic [1:0]        ready_o,

  output      logic [63:0]       m_axi_awaddr_o,
  output      logic [7:0]        m_axi_awlen_o,
  output      logic              m_axi_awvalid_o,
  input  wire logic              m_axi_awready_i,
  output      logic [511:0]      m_axi_wdata_o,
  output      logic              m_axi_wlast_o,
  output      logic              m_axi_wvalid_o,
  input  wire logic              m_axi_wready_i,
  input  wire logic [1:0]        m_axi_bresp_i,
  input  wire logic              m_axi_bvalid_i,
  output      logic              m_axi_bready_o
);

  logic [2*512-1:0] cap_data [0:1];
  logic [2*64-1:0]  cap_keep [0:1];
  logic [1:0]       cap_valid [0:1], cap_last [0:1], cap_desc_valid [0:1];
  logic [2*96-1:0]  cap_desc [0:1];

  for (genvar s = 0; s < 4; s++) begin : gen_tap
    localparam int unsigned Port = s / 2;
    localparam int unsigned Direction = s % 2;

    plumb_capture_tap #(
      .Sent(Direction == 1)
    ) u_tap (
      .clk_i              (clk_i),
      .rst_ni             (rst_ni),
      .enable_i           (1'b1),
      .beat_i             (beat_i[s]),
      .tdata_i            (tdata_i[512*s+:512]),
      .tkeep_i            (tkeep_i[64*s+:64]),
      .tlast_i            (tlast_i[s]),
      .desc_valid_i       (desc_valid_i[s]),
      .desc_timestamp_i   (desc_timestamp_i[64*s+:64]),
      .desc_length_i      (desc_length_i[16*s+:16]),
      .desc_fcs_ok_i      (desc_flags_i[3*s]),
      .desc_icrc_checked_i(desc_flags_i[3*s+1]),
      .desc_icrc_ok_i     (desc_flags_i[3*s+2]),
      .cap_tdata_o        (cap_data[Direction][512*Port+:512]),
      .cap_tkeep_o        (cap_keep[Direction][64*Port+:64]),
      .cap_tvalid_o       (cap_valid[Direction][Port]),
      .cap_tlast_o        (cap_last[Direction][Port]),
      .cap_ready_i        (ready_o[Port]),
      .cap_desc_valid_o   (cap_desc_valid[Direction][Port]),
      .cap_desc_o         (cap_desc[Direction][96*Port+:96]),
      .dropped_o          (dropped_o[s])
    );
  end

  plumb_capture_writer #(
    .Ports(2)
  ) u_writer (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .enable_i           (enable_i),
    .address_i          (address_i),
    .size_i             (size_i),
    .started_o          (started_o),
    .read_valid_i       (read_valid_i),
    .read_i             (read_i),
    .written_o          (written_o),
    .write_error_o      (write_error_o),
    .mismatch_o         (mismatch_o),
    .cap_rx_tdata_i     (cap_data[0]),
    .cap_rx_tkeep_i     (cap_keep[0]),
    .cap_rx_tvalid_i    (cap_valid[0]),
    .cap_rx_tlast_i     (cap_last[0]),
    .cap_rx_desc_valid_i(cap_desc_valid[0]),
    .cap_rx_desc_i      (cap_desc[0]),
    .cap_tx_tdata_i     (cap_data[1]),
    .cap_tx_tkeep_i     (cap_keep[1]),
    .cap_tx_tvalid_i    (cap_valid[1]),
    .cap_tx_tlast_i     (cap_last[1]),
    .cap_tx_desc_valid_i(cap_desc_valid[1]),
    .cap_tx_desc_i      (cap_desc[1]),
    .cap_ready_o        (ready_o),
    .m_axi_awaddr_o     (m_axi_awaddr_o),
    .m_axi_awlen_o      (m_axi_awlen_o),
    .m_axi_awvalid_o    (m_axi_awvalid_o),
    .m_axi_awready_i    (m_axi_awready_i),
    .m_axi_wdata_o      (m_axi_wdata_o),
    .m_axi_wlast_o      (m_axi_wlast_o),
    .m_axi_wvalid_o     (m_axi_wvalid_o),
    .m_axi_wready_i     (m_axi_wready_i),
    .m_axi_bresp_i      (m_axi_bresp_i),
    .m_axi_bvalid_i     (m_axi_bvalid_i),
    .m_axi_bready_o     (m_axi_bready_o)
  );

endmodule
