/*
 * Fine-tunes the network to the captchas in new.images and new.labels, and counts how many of those
 * in test.images it reads wholly, before and after.
 *
 *     ./main EPOCHS
 */
#include "captcha_crnn.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 16, PIXELS = 3 * 60 * 160, LETTERS = 5, STEPS = 20, CLASSES = 37, BLANK = 36 };

static const float RATE = 0.001f;

alignas(CAPTCHA_CRNN_ALIGNMENT) static float image[ROWS * PIXELS];
alignas(CAPTCHA_CRNN_ALIGNMENT) static float logits[STEPS * ROWS * CLASSES], loss[1];
alignas(CAPTCHA_CRNN_ALIGNMENT) static int32_t target[ROWS * LETTERS], steps[ROWS], letters[ROWS];
alignas(CAPTCHA_CRNN_ALIGNMENT) static unsigned char scratch[TRAIN_SCRATCH_SIZE];
static struct captcha_crnn_state state;

/* Images and their letters, a byte each. */
struct captchas {
    unsigned char *images, *labels;
    size_t count;
};

/* The bytes of a file of so many bytes each, and how many there are; the program ends if it fails. */
static unsigned char *bytes_of(const char *path, size_t each, size_t *count)
{
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    unsigned char *bytes = size > 0 ? malloc((size_t)size) : NULL;
    if (bytes)
        rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    *count = (size_t)size / each;
    return bytes;
}

static struct captchas captchas_of(const char *images, const char *labels)
{
    struct captchas all;
    size_t count;
    all.images = bytes_of(images, PIXELS, &all.count);
    all.labels = bytes_of(labels, LETTERS, &count);
    if (count != all.count || count < ROWS) {
        fprintf(stderr, "%s: %zu rows of letters for %zu images\n", labels, count, all.count);
        exit(2);
    }
    return all;
}

/* Puts a captcha into a row of the batch. */
static void take(const struct captchas *from, size_t number, int row)
{
    for (int k = 0; k < PIXELS; k++)
        image[row * PIXELS + k] = from->images[number * PIXELS + (size_t)k];
    for (int k = 0; k < LETTERS; k++)
        target[row * LETTERS + k] = from->labels[number * LETTERS + (size_t)k];
    steps[row] = STEPS;
    letters[row] = LETTERS;
}

/* Whether a row is read wholly: the likeliest class of each step, without repeats and blanks. */
static int is_read(int row)
{
    int count = 0, last = BLANK, is_right = 1;
    for (int step = 0; step < STEPS; step++) {
        const float *of = logits + (step * ROWS + row) * CLASSES;
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            if (of[k] > of[best])
                best = k;
        if (best != last && best != BLANK) {
            is_right &= count < LETTERS && target[row * LETTERS + count] == best;
            count++;
        }
        last = best;
    }
    return is_right && count == LETTERS;
}

static void check(int code)
{
    if (code) {
        fprintf(stderr, "%s\n", captcha_crnn_error(code));
        exit(1);
    }
}

/* How many captchas in a hundred are read wholly. */
static double accuracy(const struct captchas *of)
{
    const struct infer_arguments batch = {.image = image};
    const struct infer_results results = {.logits = logits};
    size_t right = 0, seen = of->count / ROWS * ROWS;
    for (size_t start = 0; start < seen; start += ROWS) {
        for (int row = 0; row < ROWS; row++)
            take(of, start + (size_t)row, row);
        check(infer(&batch, &results, &state, scratch));
        for (int row = 0; row < ROWS; row++)
            right += (size_t)is_read(row);
    }
    return 100 * (double)right / (double)seen;
}

/* A step with captchas that are drawn at random; returns the loss. */
static double learn(const struct captchas *from, float rate)
{
    const struct train_arguments batch = {
        .image = image,
        .target = target,
        .input_lengths = steps,
        .target_lengths = letters,
        .learning_rate = rate,
    };
    const struct train_results results = {.loss = loss, .logits = logits};
    static uint32_t random = 1;
    for (int row = 0; row < ROWS; row++) {
        random = random * 1664525 + 1013904223;
        take(from, (size_t)(((uint64_t)random * from->count) >> 32), row);
    }
    check(train(&batch, &results, &state, scratch));
    return loss[0];
}

int main(int count, char **arguments)
{
    int epochs = count > 1 ? atoi(arguments[1]) : 1;
    struct captchas new = captchas_of("new.images", "new.labels");
    struct captchas test = captchas_of("test.images", "test.labels");
    size_t many = new.count / ROWS, all = many * (size_t)epochs;
    captcha_crnn_initial_state(&state);
    printf("before: %.1f %% are read\n", accuracy(&test));
    for (int epoch = 0; epoch < epochs; epoch++) {
        double sum = 0;
        for (size_t step = 0; step < many; step++) {
            size_t done = (size_t)epoch * many + step;
            sum += learn(&new, RATE * (float)(all - done) / (float)all);
        }
        printf("epoch %d: loss %.2f, %.1f %% are read\n", epoch + 1, sum / (double)many, accuracy(&test));
        fflush(stdout);
    }
    return 0;
}
