// What the parts of the emulator share: kernels as they were parsed, memory, warps, faults.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace emulator {

// Errors, by the driver API's numbers.
enum Code {
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDevice = 101,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kMisalignedAddress = 716,
  kLaunchFailed = 719,
};

struct Fault : std::runtime_error {
  Code code;
  Fault(Code code, const std::string& what) : std::runtime_error(what), code(code) {}
};

// ---- memory

// Which thread accessed a byte last, and in which epoch: the time between two barriers of a block.
struct Accesses {
  uint32_t written = 0, read = 0;  // epochs
  uint16_t writer = 0, reader = 0;  // threads
};

// Bytes, with what is known about each.
struct Region {
  char* bytes = nullptr;
  size_t size = 0;
  bool of_host = false;                // the host writes to it unseen
  std::vector<uint8_t> initialised;    // a byte each, empty if of_host
  std::vector<Accesses> accesses;      // empty until a kernel accesses it, and where none shares it

  void set_initialised(size_t offset, size_t count, uint8_t value = 1);
  size_t first_uninitialised(size_t offset, size_t count) const;  // or `count`
};

// An allocation. Device memory has addresses that no other allocation ever gets.
struct Allocation : Region {
  uint64_t address = 0;
  bool owned = false;
  std::string stored_unknown;  // where a kernel first stored what it does not know
  ~Allocation();
};

class Memory {
 public:
  uint64_t allocate(size_t size, bool of_host);
  void adopt(void* host, size_t size);  // host memory that the device may use
  void release(uint64_t address);
  Allocation* find(uint64_t address);
  // For copies: the allocation that `size` bytes lie in; nullptr for plain host memory.
  Allocation* range(uint64_t address, size_t size, const char* what);
  size_t in_use = 0, peak = 0;

 private:
  std::map<uint64_t, std::unique_ptr<Allocation>> allocations_;
  uint64_t next_ = 0x700000000000;
};
Memory& memory();

// ---- kernels

struct Warp;
struct Instruction;

using Mask = uint32_t;  // lanes
constexpr Mask kAll = ~Mask(0);

enum class Kind : uint8_t { kPlain, kBranch, kExit, kBarrier, kTogether };

// What becomes of a value that was loaded from where nothing has written. What is computed with it is
// unknown too; it may be stored. A branch on it or an address made of it is a fault, and so is a copy
// to the host.
enum class Unknown : uint8_t { kFollows, kSelected, kLoads, kStores, kItself };

// One row of the table of instructions: what is known of an opcode with operands of some form.
struct Form {
  Kind kind = Kind::kPlain;
  void (*run)(Warp&, const Instruction&, Mask) = nullptr;
  int outputs = 1;  // operands that it writes, the first ones
  Unknown unknown = Unknown::kFollows;
};
const std::map<std::string, Form>& forms();

using Table = std::map<std::string, Form>;
void add_arithmetic(Table&);
void add_conversions(Table&);
void add_transfers(Table&);

struct Instruction {
  Form form;
  int guard = -1;  // a predicate
  bool unless = false;
  std::array<int, 16> slot{};  // of registers and constants, in the order of the text
  int operands = 0;
  int64_t offset = 0;          // of its address, if it has one
  int target = -1;             // of a branch
  int line = 0;
};

struct Parameter {
  std::string name;
  int offset, size;
};

struct Kernel {
  std::string name;
  std::vector<Parameter> parameters;
  int parameter_bytes = 0;
  std::vector<Instruction> code;
  int slots = 0;
  std::vector<std::pair<int, uint64_t>> constants;  // slot, value
  std::vector<std::pair<int, int>> specials;        // slot, number: x, y, z of tid, ctaid, ntid, nctaid
  int local_bytes = 0;
  std::array<unsigned, 3> max_threads{};
  unsigned max_shared = 48 * 1024;
  std::shared_ptr<std::vector<std::string>> lines;  // of the module
};

struct Module {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, std::pair<uint64_t, size_t>> variables;
  int architecture = 0;
  ~Module();
};
std::unique_ptr<Module> parse(const std::string& text);

// ---- execution

struct Launch {
  Kernel* kernel;
  std::array<unsigned, 3> grid, block;
  unsigned shared_bytes;
  std::vector<char> parameters;
};
void run(const Launch& launch);

struct Block {
  const Launch* launch = nullptr;
  std::array<unsigned, 3> index{};
  uint32_t launch_epoch = 0, block_epoch = 0, epoch = 0;  // when each began
  Region shared;
  std::vector<Warp> warps;
};

struct Warp {
  Block* block;
  int number;
  std::vector<uint64_t> registers;  // 32 lanes of each slot
  std::vector<Mask> unknown;        // lanes of each slot that hold what nothing has written
  bool any_unknown = false;
  std::array<int, 32> pc;
  Mask live, waiting;
  std::vector<Region> local;  // of each lane
  std::vector<char> local_bytes;

  uint64_t* lanes(int slot) { return registers.data() + size_t(slot) * 32; }
};

std::string where(Warp& w, const Instruction& i, int lane);
[[noreturn]] void fault(Warp& w, const Instruction& i, int lane, Code code, const std::string& what);

// The bytes that a lane accesses in a region, after all checks but of what is read past its end or
// uninitialised: `known` says how many of them can be used.
char* access(Warp& w, const Instruction& i, int lane, Region& region, uint64_t address,
             uint64_t offset, unsigned size, const void* value, unsigned& known);
char* access_global(Warp& w, const Instruction& i, int lane, uint64_t address, unsigned size,
                    const void* value, bool read_only, unsigned& known);

template <class F>
[[gnu::always_inline]] inline void each(Mask mask, F f) {
  if (mask == kAll)
    for (int lane = 0; lane < 32; ++lane) f(lane);
  else
    for (; mask; mask &= mask - 1) f(__builtin_ctz(mask));
}

template <class T>
inline T get(const uint64_t& slot) {
  T value;
  memcpy(&value, &slot, sizeof value);
  return value;
}
template <class T>
inline void put(uint64_t& slot, T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  slot = bits;
}

}  // namespace emulator
