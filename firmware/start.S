# Start of the image: the jump before its header (main.cc), start-up, and the way into the trap
# handler.

        .section .header, "ax"
        .globl  _start
        .option push
        .option norelax
_start: j       boot
        .option pop

        .text
boot:
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        la      sp, _stack_top
        la      t0, trap_entry
        csrw    mtvec, t0
        la      t0, _bss_start
        la      t1, _bss_end
1:      bgeu    t0, t1, 2f
        sw      zero, 0(t0)
        addi    t0, t0, 4
        j       1b
2:      call    firmwareMain
3:      wfi
        j       3b

# uint32_t firmwareTrap(cause, address, value): where to go on.
        .balign 4
trap_entry:
        addi    sp, sp, -64
        sw      ra, 0(sp)
        sw      t0, 4(sp)
        sw      t1, 8(sp)
        sw      t2, 12(sp)
        sw      a0, 16(sp)
        sw      a1, 20(sp)
        sw      a2, 24(sp)
        sw      a3, 28(sp)
        sw      a4, 32(sp)
        sw      a5, 36(sp)
        sw      a6, 40(sp)
        sw      a7, 44(sp)
        sw      t3, 48(sp)
        sw      t4, 52(sp)
        sw      t5, 56(sp)
        sw      t6, 60(sp)
        csrr    a0, mcause
        csrr    a1, mepc
        csrr    a2, mtval
        call    firmwareTrap
        csrw    mepc, a0
        lw      ra, 0(sp)
        lw      t0, 4(sp)
        lw      t1, 8(sp)
        lw      t2, 12(sp)
        lw      a0, 16(sp)
        lw      a1, 20(sp)
        lw      a2, 24(sp)
        lw      a3, 28(sp)
        lw      a4, 32(sp)
        lw      a5, 36(sp)
        lw      a6, 40(sp)
        lw      a7, 44(sp)
        lw      t3, 48(sp)
        lw      t4, 52(sp)
        lw      t5, 56(sp)
        lw      t6, 60(sp)
        addi    sp, sp, 64
        mret
