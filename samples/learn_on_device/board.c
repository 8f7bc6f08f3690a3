/* Starts a Cortex-M without a system, and measures what it takes. */
#include "board.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CPACR (*(volatile uint32_t *)0xE000ED88)   /* access to coprocessors */
#define SYSTICK ((volatile uint32_t *)0xE000E010) /* the processor's timer */

extern unsigned char __data_start__[], __data_end__[], __data_load__[], __bss_start__[], __bss_end__[];
extern unsigned char __stack[], __stack_end__[], __flash_end__[];
extern void initialise_monitor_handles(void); /* of semihosting: files and output of the host */
extern int main(void);
void reset(void);

enum { PAINT = 0xA5, NANOSECONDS = 40 };

/* Not inlined into reset, which may hold no floats before it has enabled their unit. */
__attribute__((noinline)) static void start(void)
{
    memcpy(__data_start__, __data_load__, (size_t)(__data_end__ - __data_start__));
    memset(__bss_start__, 0, (size_t)(__bss_end__ - __bss_start__));
    memset(__stack_end__, PAINT, (size_t)((unsigned char *)__builtin_frame_address(0) - 64 - __stack_end__));
    SYSTICK[1] = 0xFFFFFF; /* begins again there */
    SYSTICK[0] = 5;        /* counts the processor's clock */
    initialise_monitor_handles();
    exit(main());
}

void reset(void)
{
    CPACR |= 0xFu << 20; /* the floating-point unit */
    __asm__ volatile("dsb\n\tisb");
    start();
}

static void fault(void)
{
    _Exit(99);
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    __stack, reset, fault, fault, fault, fault, fault,
};

size_t flash_used(void)
{
    return (uintptr_t)__flash_end__;
}

size_t stack_used(void)
{
    const unsigned char *at = __stack_end__;
    while (at < __stack && *at == PAINT)
        at++;
    return (size_t)(__stack - at);
}

unsigned ticks(void)
{
    return 0xFFFFFF - SYSTICK[2];
}

/* QEMU's clock counts instructions as nanoseconds, and the board's timer 25 million a second. */
unsigned instructions_since(unsigned start)
{
    return ((ticks() - start) & 0xFFFFFF) * NANOSECONDS;
}

/* Of newlib, when a program ends. */
void _init(void) {}
void _fini(void) {}
