"""The parts of a self test that are the same for every module: the comparison of results.

``{NAME}`` and ``{MACRO}`` stand for the module's name, unchanged and in capitals.
"""

from __future__ import annotations

INCLUDES = """\
#include <float.h>
#include <string.h>
#ifndef __cplusplus
#include <stdalign.h>
#endif"""

TYPES = """\
/* How numbers are stored. */
enum kind { INTEGER, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };

/* A result: what it should be, its offset in memory, and how far it may be from that. */
struct result {
    const char *function, *name;
    const void *expected;
    size_t offset, count, width;
    enum kind kind;
    double tolerance;
    int code;
};

/* A call, and which results it gives. */
struct test {
    int (*call)(void);
    size_t first, end;
};
"""

COMPARISON = """\
/* A number, which double holds whatever it is stored as. */
static double element(const void *data, size_t k, enum kind kind)
{
    double value;
    float number;
    uint16_t half;
    uint32_t bits, exponent;
    if (kind == FLOAT64) {
        memcpy(&value, (const char *)data + 8 * k, 8);
        return value;
    }
    if (kind == FLOAT32) {
        memcpy(&bits, (const char *)data + 4 * k, 4);
    } else {
        memcpy(&half, (const char *)data + 2 * k, 2);
        exponent = half >> 10 & 31u;
        bits = half;
        if (kind == BFLOAT16)
            bits <<= 16;
        else if (!exponent) /* a multiple of 2^-24 */
            return (half >> 15 ? -1.0 : 1.0) * (half & 1023u) / 16777216.0;
        else
            bits = (bits & 0x8000u) << 16 | (exponent == 31u ? 255u : exponent + 112u) << 23 |
                   (bits & 1023u) << 13;
    }
    memcpy(&number, &bits, 4);
    return (double)number;
}

/* By their bits, as compilers may be told that there are neither. */
static int is_finite(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 52 & 0x7ff) != 0x7ff;
}

static int is_nan(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return (bits >> 52 & 0x7ff) == 0x7ff && (bits << 12) != 0;
}

/*
 * The largest difference, as a part of the largest number or of 1; DBL_MAX where one is a number
 * and the other is not.
 */
static double difference(const struct result *result)
{
    const unsigned char *found = memory + result->offset;
    double largest = 1, apart = 0;
    if (result->kind == INTEGER) {
        size_t size = result->count * result->width;
        return size && memcmp(found, result->expected, size) ? 1.0 : 0.0;
    }
    for (size_t k = 0; k < result->count; k++) {
        double a = element(found, k, result->kind), b = element(result->expected, k, result->kind);
        double by = a < b ? b - a : a - b, size = b < 0 ? -b : b;
        if (!is_finite(a) || !is_finite(b)) {
            if (is_nan(a) != is_nan(b) || is_finite(a) != is_finite(b) || (a < 0) != (b < 0))
                return DBL_MAX;
            continue;
        }
        apart = by > apart ? by : apart;
        largest = size > largest ? size : largest;
    }
    return apart / largest;
}

/* Keeps the differences of a call's results; gives the code of the first that is too large. */
static int compare(const struct test *test, double *differences)
{
    int code = 0;
    for (size_t k = test->first; k < test->end; k++) {
        differences[k] = difference(&compared[k]);
        if (!(differences[k] <= compared[k].tolerance) && !code)
            code = compared[k].code;
    }
    return code;
}

/* Makes all calls; gives the code of the first that fails, or of the first result that differs. */
static int run(double *differences)
{
    int first = 0;
    for (size_t k = 0; k < sizeof compared / sizeof compared[0]; k++)
        differences[k] = -1; /* not yet known */
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++) {
        int code = tests[k].call();
        if (code)
            return code;
        code = compare(&tests[k], differences);
        first = first ? first : code;
    }
    return first;
}
"""

MAIN = """\
#ifdef {MACRO}_SELFTEST_MAIN
/* Exits with 0 if all results are what they should be, 1 if one is not, 2 if a call fails. */
int main(void)
{
    double differences[sizeof compared / sizeof compared[0]];
    int code = run(differences), wrong = 0;
    for (size_t k = 0; k < sizeof compared / sizeof compared[0]; k++) {
        const struct result *result = &compared[k];
        int equal = differences[k] >= 0 && differences[k] <= result->tolerance;
        if (differences[k] < 0) {
            fprintf(stderr, "%s: %s\\n", result->function, {NAME}_error(code));
            return 2;
        }
        printf("%s %s %.9g %.9g %s\\n", result->function, result->name, differences[k],
               result->tolerance, equal ? "equal" : "DIFFERENT");
        wrong |= !equal;
    }
    return wrong;
}
#endif"""
