/*
 * Times a training step in C: the least and the median of some seconds of steps, in microseconds.
 *
 *     ./steps THREADS SECONDS
 *
 * Functions take pointers to arrays in the order of the manifest. With two threads, another one waits
 * for work in a loop.
 */
#include "step.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* BATCH, RESULTS and FILL are defined in batch.h. */
#include "batch.h"

alignas(STEP_ALIGNMENT) static unsigned char scratch[STEP_SCRATCH_SIZE];
static struct step_state state;

static struct {
    int (*work)(void *, size_t);
    void *job;
    size_t count;
    atomic_size_t next;
    atomic_int failed, turn, idle;
} shared;

/* Waits until a number is another one, and leaves the processor to others if that takes long. */
static void wait_while(atomic_int *number, int value)
{
    for (int k = 0; atomic_load(number) == value; k++)
        if (k > 1000)
            sched_yield();
}

static void take(void)
{
    for (size_t k; (k = atomic_fetch_add(&shared.next, 1)) < shared.count;)
        if (shared.work(shared.job, k))
            atomic_store(&shared.failed, 1);
}

static void *helper(void *unused)
{
    for (int seen = 0;;) {
        wait_while(&shared.turn, seen);
        seen = atomic_load(&shared.turn);
        take();
        atomic_store(&shared.idle, seen);
    }
    return unused;
}

static int both(void *context, size_t count, int (*work)(void *job, size_t k), void *job)
{
    (void)context;
    if (count == 1)
        return work(job, 0);
    shared.work = work;
    shared.job = job;
    shared.count = count;
    atomic_store(&shared.next, 0);
    int turn = atomic_fetch_add(&shared.turn, 1) + 1;
    take();
    wait_while(&shared.idle, turn - 1);
    return atomic_load(&shared.failed);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    double *taken = malloc(MOST * sizeof *taken), losses[4] = {0};
    pthread_t thread;
    size_t n = 0;
    if (!taken || FILL())
        return 1;
    if (threads > 1 && pthread_create(&thread, NULL, helper, NULL))
        return 1;
    step_initial_state(&state);
    for (double begin = now(); n < MOST && (n < 4 || now() - begin < seconds * 1e6); n++) {
        double start = now();
        int code = step_parallel(&BATCH, &RESULTS, &state, scratch, threads > 1 ? both : NULL, NULL);
        taken[n] = now() - start;
        if (code) {
            puts(step_error(code));
            return 1;
        }
        if (n < 4)
            losses[n] = LOSS;
    }
    qsort(taken, n, sizeof *taken, order);
    printf("%g %g %g %g %g %g\n", taken[0], taken[n / 2], losses[0], losses[1], losses[2], losses[3]);
    return 0;
}
