/*
 * An LSTM in a program that has nothing else: arguments in, results out, a line for each step.
 *
 * rnn-compiler compile BlockLSTMV2 --format c -o lstm --name lstm --target cpu:generic \
 *     --dim seq_length=4,batch_size=1,input_size=2,num_units=8 --attr use_peephole=false
 * cc -Ilstm program.c lstm/lstm.c lstm/lstm.o -o program
 */
#include <stdalign.h>
#include <stdio.h>

#include "lstm.h"

enum { T = 4, B = 1, I = 2, H = 8 };

/* Weights: rows of the input, then of the state; columns of the gates i, f, ci and o, H each. */
alignas(LSTM_ALIGNMENT) static float w[I + H][4][H];
alignas(LSTM_ALIGNMENT) static float b[4][H];
alignas(LSTM_ALIGNMENT) static float no_peephole[H];

/* The state before the first step, and the sequence. */
alignas(LSTM_ALIGNMENT) static const float zero[B][H];
alignas(LSTM_ALIGNMENT) static const float x[T][B][I] = {{{1, 0}}, {{0, 1}}, {{1, 1}}, {{0, 0}}};

/* What each step leaves: the gates, the cell state and the output. */
alignas(LSTM_ALIGNMENT) static float i[T][B][H], cs[T][B][H], f[T][B][H], o[T][B][H], ci[T][B][H];
alignas(LSTM_ALIGNMENT) static float co[T][B][H], h[T][B][H];
alignas(LSTM_ALIGNMENT) static unsigned char scratch[BLOCK_LSTM_V2_SCRATCH_SIZE];

int main(void)
{
    for (int row = 0; row < I + H; row++)
        for (int gate = 0; gate < 4; gate++)
            for (int unit = 0; unit < H; unit++)
                w[row][gate][unit] = 0.1f * (float)((7 * row + 3 * gate + unit) % 11 - 5);

    const struct block_lstm_v2_arguments arguments = {
        .seq_len_max = T,
        .x = &x[0][0][0],
        .cs_prev = &zero[0][0],
        .h_prev = &zero[0][0],
        .w = &w[0][0][0],
        .wci = no_peephole,
        .wcf = no_peephole,
        .wco = no_peephole,
        .b = &b[0][0],
    };
    const struct block_lstm_v2_results results = {
        .i = &i[0][0][0],
        .cs = &cs[0][0][0],
        .f = &f[0][0][0],
        .o = &o[0][0][0],
        .ci = &ci[0][0][0],
        .co = &co[0][0][0],
        .h = &h[0][0][0],
    };
    int code = block_lstm_v2(&arguments, &results, scratch);
    if (code) {
        fprintf(stderr, "%s\n", lstm_error(code));
        return 1;
    }
    for (int t = 0; t < T; t++)
        printf("step %d: %+.4f %+.4f %+.4f\n", t, h[t][0][0], h[t][0][1], h[t][0][2]);
    return 0;
}
