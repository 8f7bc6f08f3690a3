/*
 * A larger LSTM whose workgroups run on POSIX threads, and the same again on one thread.
 *
 * rnn-compiler compile BlockLSTMV2 --format c -o large --name large --target cpu:generic \
 *     --dim seq_length=50,batch_size=32,input_size=256,num_units=256 --attr use_peephole=false
 * cc -O2 -pthread -Ilarge threads.c large/large.c large/large.o -o threads
 *
 * Threads are made once. Each dispatch is handed to all of them: they take workgroups by counting,
 * and the caller takes part. Whoever does what, the numbers are the same to the bit.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "large.h"

enum { T = 50, B = 32, I = 256, H = 256, THREADS = 2 };

/* What the threads are working on; a new number of the turn tells them that there is more. */
struct pool {
    pthread_mutex_t mutex;
    pthread_cond_t more, done;
    pthread_t threads[THREADS - 1];
    int (*work)(void *job, size_t k);
    void *job;
    size_t count;
    atomic_size_t next;
    atomic_int failed;
    unsigned turn, busy;
    int ending;
};

static void take_workgroups(struct pool *pool)
{
    for (size_t k; (k = atomic_fetch_add(&pool->next, 1)) < pool->count;)
        if (pool->work(pool->job, k))
            atomic_store(&pool->failed, 1);
}

static void *help(void *data)
{
    struct pool *pool = data;
    unsigned turn = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (pool->turn == turn && !pool->ending)
            pthread_cond_wait(&pool->more, &pool->mutex);
        if (pool->ending)
            break;
        turn = pool->turn;
        pthread_mutex_unlock(&pool->mutex);
        take_workgroups(pool);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* What block_lstm_v2_parallel calls for each dispatch. */
static int run(void *context, size_t count, int (*work)(void *job, size_t k), void *job)
{
    struct pool *pool = context;
    if (count == 1)
        return work(job, 0);
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->job = job;
    pool->count = count;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->failed, 0);
    pool->busy = THREADS - 1;
    pool->turn++;
    pthread_cond_broadcast(&pool->more);
    pthread_mutex_unlock(&pool->mutex);
    take_workgroups(pool);
    pthread_mutex_lock(&pool->mutex);
    while (pool->busy)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    return atomic_load(&pool->failed);
}

/* Memory for n floats, random from -scale to scale. */
static float *floats(size_t n, float scale)
{
    size_t size = (n * sizeof(float) + LARGE_ALIGNMENT - 1) / LARGE_ALIGNMENT * LARGE_ALIGNMENT;
    float *made = aligned_alloc(LARGE_ALIGNMENT, size);
    if (!made)
        exit(1);
    for (size_t k = 0; k < n; k++)
        made[k] = scale * (2 * (float)rand() / (float)RAND_MAX - 1);
    return made;
}

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(void)
{
    static struct pool pool;
    size_t state = (size_t)B * H, sequence = T * state;
    float *peephole = floats(H, 0);
    const struct block_lstm_v2_arguments arguments = {
        .seq_len_max = T,
        .x = floats((size_t)T * B * I, 1),
        .cs_prev = floats(state, 1),
        .h_prev = floats(state, 1),
        .w = floats((size_t)(I + H) * 4 * H, 0.1f),
        .wci = peephole,
        .wcf = peephole,
        .wco = peephole,
        .b = floats((size_t)4 * H, 0),
    };
    struct block_lstm_v2_results results = {
        .i = floats(sequence, 0),
        .cs = floats(sequence, 0),
        .f = floats(sequence, 0),
        .o = floats(sequence, 0),
        .ci = floats(sequence, 0),
        .co = floats(sequence, 0),
        .h = floats(sequence, 0),
    };
    void *scratch = aligned_alloc(LARGE_ALIGNMENT, BLOCK_LSTM_V2_SCRATCH_SIZE);
    float *alone = results.h, *together = floats(sequence, 0);
    if (!scratch)
        return 1;
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.more, NULL);
    pthread_cond_init(&pool.done, NULL);
    for (int k = 0; k < THREADS - 1; k++)
        if (pthread_create(&pool.threads[k], NULL, help, &pool))
            return 1;

    for (int threads = 1; threads <= THREADS; threads += THREADS - 1) {
        double best = 1e9;
        results.h = threads == 1 ? alone : together;
        for (int call = 0; call < 5; call++) {
            double start = milliseconds();
            int code = threads == 1
                           ? block_lstm_v2(&arguments, &results, scratch)
                           : block_lstm_v2_parallel(&arguments, &results, scratch, run, &pool);
            double taken = milliseconds() - start;
            if (code) {
                fprintf(stderr, "%s\n", large_error(code));
                return 1;
            }
            best = taken < best ? taken : best;
        }
        printf("%d thread%s: %.1f ms\n", threads, threads > 1 ? "s" : "", best);
    }
    puts(memcmp(alone, together, sequence * sizeof(float)) ? "DIFFERENT" : "the same bits");

    pthread_mutex_lock(&pool.mutex);
    pool.ending = 1;
    pthread_cond_broadcast(&pool.more);
    pthread_mutex_unlock(&pool.mutex);
    for (int k = 0; k < THREADS - 1; k++)
        pthread_join(pool.threads[k], NULL);
    return 0;
}
