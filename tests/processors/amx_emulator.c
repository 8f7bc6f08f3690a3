/* Emulates Intel AMX in a process of a processor without it, on Linux for x86-64.
 *
 *     gcc -O2 -mfma -shared -fPIC -o amx.so amx_emulator.c -ldl
 *     LD_PRELOAD=amx.so AMX_PERMISSION=granted program
 *
 * A tile instruction raises SIGILL on such a processor; the handler computes it as Intel's manual
 * (SDM, volume 2) defines it, for the thread that executed it. A seccomp filter answers
 * arch_prctl: tiles are supported, and a request for them is granted or, with
 * AMX_PERMISSION=refused, fails with ENOSPC. /proc/cpuinfo lists the features, and so does glibc;
 * cpuid cannot be intercepted, and says that there are none.
 *
 * As on a real processor, ldtilecfg and tilerelease need no permission; an instruction that uses
 * the data of a tile does, and ends the process by SIGILL without it. So does an instruction whose
 * tiles have shapes that do not match.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { TILES = 8, ROWS = 16, BYTES = 64 };
enum { XCOMP_SUPPORTED = 0x1021, XCOMP_PERMITTED = 0x1022, XCOMP_REQUEST = 0x1023 };
enum { TILE_DATA = 18, X87_TO_AVX512 = 0xe7, TILE_STATE = 3 << 17 };
enum { FLUSH_AND_DENORMALS_ARE_ZERO = 0x8040 };

typedef struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes[16];
    uint8_t rows[16];
} Config;

typedef struct {
    uint8_t bytes[ROWS][BYTES];
} Tile;

#define THREAD static __thread __attribute__((tls_model("initial-exec")))
THREAD Config config;
THREAD Tile tiles[TILES];
static volatile int granted;
static int grants;

/* The number of products that tiles have computed in this process. */
unsigned long amx_products;

/* Instructions. */

typedef struct {
    const uint8_t *code;
    greg_t *registers;
    int r, x, b; /* the fourth bits of register numbers */
    int prefix, operand, opcode, mode, reg, rm;
    uint8_t *base; /* the address without the index */
    int64_t stride;
    int size;
} Instruction;

static const int REGISTERS[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
                                  REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13,
                                  REG_R14, REG_R15};

static int64_t value_of(const Instruction *at, int number) {
    return at->registers[REGISTERS[number]];
}

static int64_t displacement(const uint8_t *at, int size) {
    int32_t wide;
    if (size == 1) return (int8_t)*at;
    memcpy(&wide, at, 4);
    return size ? wide : 0;
}

/* Decodes what follows the opcode; 0 if it is not a VEX instruction of the map of AMX. */
static int decode(Instruction *at) {
    const uint8_t *code = at->code;
    if (code[0] != 0xc4 || (code[1] & 31) != 2 || code[2] & 0x84) return 0;
    at->r = !(code[1] & 0x80), at->x = !(code[1] & 0x40), at->b = !(code[1] & 0x20);
    at->prefix = code[2] & 3, at->operand = ~code[2] >> 3 & 15, at->opcode = code[3];
    at->mode = code[4] >> 6, at->reg = code[4] >> 3 & 7, at->rm = code[4] & 7;
    at->size = 5, at->base = NULL, at->stride = 0;
    if (at->mode == 3) return 1;
    int bytes = at->mode == 1 ? 1 : at->mode == 2 ? 4 : 0;
    int64_t address = 0;
    if (at->rm == 4) {
        int sib = code[at->size++], index = (sib >> 3 & 7) | at->x << 3;
        if (index != 4) at->stride = value_of(at, index) * (1 << (sib >> 6));
        if ((sib & 7) == 5 && at->mode == 0) bytes = 4;
        else address = value_of(at, (sib & 7) | at->b << 3);
    } else if (at->rm == 5 && at->mode == 0) {
        bytes = 4, address = (int64_t)(code + at->size + 4);
    } else {
        address = value_of(at, at->rm | at->b << 3);
    }
    at->base = (uint8_t *)(address + displacement(code + at->size, bytes));
    at->size += bytes;
    return 1;
}

static int is_valid(const Config *of) {
    for (int k = 0; k < 16; k++) {
        if (k < 14 && of->reserved[k]) return 0;
        if (k >= TILES && (of->bytes[k] || of->rows[k])) return 0;
        if (of->bytes[k] > BYTES || of->rows[k] > ROWS || !of->bytes[k] != !of->rows[k]) return 0;
    }
    return of->palette == 1 && of->start_row == 0;
}

static int configure(const Instruction *at) {
    Config next;
    memcpy(&next, at->base + at->stride, sizeof next);
    memset(tiles, 0, sizeof tiles);
    if (next.palette == 0) memset(&next, 0, sizeof next);
    else if (!is_valid(&next)) return 0;
    config = next;
    return 1;
}

static int load(const Instruction *at) {
    Tile *to = &tiles[at->reg];
    memset(to, 0, sizeof *to);
    for (int row = 0; row < config.rows[at->reg]; row++)
        memcpy(to->bytes[row], at->base + row * at->stride, config.bytes[at->reg]);
    return config.rows[at->reg] > 0;
}

static int store(const Instruction *at) {
    for (int row = 0; row < config.rows[at->reg]; row++)
        memcpy(at->base + row * at->stride, tiles[at->reg].bytes[row], config.bytes[at->reg]);
    return config.rows[at->reg] > 0;
}

static float widened(const Tile *of, int row, int number) {
    uint16_t half;
    uint32_t bits;
    float result;
    memcpy(&half, of->bytes[row] + 2 * number, 2);
    bits = (uint32_t)half << 16;
    memcpy(&result, &bits, 4);
    return result;
}

/* The even and the odd products are summed apart, each sum rounded once, then added. */
static void add_pairs(Tile *to, const Tile *left, const Tile *right, int rows, int groups,
                      int columns) {
    float odd[BYTES / 4], even[BYTES / 4];
    for (int row = 0; row < rows; row++) {
        memset(odd, 0, sizeof odd), memset(even, 0, sizeof even);
        for (int k = 0; k < groups; k++)
            for (int n = 0; n < columns; n++) {
                even[n] = fmaf(widened(left, row, 2 * k), widened(right, k, 2 * n), even[n]);
                odd[n] = fmaf(widened(left, row, 2 * k + 1), widened(right, k, 2 * n + 1), odd[n]);
            }
        for (int n = 0; n < columns; n++) {
            float total, both = even[n] + odd[n];
            memcpy(&total, to->bytes[row] + 4 * n, 4);
            total += both;
            memcpy(to->bytes[row] + 4 * n, &total, 4);
        }
    }
}

static int byte_of(const Tile *of, int row, int number, int is_signed) {
    return is_signed ? (int8_t)of->bytes[row][number] : of->bytes[row][number];
}

static void add_bytes(Tile *to, const Tile *left, const Tile *right, int rows, int groups,
                      int columns, int prefix) {
    int left_signed = prefix >= 2, right_signed = prefix == 3 || prefix == 1;
    for (int row = 0; row < rows; row++)
        for (int n = 0; n < columns; n++) {
            uint32_t total;
            memcpy(&total, to->bytes[row] + 4 * n, 4);
            for (int k = 0; k < 4 * groups; k++)
                total += (uint32_t)(byte_of(left, row, k, left_signed) *
                                    byte_of(right, k / 4, 4 * n + k % 4, right_signed));
            memcpy(to->bytes[row] + 4 * n, &total, 4);
        }
}

static int multiply(const Instruction *at) {
    int to = at->reg, left = at->rm, right = at->operand, groups = config.bytes[left] / 4;
    int is_matched = config.rows[to] == config.rows[left] && config.rows[to] > 0 &&
                     config.bytes[to] == config.bytes[right] && groups == config.rows[right] &&
                     config.bytes[left] % 4 == 0 && config.bytes[right] % 4 == 0;
    if (!is_matched || to == left || to == right || left == right || right >= TILES) return 0;
    int rows = config.rows[to], columns = config.bytes[to] / 4;
    __atomic_add_fetch(&amx_products, 1, __ATOMIC_RELAXED);
    if (at->opcode == 0x5c)
        add_pairs(&tiles[to], &tiles[left], &tiles[right], rows, groups, columns);
    else
        add_bytes(&tiles[to], &tiles[left], &tiles[right], rows, groups, columns, at->prefix);
    return 1;
}

/* Executes an instruction; 0 if it is none of AMX, or a processor would refuse it.
 * Prefixes are numbered as in VEX: 0 none, 1 66, 2 F3, 3 F2. */
static int execute(Instruction *at) {
    int is_register = at->mode == 3;
    if (at->opcode == 0x49 && !is_register && at->reg == 0) {
        if (at->prefix == 0) return configure(at);
        if (at->prefix == 1) return memcpy(at->base + at->stride, &config, sizeof config), 1;
    }
    if (at->opcode == 0x49 && is_register && at->prefix == 0 && at->reg == 0 && at->rm == 0) {
        memset(&config, 0, sizeof config), memset(tiles, 0, sizeof tiles);
        return 1;
    }
    if (!granted || config.palette == 0) return 0;
    if (at->opcode == 0x49 && is_register && at->prefix == 3 && at->rm == 0) {
        memset(&tiles[at->reg], 0, sizeof(Tile));
        return config.rows[at->reg] > 0;
    }
    if (at->opcode == 0x4b && !is_register && at->rm == 4 && at->prefix)
        return at->prefix == 2 ? store(at) : load(at);
    if (is_register && (at->opcode == 0x5e || (at->opcode == 0x5c && at->prefix == 2)))
        return multiply(at);
    return 0;
}

typedef int Sigaction(int, const struct sigaction *, struct sigaction *);

static Sigaction *real_sigaction(void) {
    Sigaction *found;
    *(void **)&found = dlsym(RTLD_NEXT, "sigaction");
    return found;
}

/* Nobody else handles the signals of this file: Python's faulthandler would. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    if (action && (number == SIGILL || number == SIGSYS)) action = NULL;
    return real_sigaction()(number, action, before);
}

static void on_illegal(int number, siginfo_t *info, void *context) {
    (void)info;
    ucontext_t *state = context;
    greg_t *registers = state->uc_mcontext.gregs;
    Instruction at = {.code = (const uint8_t *)registers[REG_RIP], .registers = registers};
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | FLUSH_AND_DENORMALS_ARE_ZERO);
    int done = decode(&at) && execute(&at);
    _mm_setcsr(before);
    if (done) registers[REG_RIP] += at.size;
    else real_sigaction()(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    /* otherwise it is executed again, and ends the process */
}

/* Permission. */

static void on_system_call(int number, siginfo_t *info, void *context) {
    (void)number, (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    int64_t result = 0;
    if (registers[REG_RDI] != XCOMP_REQUEST) {
        int is_permitted = registers[REG_RDI] == XCOMP_SUPPORTED || granted;
        uint64_t state = X87_TO_AVX512 | (is_permitted ? TILE_STATE : 0);
        memcpy((void *)registers[REG_RSI], &state, sizeof state);
    } else if (registers[REG_RSI] != TILE_DATA) {
        result = -EINVAL;
    } else if (grants) {
        granted = 1;
    } else {
        result = -ENOSPC;
    }
    registers[REG_RAX] = result;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *)) {
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (real_sigaction()(number, &action, NULL)) abort();
}

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))

__attribute__((constructor)) static void begin(void) {
    const char *permission = getenv("AMX_PERMISSION");
    grants = permission && strcmp(permission, "granted") == 0;
    handle(SIGILL, on_illegal);
    handle(SIGSYS, on_system_call);
    struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, XCOMP_SUPPORTED, 0, 1),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, XCOMP_REQUEST, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        fputs("amx_emulator: no seccomp filter here\n", stderr);
        _exit(77);
    }
}

/* /proc/cpuinfo. */

static int processors_with_tiles(int (*real)(const char *, int, ...), int flags) {
    int source = real("/proc/cpuinfo", flags), made = memfd_create("cpuinfo", 0);
    FILE *from = fdopen(source, "r");
    char line[8192];
    while (from && fgets(line, sizeof line, from)) {
        line[strcspn(line, "\n")] = 0;
        dprintf(made, strncmp(line, "flags\t", 6) ? "%s\n" : "%s amx_tile amx_bf16 amx_int8\n", line);
    }
    if (from) fclose(from);
    lseek(made, 0, SEEK_SET);
    return made;
}

#define OPEN(name)                                                                   \
    int name(const char *path, int flags, ...) {                                     \
        int (*real)(const char *, int, ...);                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                   \
        va_list rest;                                                                \
        va_start(rest, flags);                                                       \
        int mode = va_arg(rest, int);                                                \
        va_end(rest);                                                                \
        if (strcmp(path, "/proc/cpuinfo") == 0) return processors_with_tiles(real, flags); \
        return real(path, flags, mode);                                              \
    }

OPEN(open)
OPEN(open64)

/* glibc's copy of what cpuid says, from 2.33 on. */

enum { LEAF_7 = 1, EDX = 3, FEATURES = 1 << 22 | 1 << 24 | 1 << 25 };

typedef struct {
    unsigned cpuid[4], active[4];
} Leaf;

const Leaf *__x86_get_cpuid_feature_leaf(unsigned number) {
    static Leaf with_tiles;
    const Leaf *(*real)(unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "__x86_get_cpuid_feature_leaf");
    const Leaf *found = real(number);
    if (number != LEAF_7) return found;
    with_tiles = *found;
    with_tiles.cpuid[EDX] |= FEATURES, with_tiles.active[EDX] |= FEATURES;
    return &with_tiles;
}
