/* Blinks an LED of Arm's MPS2 AN386 board with the state of a GRU. */
#include <stdalign.h>
#include <stdint.h>

#include "gru.h"

#define LEDS (*(volatile uint32_t *)0x40028000)  /* FPGAIO: a bit for each LED */
#define CPACR (*(volatile uint32_t *)0xE000ED88) /* access to coprocessors */

enum { STEPS = 48 };

extern uint32_t __bss_start__, __bss_end__, __stack;
void reset(void);

static alignas(GRU_ALIGNMENT) unsigned char scratch[GRU_BLOCK_CELL_SCRATCH_SIZE + 1];
static alignas(GRU_ALIGNMENT) float x[1];
static alignas(GRU_ALIGNMENT) float state[2][GRU_ALIGNMENT / sizeof(float)]; /* two numbers, aligned */

/* A pause that one sees; on a real board, sleep until a timer's interrupt. */
static void wait(void)
{
    for (volatile uint32_t n = 0; n < 20000; n++)
        ;
}

/* Ends the emulator by semihosting: SYS_EXIT. A real board would go on for ever. */
static void end(int failed)
{
    register int operation __asm__("r0") = 0x18;
    register int reason __asm__("r1") = failed ? 0x20023 : 0x20026;
    __asm__ volatile("bkpt 0xAB" : : "r"(operation), "r"(reason) : "memory");
}

/* Not inlined into reset: a function that computes with floats saves registers of the
   floating-point unit when it begins, and before reset has enabled the unit, that is a fault. */
__attribute__((noinline)) static void blink(void)
{
    struct gru_block_cell_arguments arguments = {.x = x};
    struct gru_block_cell_results results = {0};
    state[0][0] = 0.5f;
    for (int step = 0; step < STEPS; step++) {
        arguments.h_prev = state[step % 2];
        results.h = state[(step + 1) % 2];
        if (gru_block_cell(&arguments, &results, scratch) != 0)
            end(1);
        LEDS = state[(step + 1) % 2][0] > 0;
        wait();
    }
}

void reset(void)
{
    CPACR |= 0xFu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n\tisb");
    for (uint32_t *word = &__bss_start__; word < &__bss_end__; word++)
        *word = 0;
    blink();
    end(0);
    for (;;)
        ;
}

static void fault(void)
{
    end(1);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &__stack, reset, fault, fault, fault, fault, fault,
};
