// Runs kernels: blocks one after the other, their warps by turns up to the next barrier, the lanes
// of a warp that are furthest behind first.
#include <algorithm>
#include <atomic>
#include <climits>

#include "machine.h"

namespace emulator {

namespace {

uint32_t g_epoch = 0;

constexpr uint64_t kMostInstructions = 1ull << 29;  // of a warp between barriers: an endless loop

std::string triple(unsigned x, unsigned y, unsigned z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}

[[noreturn]] void unknown_used(Warp& w, const Instruction& i, Mask lanes) {
  fault(w, i, __builtin_ctz(lanes), kLaunchFailed,
        "uninitialised: it goes by a value that was read where nothing has written");
}

Mask guarded(Warp& w, const Instruction& i, Mask mask) {
  if (i.guard < 0) return mask;
  const uint64_t* predicate = w.lanes(i.guard);
  if (Mask lanes = w.unknown[i.guard] & mask) unknown_used(w, i, lanes);
  Mask bits = 0;
  for (int lane = 0; lane < 32; ++lane) bits |= Mask(predicate[lane] & 1) << lane;
  return mask & (i.unless ? ~bits : bits);
}

// Follows what nothing has written through the registers.
void follow_unknown(Warp& w, const Instruction& i, Mask active) {
  auto of = [&](int n) { return w.unknown[i.slot[n]] & active; };
  int first = i.form.outputs;
  Mask any = 0;
  switch (i.form.unknown) {
    case Unknown::kItself: return;
    case Unknown::kLoads:
    case Unknown::kStores:
      if (Mask address = of(first)) unknown_used(w, i, address);
      break;
    case Unknown::kFollows:
      for (int n = first; n < i.operands; ++n) any |= of(n);
      break;
    case Unknown::kSelected:
      any = of(3);
      each(active, [&](int lane) { any |= of(w.lanes(i.slot[3])[lane] & 1 ? 1 : 2) & Mask(1) << lane; });
  }
  for (int n = 0; n < first; ++n) {
    Mask& output = w.unknown[i.slot[n]];
    output = (output & ~active) | any;
  }
}

void set_pc(Warp& w, Mask lanes, int pc) {
  each(lanes, [&](int lane) { w.pc[lane] = pc; });
}

// Runs lanes that stand at one instruction until they part, wait or exit, or others stand there.
void run_together(Warp& w, Mask mask, uint64_t& count) {
  const Instruction* code = w.block->launch->kernel->code.data();
  int pc = w.pc[__builtin_ctz(mask)], others = INT_MAX;
  each(w.live & ~w.waiting & ~mask, [&](int lane) { others = std::min(others, w.pc[lane]); });
  while (pc < others) {
    const Instruction& i = code[pc];
    Mask active = guarded(w, i, mask);
    if (++count > kMostInstructions) fault(w, i, __builtin_ctz(mask), kLaunchFailed, "it runs for ever");
    switch (i.form.kind) {
      case Kind::kPlain:
        if (!active) {
          ++pc;
          break;
        }
        if (w.any_unknown) follow_unknown(w, i, active);
        i.form.run(w, i, active);
        ++pc;
        break;
      case Kind::kBranch:
        if (active && active != mask) {
          set_pc(w, active, i.target);
          set_pc(w, mask & ~active, pc + 1);
          return;
        }
        pc = active ? i.target : pc + 1;
        break;
      case Kind::kExit:
        w.live &= ~active;
        mask &= ~active;
        ++pc;
        if (!mask) return;
        break;
      case Kind::kTogether:
        if (active == w.live) {
          if (w.any_unknown) follow_unknown(w, i, active);
          i.form.run(w, i, active);
          ++pc;
          break;
        }
        [[fallthrough]];
      case Kind::kBarrier:
        w.waiting |= active;
        set_pc(w, active, pc);
        mask &= ~active;
        ++pc;
        if (!mask) return;
        break;
    }
  }
  set_pc(w, mask, pc);
}

// Runs a warp until it waits at a barrier of its block, all live lanes at the same, or has exited.
void advance(Warp& w) {
  uint64_t count = 0;
  while (w.live) {
    Mask ready = w.live & ~w.waiting;
    if (ready) {
      int pc = INT_MAX;
      Mask mask = 0;
      each(ready, [&](int lane) {
        if (w.pc[lane] < pc) pc = w.pc[lane], mask = 0;
        if (w.pc[lane] == pc) mask |= Mask(1) << lane;
      });
      run_together(w, mask, count);
      continue;
    }
    int first = __builtin_ctz(w.live), pc = w.pc[first];
    const Instruction& i = w.block->launch->kernel->code[pc];
    each(w.live, [&](int lane) {
      if (w.pc[lane] != pc)
        fault(w, i, lane, kLaunchFailed,
              "parts of a warp wait at different instructions, here and in line " +
                  std::to_string(w.block->launch->kernel->code[w.pc[lane]].line));
    });
    if (i.form.kind == Kind::kBarrier) return;
    if (w.any_unknown) follow_unknown(w, i, w.live);
    i.form.run(w, i, w.live);
    w.waiting = 0;
    set_pc(w, w.live, pc + 1);
  }
}

void start(Warp& w, unsigned threads) {
  const Kernel& k = *w.block->launch->kernel;
  const auto& size = w.block->launch->block;
  unsigned first = w.number * 32, left = threads - first;
  w.live = left >= 32 ? kAll : (Mask(1) << left) - 1;
  w.waiting = 0;
  w.pc.fill(0);
  std::fill(w.unknown.begin(), w.unknown.end(), 0);
  w.any_unknown = false;
  std::fill(w.registers.begin(), w.registers.end(), 0xfff7dead7fbadfff);  // not a number
  for (auto& [slot, value] : k.constants) std::fill_n(w.lanes(slot), 32, value);
  for (auto& [slot, special] : k.specials)
    for (unsigned lane = 0; lane < 32; ++lane) {
      unsigned t = first + lane;
      const std::array<unsigned, 3> thread = {t % size[0], t / size[0] % size[1], t / size[0] / size[1]};
      const std::array<unsigned, 3>* values[] = {&thread, &w.block->index, &size, &w.block->launch->grid};
      w.lanes(slot)[lane] = (*values[special / 3])[special % 3];
    }
  for (Region& local : w.local) std::fill(local.initialised.begin(), local.initialised.end(), 0);
}

}  // namespace

std::string where(Warp& w, const Instruction& i, int lane) {
  const Launch& launch = *w.block->launch;
  const Kernel& k = *launch.kernel;
  unsigned t = w.number * 32 + lane, x = launch.block[0], y = launch.block[1];
  const auto& b = w.block->index;
  return "kernel " + k.name + ", block " + triple(b[0], b[1], b[2]) + ", thread " +
         triple(t % x, t / x % y, t / x / y) + ", line " + std::to_string(i.line) + ": " + k.lines->at(i.line);
}

[[noreturn]] void fault(Warp& w, const Instruction& i, int lane, Code code, const std::string& what) {
  throw Fault(code, what + "; " + where(w, i, lane));
}

void run(const Launch& launch) {
  const Kernel& k = *launch.kernel;
  unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  Block block;
  block.launch = &launch;
  std::vector<char> shared(launch.shared_bytes);
  block.shared.bytes = shared.data();
  block.shared.size = shared.size();
  block.shared.initialised.resize(shared.size());
  block.shared.accesses.resize(shared.size());
  block.warps.resize((threads + 31) / 32);
  for (size_t n = 0; n < block.warps.size(); ++n) {
    Warp& w = block.warps[n];
    w.block = &block;
    w.number = n;
    w.registers.resize(size_t(k.slots) * 32);
    w.unknown.resize(k.slots);
    w.local_bytes.resize(size_t(k.local_bytes) * 32);
    w.local.resize(32);
    for (int lane = 0; lane < 32; ++lane) {
      w.local[lane].bytes = w.local_bytes.data() + size_t(lane) * k.local_bytes;
      w.local[lane].size = k.local_bytes;
      w.local[lane].initialised.resize(k.local_bytes);
    }
  }
  block.launch_epoch = g_epoch + 1;
  uint64_t blocks = uint64_t(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  for (uint64_t number = 0; number < blocks; ++number) {
    block.block_epoch = block.epoch = ++g_epoch;
    block.index = {unsigned(number % launch.grid[0]), unsigned(number / launch.grid[0] % launch.grid[1]),
                   unsigned(number / launch.grid[0] / launch.grid[1])};
    std::fill(block.shared.initialised.begin(), block.shared.initialised.end(), 0);
    std::fill(block.shared.accesses.begin(), block.shared.accesses.end(), Accesses());
    for (Warp& w : block.warps) start(w, threads);
    for (bool running = true; running;) {
      running = false;
      for (Warp& w : block.warps) advance(w);
      for (Warp& w : block.warps) {
        running |= w.live != 0;
        w.waiting = 0;
        set_pc(w, w.live, w.live ? w.pc[__builtin_ctz(w.live)] + 1 : 0);
      }
      block.epoch = ++g_epoch;
    }
  }
}

}  // namespace emulator
