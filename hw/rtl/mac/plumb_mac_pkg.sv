// What a 100G MAC (LogiCORE cmac_usplus, PG203) says and is told, by the names of its pins without
// stat_rx_ or ctl_. All of it is on the MAC's clock but for what says otherwise.
package plumb_mac_pkg;

  typedef struct packed {
    logic [3:0]  power_good;          // no clock
    logic        tx_reset;            // usr_tx_reset
    logic        rx_reset;            // usr_rx_reset
    logic        aligned;
    logic        rx_status;           // stat_rx_status
    logic [19:0] synced;
    logic [19:0] block_lock;
    logic        hi_ber;
    logic        local_fault;
    logic        internal_local_fault;
    logic        received_local_fault;
    logic        remote_fault;
    logic        tx_local_fault;      // stat_tx_local_fault
    logic        tx_underflow;        // tx_unfout
    logic        tx_overflow;         // tx_ovfout
    logic        rx_fifo_overflow;    // of plumb_mac_cross
    logic [2:0]  bad_code;
    logic [19:0] bip_err;
    logic [3:0]  rsfec_am_lock;
    logic        rsfec_cw;            // stat_rx_rsfec_cw_inc, and so on
    logic        rsfec_corrected;
    logic        rsfec_uncorrected;
    logic [11:0] rsfec_err_count;     // lane n in bits 3n+2 : 3n
    logic        rsfec_hi_ser;
    logic        rsfec_aligned;       // stat_rx_rsfec_lane_alignment_status
    logic [7:0]  rsfec_mapping;       // stat_rx_rsfec_lane_mapping
  } status_t;
  localparam int unsigned StatusW = 109;

  typedef struct packed {
    logic        tx_enable;
    logic        tx_send_rfi;
    logic        tx_send_lfi;
    logic        tx_send_idle;
    logic        rx_enable;
    logic        rx_force_resync;
    logic        tx_rsfec_enable;     // those from here on without a clock
    logic        rx_rsfec_enable;
    logic        rsfec_correction;
    logic        rsfec_indication;
    logic        loopback;            // of the transceivers
    logic        sys_reset;
    logic        core_tx_reset;
    logic        core_rx_reset;
    logic        gt_tx_reset;
    logic        gt_rx_reset;
  } control_t;

  // What MAC_CONTROL says, towards the MAC's clock.
  typedef struct packed {
    logic        tx_enable;
    logic        rx_enable;
    logic        follow;
    logic        send_rfi;
    logic        send_lfi;
    logic        send_idle;
    logic        force_resync;
  } wish_t;
  localparam int unsigned WishW = 7;

  // Counters as plumb_mac_counters has them: those of 48 bits, then those of 32.
  localparam int unsigned Wide = 3;       // codewords, corrected, uncorrected
  localparam int unsigned Narrow = 32;
  localparam int unsigned SymbolErrors = 0;     // 4 lanes
  localparam int unsigned BipErrors = 4;        // 20 lanes
  localparam int unsigned BadCodes = 24;
  localparam int unsigned AlignmentLosses = 25;
  localparam int unsigned HiBerEvents = 26;
  localparam int unsigned LocalFaults = 27;
  localparam int unsigned RemoteFaults = 28;
  localparam int unsigned TxUnderflows = 29;
  localparam int unsigned TxOverflows = 30;
  localparam int unsigned RxFifoOverflows = 31;

endpackage
