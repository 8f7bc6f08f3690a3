/*
 * Runs the machine code of `runtime.direct.stepping` on the processor that this is compiled for:
 * lists of calls on three threads, which move numbers in turns, and of which one may fail.
 * CODE_H defines the bytes, CODE, and the functions' offsets: RUN, SERVE and MEET.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include CODE_H

enum { THREADS = 3, ROUNDS = 200, TURNS = 7, SIZE = 4096 };

struct call {
    void *function, *a, *b, *c;
    uint64_t mask;
};

static const unsigned char bytes[] = {CODE};
static struct call lists[THREADS][2 * TURNS + 2], served[THREADS][4];
static uint64_t counter;
static int32_t failed;
static sem_t semaphores[THREADS];
static unsigned char numbers[2][THREADS][SIZE];

static int number(void *result) { return (int)(intptr_t)result; }

int main(void)
{
    unsigned char *code = mmap(NULL, sizeof bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(code, bytes, sizeof bytes);
    __builtin___clear_cache((char *)code, (char *)code + sizeof bytes);
    if (mprotect(code, sizeof bytes, PROT_READ | PROT_EXEC))
        return 2;
    int (*run)(const struct call *) = (int (*)(const struct call *))(code + RUN);
    for (int k = 0; k < THREADS; k++) {
        for (int turn = 0; turn < TURNS; turn++) {
            lists[k][2 * turn] = (struct call){
                memmove, numbers[(turn + 1) % 2][k], numbers[turn % 2][(k + 1) % THREADS],
                (void *)SIZE, 0};
            lists[k][2 * turn + 1] = (struct call){
                code + MEET, &counter, sched_yield, (void *)(uintptr_t)(THREADS * (turn + 1)), 0};
        }
        lists[k][2 * TURNS] = (struct call){number, 0, 0, 0, 0xf0};
        lists[k][2 * TURNS + 1] = (struct call){0, &failed, 0, 0, 0};
        served[k][0] = (struct call){sem_wait, &semaphores[k], 0, 0, 0};
        served[k][1] = (struct call){code + RUN, lists[k], 0, 0, 0};
        served[k][2] = (struct call){code + MEET, &counter, sched_yield, 0, 0};
        pthread_t thread;
        sem_init(&semaphores[k], 0, 0);
        if (k && pthread_create(&thread, NULL, (void *(*)(void *))(code + SERVE), served[k]))
            return 3;
    }
    const struct call last[2] = {
        {code + MEET, &counter, sched_yield, (void *)(uintptr_t)(THREADS * (TURNS + 1)), 0}};
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < THREADS; k++) {
            memset(numbers[0][k], round + k, SIZE);
            /* 15 fails in none of the bits that count, 16 in one */
            lists[k][2 * TURNS].a = (void *)(intptr_t)(15 + (round % (THREADS + 1) == k));
        }
        counter = failed = 0;
        for (int k = 1; k < THREADS; k++)
            sem_post(&semaphores[k]);
        int result = run(lists[0]);
        run(last);
        int expected = round % (THREADS + 1) == THREADS ? 0 : 16;
        if (failed != expected || result != (round % (THREADS + 1) ? 0 : 16))
            return printf("round %d: %d, %d\n", round, failed, result), 1;
        for (int k = 0; k < THREADS; k++)
            for (int at = 0; at < SIZE; at++)
                if (numbers[TURNS % 2][k][at] != (unsigned char)(round + (k + TURNS) % THREADS))
                    return printf("round %d, thread %d\n", round, k), 1;
    }
    puts("right");
    return 0;
}
