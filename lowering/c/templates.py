"""The parts of the source file that are the same for every module.

``{NAME}`` stands for the module's name, ``{ALIGNMENT}`` and ``{FAILED}`` for the numbers of
those names, and ``{NONE}`` likewise, if the module has open sizes. `TYPES` has the layouts of
`schema.executable_library` in C.
"""

from __future__ import annotations

INTERNAL = ("call_kernel", "call_workgroup", "check_arrays", "cpu_is_known", "fill")
"""The private functions of the file."""

TYPES = """\
/*
 * How compiled code is called: by the rules of an executable library 0.6 of IREE
 * (runtime/src/iree/hal/local/executable_library.h), whose structs these are.
 */
struct environment {
    const uint32_t *constants;
    void *imports[3];
    uint64_t processor[8];
};

struct dispatch {
    uint32_t size_x, size_y;
    uint16_t size_z, constant_count;
    uint32_t count_x, count_y;
    uint16_t count_z;
    uint8_t concurrency, buffer_count;
    const uint32_t *constants;
    const void *const *buffers;
    const size_t *lengths;
};

struct workgroup {
    uint32_t x, y;
    uint16_t z, reserved;
    uint32_t processor;
    void *memory;
    uint32_t memory_size;
};

typedef int kernel(const struct environment *environment, const struct dispatch *dispatch,
                   const struct workgroup *group);
"""

CALLS = """\
/* Who runs workgroups: a function of the caller's, or none. */
struct caller {
    {NAME}_run *run;
    void *context;
};

struct job {
    kernel *code;
    const struct dispatch *dispatch;
};

static int call_workgroup(void *data, size_t k)
{
    const struct job *job = (const struct job *)data;
    const struct dispatch *dispatch = job->dispatch;
    struct environment environment;
    struct workgroup group;
    memset(&environment, 0, sizeof environment);
    memset(&group, 0, sizeof group);
    group.x = (uint32_t)(k % dispatch->count_x);
    group.y = (uint32_t)(k / dispatch->count_x % dispatch->count_y);
    group.z = (uint16_t)(k / dispatch->count_x / dispatch->count_y);
    return job->code(&environment, dispatch, &group);
}

/* Runs all workgroups of a dispatch; returns 0 when they are done. */
static int call_kernel(const struct caller *caller, kernel *code, const uint32_t *groups,
                       size_t buffer_count, const void *const *buffers, const size_t *lengths,
                       size_t constant_count, const uint32_t *constants)
{
    struct dispatch dispatch;
    struct job job;
    size_t count = (size_t)groups[0] * groups[1] * groups[2];
{NONE}    memset(&dispatch, 0, sizeof dispatch);
    dispatch.size_x = 1;
    dispatch.size_y = 1;
    dispatch.size_z = 1;
    dispatch.count_x = groups[0];
    dispatch.count_y = groups[1];
    dispatch.count_z = (uint16_t)groups[2];
    dispatch.concurrency = 1;
    dispatch.buffer_count = (uint8_t)buffer_count;
    dispatch.buffers = buffers;
    dispatch.lengths = lengths;
    dispatch.constant_count = (uint16_t)constant_count;
    dispatch.constants = constants;
    job.code = code;
    job.dispatch = &dispatch;
    if (caller->run)
        return caller->run(caller->context, count, call_workgroup, &job) ? {FAILED} : 0;
    for (size_t k = 0; k < count; k++)
        if (call_workgroup(&job, k))
            return {FAILED};
    return 0;
}
"""

NONE = """\
    if (!count)
        return 0;
"""
"""The call of a dispatch that may have no workgroups at some sizes."""

CHECKS = """\
/* An array: where, how many bytes, what is added to codes for it, and whether it may be null. */
struct array {
    const void *data;
    size_t size;
    int code, may_be_null;
};

/* Checks arrays, of which the last are written to. */
static int check_arrays(const struct array *arrays, size_t count, size_t written)
{
    for (size_t k = 0; k < count; k++) {
        if (!arrays[k].size || (arrays[k].may_be_null && !arrays[k].data))
            continue; /* nobody follows the pointer */
        if (!arrays[k].data)
            return arrays[k].code;
        if ((uintptr_t)arrays[k].data % {ALIGNMENT})
            return arrays[k].code + 1;
    }
    for (size_t k = count - written; k < count; k++) {
        uintptr_t start = (uintptr_t)arrays[k].data, end = start + arrays[k].size;
        for (size_t other = 0; other < k; other++) {
            uintptr_t from = (uintptr_t)arrays[other].data, to = from + arrays[other].size;
            if (from < to && start < end && start < to && from < end)
                return arrays[k].code + 2;
        }
    }
    return 0;
}
"""

FILL = """\
static void fill(void *target, size_t size, const char *pattern, size_t width)
{
    for (size_t k = 0; k < size; k += width)
        memcpy((char *)target + k, pattern, width);
}
"""


# Mathematical functions for processors that have no instruction for them.
#
# On most systems they are in libm, a separate library. ``{NAME}`` stands for the
# module's name.

DECLARED = {"floorf": "float {NAME}_floorf(float x);"}
"""Their declarations, by their names in libm."""

DEFINED = {
    "floorf": """\
/* The largest integer that is not above a number. */
float {NAME}_floorf(float x)
{
    float whole;
    if (!(x > -8388608.0f && x < 8388608.0f))
        return x; /* an integer anyway, or no number */
    whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}
""",
}
"""Their definitions."""
