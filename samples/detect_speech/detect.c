/*
 * Says when somebody speaks in a recording: 16-bit WAV, one channel, 16 kHz.
 *
 *     ./detect recording.wav
 *
 * silero-vad takes 512 samples at a time, behind the last 64 of those before, and hands its state
 * on from call to call. It gives the probability of speech. As its authors do, speech begins at 0.5
 * and ends after a tenth of a second below 0.35.
 */
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "silero_vad.h"

enum { RATE = 16000, CONTEXT = 64, CHUNK = 512, PATIENCE = RATE / 10 };

alignas(SILERO_VAD_ALIGNMENT) static float input[CONTEXT + CHUNK];
alignas(SILERO_VAD_ALIGNMENT) static float states[2][256];
alignas(SILERO_VAD_ALIGNMENT) static float probability[1];
alignas(SILERO_VAD_ALIGNMENT) static unsigned char scratch[SILERO_VAD_SCRATCH_SIZE];

/* The number of some bytes, the lowest first. */
static uint32_t number(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    while (count--)
        value = value << 8 | bytes[count];
    return value;
}

/* Reads up to where samples begin; 0 if they are not of the kind above. */
static int find_samples(FILE *file)
{
    unsigned char head[12], part[8], format[16];
    int known = 0;
    if (fread(head, 1, 12, file) != 12 || memcmp(head, "RIFF", 4) || memcmp(head + 8, "WAVE", 4))
        return 0;
    while (fread(part, 1, 8, file) == 8) {
        long size = (long)number(part + 4, 4);
        if (!memcmp(part, "data", 4))
            return known;
        if (!memcmp(part, "fmt ", 4) && size >= 16) {
            if (fread(format, 1, 16, file) != 16)
                return 0;
            known = number(format, 2) == 1 && number(format + 2, 2) == 1 &&
                    number(format + 4, 4) == RATE && number(format + 14, 2) == 16;
            size -= 16;
        }
        if (fseek(file, size + size % 2, SEEK_CUR))
            return 0;
    }
    return 0;
}

/* Reads the next samples behind the end of the last ones; zeros follow the end of the file. */
static int next_chunk(FILE *file)
{
    unsigned char bytes[2 * CHUNK];
    size_t count = fread(bytes, 2, CHUNK, file);
    memmove(input, input + CHUNK, CONTEXT * sizeof *input);
    for (size_t k = 0; k < CHUNK; k++)
        input[CONTEXT + k] = k < count ? (int16_t)number(bytes + 2 * k, 2) / 32768.0f : 0.0f;
    return count > 0;
}

int main(int count, char **arguments)
{
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    if (!file || !find_samples(file)) {
        fprintf(stderr, "usage: %s FILE.wav (16-bit, one channel, 16 kHz)\n", arguments[0]);
        return 2;
    }
    long at = 0, start = -1, last = 0;
    for (int k = 0; next_chunk(file); k++, at += CHUNK) {
        const struct silero_vad_arguments given = {.input = input, .state = states[k % 2]};
        const struct silero_vad_results wanted = {
            .output = probability, .stateN = states[(k + 1) % 2]};
        int code = silero_vad(&given, &wanted, scratch);
        if (code) {
            fprintf(stderr, "%s\n", silero_vad_error(code));
            return 1;
        }
        if (*probability >= 0.5f && start < 0)
            start = at;
        if (*probability >= 0.35f)
            last = at + CHUNK;
        if (start >= 0 && at + CHUNK - last >= PATIENCE) {
            printf("speech from %.2f s to %.2f s\n", (double)start / RATE, (double)last / RATE);
            start = -1;
        }
    }
    if (start >= 0)
        printf("speech from %.2f s to %.2f s\n", (double)start / RATE, (double)last / RATE);
    fclose(file);
    return 0;
}
