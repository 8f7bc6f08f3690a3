// Memory, and what is checked of every access: bounds, alignment, initialisation, races.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "machine.h"

namespace emulator {

namespace {

constexpr uint64_t kAlignment = 512;  // of device memory
constexpr uint64_t kGap = 1 << 20;    // between allocations
constexpr uint16_t kSeveral = 0xffff, kSeveralBlocks = 0xfffe;  // threads

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%#lx", (unsigned long)value);
  return text;
}

}  // namespace

Memory& memory() {
  static Memory* all = new Memory;  // never destroyed: work may be under way when a process ends
  return *all;
}

Allocation::~Allocation() {
  if (owned) free(bytes);
}

void Region::set_initialised(size_t offset, size_t count, uint8_t value) {
  if (!of_host) std::fill_n(initialised.begin() + offset, count, value);
}

size_t Region::first_uninitialised(size_t offset, size_t count) const {
  if (of_host) return count;
  const uint8_t* first = initialised.data() + offset;
  const void* found = memchr(first, 0, count);
  return found ? static_cast<const uint8_t*>(found) - first : count;
}

uint64_t Memory::allocate(size_t size, bool of_host) {
  auto a = std::make_unique<Allocation>();
  a->bytes = static_cast<char*>(aligned_alloc(kAlignment, (size / kAlignment + 1) * kAlignment));
  if (!a->bytes) throw Fault(kOutOfMemory, "out of memory");
  memset(a->bytes, 0xff, size);  // not a number, should a check be passed by
  a->size = size;
  a->of_host = of_host;
  a->owned = true;
  if (of_host) {
    a->address = reinterpret_cast<uint64_t>(a->bytes);
  } else {
    a->initialised.resize(size);
    a->address = next_;
    next_ += (size / kAlignment + 1) * kAlignment + kGap;
  }
  in_use += size;
  peak = std::max(peak, in_use);
  uint64_t address = a->address;
  allocations_[address] = std::move(a);
  return address;
}

void Memory::adopt(void* host, size_t size) {
  auto a = std::make_unique<Allocation>();
  a->bytes = static_cast<char*>(host);
  a->size = size;
  a->of_host = true;
  a->address = reinterpret_cast<uint64_t>(host);
  uint64_t address = a->address;
  allocations_[address] = std::move(a);
}

void Memory::release(uint64_t address) {
  auto found = allocations_.find(address);
  if (found == allocations_.end())
    throw Fault(kInvalidValue, "freed " + hex(address) + ", which is no allocation, or no longer");
  if (found->second->owned) in_use -= found->second->size;
  allocations_.erase(found);
}

Allocation* Memory::find(uint64_t address) {
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  Allocation* a = std::prev(after)->second.get();
  uint64_t room = a->of_host ? a->size : a->size + kGap;  // what is past its end is next to it
  return address - a->address < std::max<uint64_t>(room, 1) ? a : nullptr;
}

Allocation* Memory::range(uint64_t address, size_t size, const char* what) {
  Allocation* a = find(address);
  if (!a && address < 0x700000000000) return nullptr;
  if (!a && address >= next_) return nullptr;  // the host's stacks and libraries lie above
  if (!a || address - a->address + size > a->size)
    throw Fault(kIllegalAddress, std::string(what) + ": " + std::to_string(size) + " bytes at " +
                                     hex(address) + " are not in one allocation");
  return a;
}

// ---- what a kernel accesses

namespace {

// Two threads that access a byte, of which one writes another value than is there, must be of one
// block with a barrier between them.
void check_races(Warp& w, const Instruction& i, int lane, Region& region, uint64_t address,
                 uint64_t offset, unsigned size, const char* value) {
  Block& b = *w.block;
  uint16_t thread = w.number * 32 + lane;
  for (unsigned n = 0; n < size; ++n) {
    Accesses& a = region.accesses[offset + n];
    auto unordered = [&](uint32_t epoch, uint16_t other) {
      return epoch >= b.launch_epoch &&
             (epoch < b.block_epoch || other == kSeveralBlocks || (epoch == b.epoch && other != thread));
    };
    bool changes = value && region.bytes[offset + n] != value[n];
    const char* race = nullptr;
    if (!value && unordered(a.written, a.writer)) race = "reads what another thread writes";
    if (changes && unordered(a.written, a.writer)) race = "writes what another thread writes";
    if (changes && unordered(a.read, a.reader)) race = "writes what another thread reads";
    if (race)
      fault(w, i, lane, kLaunchFailed, std::string("race: it ") + race + ", at " + hex(address + n));
    if (value) {
      a.written = b.epoch, a.writer = thread;
      continue;
    }
    bool earlier_block = a.read >= b.launch_epoch && (a.read < b.block_epoch || a.reader == kSeveralBlocks);
    if (earlier_block)
      a.reader = kSeveralBlocks;
    else if (a.read != b.epoch)
      a.reader = thread;
    else if (a.reader != thread)
      a.reader = kSeveral;
    a.read = b.epoch;
  }
}

}  // namespace

char* access(Warp& w, const Instruction& i, int lane, Region& region, uint64_t address,
             uint64_t offset, unsigned size, const void* value, unsigned& known) {
  const char* does = value ? "writes " : "reads ";
  std::string what;
  Code code = kIllegalAddress;
  if (address % size) {
    what = std::string("misaligned: it ") + does + std::to_string(size) + " bytes at " + hex(address);
    code = kMisalignedAddress;
  } else if (offset >= region.size || (value && offset + size > region.size)) {
    what = std::string("out of bounds: it ") + does + std::to_string(size) + " bytes at " + hex(address) +
           ", " + std::to_string((int64_t)offset) + " past the beginning of " + std::to_string(region.size);
  }
  if (!what.empty()) fault(w, i, lane, code, what);
  size_t inside = std::min<size_t>(size, region.size - offset);
  known = value ? size : region.first_uninitialised(offset, inside);
  if (!region.accesses.empty())
    check_races(w, i, lane, region, address, offset, known, static_cast<const char*>(value));
  if (value) region.set_initialised(offset, size);
  return region.bytes + offset;
}

char* access_global(Warp& w, const Instruction& i, int lane, uint64_t address, unsigned size,
                    const void* value, bool read_only, unsigned& known) {
  Allocation* a = memory().find(address);
  if (!a)
    fault(w, i, lane, kIllegalAddress,
          std::string("out of bounds: it ") + (value ? "writes " : "reads ") + std::to_string(size) +
              " bytes at " + hex(address) + ", which is in no allocation");
  if (a->accesses.empty()) a->accesses.resize(a->size);
  char* bytes = access(w, i, lane, *a, address, address - a->address, size, value, known);
  for (unsigned n = 0; read_only && n < known; ++n)
    if (a->accesses[address - a->address + n].written >= w.block->launch_epoch)
      fault(w, i, lane, kLaunchFailed, "read-only: it reads by .nc what the kernel writes, at " + hex(address));
  return bytes;
}

}  // namespace emulator
