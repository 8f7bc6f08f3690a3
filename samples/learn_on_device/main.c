/* A band on a wrist that learns how its owner moves, and remembers it.

   Each time it starts is a day: it reads what it learned before, says how many of its owner's gestures it knows,
   learns from four new traces beside those of the days before, and writes what it learned. */
#include <stdio.h>

#include "board.h"
#include "learner.h"

enum { TRACES_A_DAY = 4, DAYS = 3, STEPS_A_DAY = 80, TESTS = 100, GESTURES = 4 };

/* A trace of the accelerometer. The files hold the same bytes. */
struct trace {
    alignas(LEARNER_ALIGNMENT) float x[32 * 3];
    alignas(LEARNER_ALIGNMENT) int32_t label[4]; /* which gesture it is, and what aligns the next trace */
};

static struct trace learned[DAYS * TRACES_A_DAY], seen;
static struct learner_state state;

/* For calls, and between them for what is read and written. */
static union {
    alignas(LEARNER_ALIGNMENT) unsigned char scratch[TRAIN_SCRATCH_SIZE];
    unsigned char block[LEARNER_STATE_BLOCK_SIZE];
} memory;

/* Two places that are written in turn: if power fails while one is written, the other is whole. */
static const char *const banks[2] = {"a.bank", "b.bank"};

enum { NO_BANK = -1, CUT_SHORT = -2 };

/* Reads the states from a bank. Returns 0, or one of these codes or learner.h's, and leaves the states. */
static int read_bank(int bank)
{
    FILE *file = fopen(banks[bank], "rb");
    if (!file)
        return NO_BANK;
    size_t size = fread(memory.block, 1, sizeof memory.block, file);
    fclose(file);
    return size == sizeof memory.block ? learner_state_from_block(&state, memory.block) : CUT_SHORT;
}

/* Reads the newer bank of those that are whole: the one with more steps. Returns which, or -1 if none is. */
static int read_newer_bank(void)
{
    int newer = -1, most = -1;
    for (int bank = 0; bank < 2; bank++) {
        int code = read_bank(bank);
        if (code && code != NO_BANK)
            printf("%s: %s\n", banks[bank], code == CUT_SHORT ? "cut short" : learner_error(code));
        if (!code && state.count > most) {
            most = state.count;
            newer = bank;
        }
    }
    if (newer >= 0)
        read_bank(newer);
    else
        learner_initial_state(&state);
    return newer;
}

static int write_bank(int bank)
{
    FILE *file = fopen(banks[bank], "wb");
    if (!file)
        return -1;
    learner_state_to_block(&state, memory.block);
    size_t size = fwrite(memory.block, 1, sizeof memory.block, file);
    return fclose(file) || size != sizeof memory.block ? -1 : 0;
}

/* How many gestures of a file with TESTS traces the network knows; -1 if something fails. */
static int known(const char *name)
{
    alignas(LEARNER_ALIGNMENT) static float probabilities[GESTURES];
    const struct infer_arguments arguments = {.x = seen.x};
    const struct infer_results results = {.probabilities = probabilities};
    int right = 0, count = 0;
    FILE *file = fopen(name, "rb");
    if (!file)
        return -1;
    for (; count < TESTS && fread(&seen, sizeof seen, 1, file) == 1; count++) {
        int guess = 0;
        if (infer(&arguments, &results, &state, memory.scratch))
            break;
        for (int k = 1; k < GESTURES; k++)
            if (probabilities[k] > probabilities[guess])
                guess = k;
        right += guess == seen.label[0];
    }
    fclose(file);
    return count == TESTS ? right : -1;
}

/* Learns from the first traces, again and again. Returns 0, or a code of learner.h's. */
static int learn(int traces)
{
    alignas(LEARNER_ALIGNMENT) static float loss[1];
    const struct train_results results = {.loss = loss};
    float first = 0, last = 0; /* losses of the first pass and of the last one, added up */
    unsigned instructions = 0;
    for (int step = 0; step < STEPS_A_DAY; step++) {
        const struct trace *trace = &learned[step % traces];
        const struct train_arguments arguments = {.x = trace->x, .label = trace->label, .rate = 3e-3f};
        unsigned start = ticks();
        int code = train(&arguments, &results, &state, memory.scratch);
        instructions = instructions_since(start);
        if (code)
            return code;
        first += step < traces ? loss[0] : 0;
        last += step >= STEPS_A_DAY - traces ? loss[0] : 0;
    }
    printf("  %d steps on %d traces: loss from %d to %d thousandths, %u instructions a step\n", STEPS_A_DAY,
           traces, (int)(first / traces * 1000), (int)(last / traces * 1000), instructions);
    return 0;
}

int main(void)
{
    int bank = read_newer_bank(), day = state.count / STEPS_A_DAY + 1;
    printf("day %d, %d steps so far: knows %d of %d gestures\n", day, (int)state.count, known("tests.bin"), TESTS);
    if (day <= DAYS) {
        size_t traces = (size_t)day * TRACES_A_DAY;
        FILE *file = fopen("traces.bin", "rb");
        if (!file || fread(learned, sizeof learned[0], traces, file) != traces)
            return 1;
        fclose(file);
        int code = learn((int)traces);
        if (code) {
            puts(learner_error(code));
            return 1;
        }
        bank = bank == 0; /* the other one; a.bank if there is none */
        if (write_bank(bank))
            return 1;
        printf("  knows %d of %d gestures, written to %s\n", known("tests.bin"), TESTS, banks[bank]);
    }
    printf("  bytes: flash %u, states %u, scratch %u, stack %u\n", (unsigned)flash_used(), (unsigned)sizeof state,
           (unsigned)sizeof memory.scratch, (unsigned)stack_used());
    return 0;
}
