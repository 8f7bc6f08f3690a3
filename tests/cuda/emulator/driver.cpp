// The functions of NVIDIA's driver that IREE asks for. Work is done by one thread in the order
// in which it was issued, whatever its stream: nothing that waits for an event waits in vain.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "machine.h"

using namespace emulator;

#define API extern "C" __attribute__((visibility("default")))
using Result = int;
using Pointer = unsigned long long;

namespace {

// None of these is destroyed: the process may end while the thread works.
std::mutex& g_machine = *new std::mutex;  // memory, and what runs
std::mutex& g_lock = *new std::mutex;     // all below
std::condition_variable& g_change = *new std::condition_variable;
std::deque<std::function<void()>>& g_queue = *new std::deque<std::function<void()>>;
uint64_t g_issued = 0, g_done = 0;
Result g_fault = 0;  // once a kernel or a copy has failed, nothing runs any more
std::map<Result, std::string>& g_messages = *new std::map<Result, std::string>;
std::map<std::string, uint64_t>& g_calls = *new std::map<std::string, uint64_t>;
int g_capability = 80;
int g_context;  // there is one
thread_local bool g_is_worker = false;

void count_call(const char* name) {
  std::lock_guard<std::mutex> guard(g_lock);
  ++g_calls[name];
}

Result failed(const Fault& fault) {
  std::lock_guard<std::mutex> guard(g_lock);
  fprintf(stderr, "CUDA emulator: %s\n", fault.what());
  g_messages[fault.code] = fault.what();
  return fault.code;
}

Result current_fault() {
  std::lock_guard<std::mutex> guard(g_lock);
  return g_fault;
}

void work() {
  g_is_worker = true;
  std::unique_lock<std::mutex> lock(g_lock);
  for (;;) {
    g_change.wait(lock, [] { return !g_queue.empty(); });
    auto job = std::move(g_queue.front());
    g_queue.pop_front();
    lock.unlock();
    job();
    lock.lock();
    ++g_done;
    g_change.notify_all();
  }
}

// Does something after all that was issued before: events and calls of the host also after a fault,
// for somebody may wait for them.
Result issue(std::function<void()> job) {
  static std::once_flag started;
  std::call_once(started, [] { std::thread(work).detach(); });
  std::lock_guard<std::mutex> guard(g_lock);
  g_queue.push_back(std::move(job));
  ++g_issued;
  g_change.notify_all();
  return g_fault;
}

Result issue_work(std::function<void()> job) {
  return issue([job = std::move(job)] {
    if (current_fault()) return;
    try {
      std::lock_guard<std::mutex> guard(g_machine);
      job();
    } catch (const Fault& fault) {
      Result code = failed(fault);
      std::lock_guard<std::mutex> guard(g_lock);
      g_fault = code;
    }
  });
}

// Does something at once.
template <class F>
Result now(F f) {
  try {
    std::lock_guard<std::mutex> guard(g_machine);
    f();
  } catch (const Fault& fault) {
    return failed(fault);
  }
  return current_fault();
}

Result finish() {
  if (g_is_worker) return g_fault;  // a call of the host that calls the driver
  std::unique_lock<std::mutex> lock(g_lock);
  uint64_t issued = g_issued;
  g_change.wait(lock, [&] { return g_done >= issued; });
  return g_fault;
}

struct Event {
  uint64_t recorded = 0, done = 0;  // how often: it may be recorded again before it was reached
  std::chrono::steady_clock::time_point when;
};

struct Graph {
  std::vector<std::function<void()>> nodes;  // in an order that respects what depends on what
};

Launch launch_of(void* function, const unsigned* grid, const unsigned* block, unsigned shared,
                 void** parameters) {
  Kernel* k = static_cast<Kernel*>(function);
  Launch launch{k, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, {}};
  bool fits = block[0] * block[1] * block[2] <= 1024 && block[2] <= 64 && shared <= k->max_shared &&
              grid[1] < 65536 && grid[2] < 65536;
  for (int n = 0; n < 3; ++n)
    fits = fits && grid[n] && block[n] && (!k->max_threads[n] || block[n] <= k->max_threads[n]);
  if (!fits) throw Fault(kInvalidValue, "kernel " + k->name + ": no such grid, block or shared memory");
  launch.parameters.resize(k->parameter_bytes);
  for (size_t n = 0; n < k->parameters.size(); ++n)
    memcpy(launch.parameters.data() + k->parameters[n].offset, parameters[n], k->parameters[n].size);
  return launch;
}

// Bytes, and what is known of them: memory of the host is taken to be initialised.
void copy(Pointer to, Pointer from, size_t size) {
  Allocation *target = memory().range(to, size, "a copy's target");
  Allocation *source = memory().range(from, size, "a copy's source");
  size_t into = target ? to - target->address : 0, out = source ? from - source->address : 0;
  if (source && (!target || target->of_host)) {
    size_t first = source->first_uninitialised(out, size);
    if (first < size)
      throw Fault(kLaunchFailed, "uninitialised: the host copies " + std::to_string(size) + " bytes, " +
                                     std::to_string(out) + " past the beginning of " +
                                     std::to_string(source->size) + ", of which nothing has written byte " +
                                     std::to_string(first) +
                                     (source->stored_unknown.empty() ? "" : "; stored unknown by " + source->stored_unknown));
  }
  memmove(target ? target->bytes + into : reinterpret_cast<char*>(to),
          source ? source->bytes + out : reinterpret_cast<const char*>(from), size);
  if (!target || target->of_host) return;
  if (source && !source->of_host)
    std::copy_n(std::vector<uint8_t>(source->initialised.begin() + out, source->initialised.begin() + out + size).begin(),
                size, target->initialised.begin() + into);
  else
    target->set_initialised(into, size);
}

void fill(Pointer to, const void* value, size_t width, size_t count) {
  Allocation* target = memory().range(to, width * count, "a fill");
  if (!target) throw Fault(kInvalidValue, "a fill of memory that is not the device's");
  for (size_t n = 0; n < count; ++n)
    memcpy(target->bytes + (to - target->address) + n * width, value, width);
  target->set_initialised(to - target->address, width * count);
}

Pointer pointer(const void* host) { return reinterpret_cast<Pointer>(host); }

}  // namespace

#define COUNT count_call(__func__)

// ---- for tests

// The compute capability of the GPU, 89 for 8.9, before it is opened.
API void emulator_set_capability(int capability) { g_capability = capability; }
API size_t emulator_bytes_in_use() {
  std::lock_guard<std::mutex> guard(g_machine);
  return memory().in_use;
}
// The most that was in use since it was forgotten.
API size_t emulator_peak_bytes() {
  std::lock_guard<std::mutex> guard(g_machine);
  return memory().peak;
}
API void emulator_forget_peak() {
  std::lock_guard<std::mutex> guard(g_machine);
  memory().peak = memory().in_use;
}
API uint64_t emulator_calls(const char* name) {
  std::lock_guard<std::mutex> guard(g_lock);
  return g_calls[name];
}
// What went wrong last with a code.
API const char* emulator_message(int code) {
  std::lock_guard<std::mutex> guard(g_lock);
  return g_messages[code].c_str();
}
// The error that all calls give since something failed; 0 if nothing has.
API int emulator_fault() { return current_fault(); }
// A GPU that works again.
API void emulator_reset() {
  std::lock_guard<std::mutex> guard(g_lock);
  g_fault = 0;
}
// All forms of instructions, a line each.
API const char* emulator_forms() {
  static const std::string all = [] {
    std::string names;
    for (auto& [name, form] : forms()) names += name + "\n";
    return names;
  }();
  return all.c_str();
}

// ---- the device

API Result cuInit(unsigned) { COUNT; return 0; }
API Result cuDriverGetVersion(int* version) { COUNT; *version = 12080; return 0; }
API Result cuGetErrorName(Result error, const char** name) {
  COUNT;
  static const std::map<Result, const char*> names = {
      {0, "CUDA_SUCCESS"}, {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"}, {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU"}, {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"}, {kNotReady, "CUDA_ERROR_NOT_READY"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS"}, {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}};
  auto found = names.find(error);
  *name = found == names.end() ? "CUDA_ERROR_UNKNOWN" : found->second;
  return 0;
}
API Result cuGetErrorString(Result error, const char** text) {
  COUNT;
  *text = emulator_message(error);
  return 0;
}
API Result cuDeviceGetCount(int* count) { COUNT; *count = 1; return 0; }
API Result cuDeviceGet(int* device, int number) {
  COUNT;
  *device = 0;
  return number == 0 ? 0 : kInvalidDevice;
}
API Result cuDeviceGetName(char* name, int size, int) {
  COUNT;
  snprintf(name, size, "an interpreter of PTX");
  return 0;
}
API Result cuDeviceGetUuid(char* uuid, int) { COUNT; for (int n = 0; n < 16; ++n) uuid[n] = n; return 0; }
API Result cuDeviceGetAttribute(int* value, int attribute, int) {
  COUNT;
  static const std::map<int, int> values = {  // CUdevice_attribute, of an A100
      {1, 1024}, {2, 1024}, {3, 1024}, {4, 64},         // threads of a block
      {5, 2147483647}, {6, 65535}, {7, 65535},          // blocks of a grid
      {8, 49152}, {81, 167936}, {97, 166912},           // shared memory of a block, of a processor
      {10, 32}, {12, 65536}, {82, 65536}, {16, 108}, {39, 2048},
      {19, 1}, {41, 1}, {83, 1}, {89, 1}, {99, 1}, {115, 1}};
  auto found = values.find(attribute);
  *value = attribute == 75 ? g_capability / 10 : attribute == 76 ? g_capability % 10
         : found == values.end() ? 0 : found->second;
  return 0;
}
API Result cuCtxCreate_v2(void** context, unsigned, int) { COUNT; *context = &g_context; return 0; }
API Result cuCtxDestroy_v2(void*) { COUNT; return 0; }
API Result cuDevicePrimaryCtxRetain(void** context, int) { COUNT; *context = &g_context; return 0; }
API Result cuDevicePrimaryCtxRelease_v2(int) { COUNT; return 0; }
API Result cuCtxSetCurrent(void*) { COUNT; return 0; }
API Result cuCtxPushCurrent_v2(void*) { COUNT; return 0; }
API Result cuCtxPopCurrent_v2(void** context) { COUNT; if (context) *context = &g_context; return 0; }

// ---- streams and events

API Result cuStreamCreate(void** stream, unsigned) { COUNT; *stream = new char; return 0; }
API Result cuStreamDestroy_v2(void* stream) { COUNT; finish(); delete static_cast<char*>(stream); return 0; }
API Result cuStreamSynchronize(void*) { COUNT; return finish(); }
API Result cuStreamWaitEvent(void*, void*, unsigned) { COUNT; return current_fault(); }
API Result cuLaunchHostFunc(void*, void (*function)(void*), void* data) {
  COUNT;
  return issue([=] { function(data); });
}
API Result cuEventCreate(void** event, unsigned) { COUNT; *event = new Event; return 0; }
API Result cuEventDestroy_v2(void* event) { COUNT; return issue([=] { delete static_cast<Event*>(event); }); }
API Result cuEventRecord(void* event, void*) {
  COUNT;
  Event* e = static_cast<Event*>(event);
  uint64_t number;
  {
    std::lock_guard<std::mutex> guard(g_lock);
    number = ++e->recorded;
  }
  return issue([=] {
    std::lock_guard<std::mutex> guard(g_lock);
    e->done = number;
    e->when = std::chrono::steady_clock::now();
  });
}
API Result cuEventQuery(void* event) {
  COUNT;
  std::lock_guard<std::mutex> guard(g_lock);
  Event* e = static_cast<Event*>(event);
  return g_fault ? g_fault : e->done == e->recorded ? 0 : kNotReady;
}
API Result cuEventSynchronize(void* event) {
  COUNT;
  std::unique_lock<std::mutex> lock(g_lock);
  Event* e = static_cast<Event*>(event);
  g_change.wait(lock, [=, number = e->recorded] { return e->done >= number; });
  return g_fault;
}
API Result cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  COUNT;
  auto time = static_cast<Event*>(to)->when - static_cast<Event*>(from)->when;
  *milliseconds = std::chrono::duration<float, std::milli>(time).count();
  return 0;
}

// ---- memory

API Result cuMemAlloc_v2(Pointer* p, size_t size) { COUNT; return now([&] { *p = memory().allocate(size, false); }); }
API Result cuMemFree_v2(Pointer p) { COUNT; finish(); return now([&] { if (p) memory().release(p); }); }
API Result cuMemAllocManaged(Pointer* p, size_t size, unsigned) {
  COUNT;
  return now([&] { *p = memory().allocate(size, true); });
}
API Result cuMemPrefetchAsync(Pointer, size_t, int, void*) { COUNT; return 0; }
API Result cuMemHostAlloc(void** p, size_t size, unsigned) {
  COUNT;
  return now([&] { *p = reinterpret_cast<void*>(memory().allocate(size, true)); });
}
API Result cuMemFreeHost(void* p) { COUNT; finish(); return now([&] { memory().release(pointer(p)); }); }
API Result cuMemHostRegister_v2(void* p, size_t size, unsigned) { COUNT; return now([&] { memory().adopt(p, size); }); }
API Result cuMemHostUnregister(void* p) { COUNT; return cuMemFreeHost(p); }
API Result cuMemHostGetDevicePointer_v2(Pointer* device, void* p, unsigned) { COUNT; *device = pointer(p); return 0; }
API Result cuMemPoolCreate(void** pool, const void*) { COUNT; *pool = new char; return 0; }
API Result cuMemPoolDestroy(void* pool) { COUNT; delete static_cast<char*>(pool); return 0; }
API Result cuMemPoolSetAccess(void*, const void*, size_t) { COUNT; return 0; }
API Result cuMemPoolGetAttribute(void*, int, void* value) {
  COUNT;
  *static_cast<uint64_t*>(value) = emulator_bytes_in_use();
  return 0;
}
API Result cuMemPoolSetAttribute(void*, int, void*) { COUNT; return 0; }
API Result cuMemPoolTrimTo(void*, size_t) { COUNT; return 0; }
API Result cuMemAllocFromPoolAsync(Pointer* p, size_t size, void*, void*) { COUNT; return cuMemAlloc_v2(p, size); }
API Result cuMemFreeAsync(Pointer p, void*) { COUNT; return issue_work([=] { memory().release(p); }); }

API Result cuMemsetD32Async(Pointer p, unsigned value, size_t n, void*) { COUNT; return issue_work([=] { fill(p, &value, 4, n); }); }
API Result cuMemsetD16Async(Pointer p, unsigned short value, size_t n, void*) { COUNT; return issue_work([=] { fill(p, &value, 2, n); }); }
API Result cuMemsetD8Async(Pointer p, unsigned char value, size_t n, void*) { COUNT; return issue_work([=] { fill(p, &value, 1, n); }); }
API Result cuMemcpyAsync(Pointer to, Pointer from, size_t n, void*) { COUNT; return issue_work([=] { copy(to, from, n); }); }
API Result cuMemcpyHtoDAsync_v2(Pointer to, const void* from, size_t n, void*) {
  COUNT;
  auto bytes = static_cast<const char*>(from);  // as of memory that is not pinned: it may change now
  return issue_work([=, staged = std::vector<char>(bytes, bytes + n)] { copy(to, pointer(staged.data()), n); });
}

// ---- modules and kernels

API Result cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void**) {
  COUNT;
  return now([&] {
    auto parsed = parse(static_cast<const char*>(image));
    if (parsed->architecture > g_capability)
      throw Fault(kNoBinaryForGpu, "PTX for sm_" + std::to_string(parsed->architecture) + ", a later GPU");
    *module = parsed.release();
  });
}
API Result cuModuleUnload(void* module) { COUNT; finish(); return now([&] { delete static_cast<Module*>(module); }); }
API Result cuModuleGetFunction(void** function, void* module, const char* name) {
  COUNT;
  auto& kernels = static_cast<Module*>(module)->kernels;
  auto found = kernels.find(name);
  *function = found == kernels.end() ? nullptr : found->second.get();
  return *function ? 0 : kNotFound;
}
API Result cuModuleGetGlobal_v2(Pointer* p, size_t* size, void* module, const char* name) {
  COUNT;
  auto& variables = static_cast<Module*>(module)->variables;
  auto found = variables.find(name);
  if (found == variables.end()) return kNotFound;
  if (p) *p = found->second.first;
  if (size) *size = found->second.second;
  return 0;
}
API Result cuFuncSetAttribute(void* function, int attribute, int value) {
  COUNT;
  if (attribute == 8 && value > 166912) return kInvalidValue;  // dynamic shared memory
  if (attribute == 8) static_cast<Kernel*>(function)->max_shared = std::max(48 * 1024, value);
  return 0;
}
API Result cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void*, void** parameters, void**) {
  COUNT;
  unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  return now([&] {
    issue_work([launch = launch_of(function, grid, block, shared, parameters)] { run(launch); });
  });
}

// ---- graphs: nodes are added in an order in which they can run

struct Memcpy3D {  // CUDA_MEMCPY3D
  size_t srcX, srcY, srcZ, srcLOD;
  int srcType;
  const void* srcHost;
  Pointer srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight, dstX, dstY, dstZ, dstLOD;
  int dstType;
  void* dstHost;
  Pointer dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight, width, height, depth;
};
struct MemsetNode {  // CUDA_MEMSET_NODE_PARAMS
  Pointer dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS
  void* function;
  unsigned grid[3], block[3], shared;
  void **parameters, **extra;
};

static Result add_node(void** node, void* graph, std::function<void()> run) {
  auto& nodes = static_cast<Graph*>(graph)->nodes;
  nodes.push_back(std::move(run));
  *node = reinterpret_cast<void*>(nodes.size());
  return 0;
}
API Result cuGraphCreate(void** graph, unsigned) { COUNT; *graph = new Graph; return 0; }
API Result cuGraphDestroy(void* graph) { COUNT; delete static_cast<Graph*>(graph); return 0; }
API Result cuGraphGetNodes(void* graph, void** nodes, size_t* count) {
  COUNT;
  size_t all = static_cast<Graph*>(graph)->nodes.size();
  for (size_t n = 0; nodes && n < std::min(*count, all); ++n) nodes[n] = reinterpret_cast<void*>(n + 1);
  *count = all;
  return 0;
}
API Result cuGraphAddEmptyNode(void** node, void* graph, void* const*, size_t) { COUNT; return add_node(node, graph, [] {}); }
API Result cuGraphAddEventRecordNode(void** node, void* graph, void* const*, size_t, void*) { COUNT; return add_node(node, graph, [] {}); }
API Result cuGraphAddMemcpyNode(void** node, void* graph, void* const*, size_t, const Memcpy3D* p, void*) {
  COUNT;
  Pointer from = (p->srcType == 1 ? pointer(p->srcHost) : p->srcDevice) + p->srcX;
  Pointer to = (p->dstType == 1 ? pointer(p->dstHost) : p->dstDevice) + p->dstX;
  return add_node(node, graph, [=, width = p->width] { copy(to, from, width); });
}
API Result cuGraphAddMemsetNode(void** node, void* graph, void* const*, size_t, const MemsetNode* p, void*) {
  COUNT;
  return add_node(node, graph, [p = *p] { fill(p.dst, &p.value, p.elementSize, p.width); });
}
API Result cuGraphAddKernelNode(void** node, void* graph, void* const*, size_t, const KernelNode* p) {
  COUNT;
  return now([&] {
    auto launch = launch_of(p->function, p->grid, p->block, p->shared, p->parameters);
    add_node(node, graph, [launch] { run(launch); });
  });
}
API Result cuGraphInstantiate_v2(void** instance, void* graph, void**, char*, size_t) {
  COUNT;
  *instance = new Graph(*static_cast<Graph*>(graph));
  return 0;
}
API Result cuGraphExecDestroy(void* instance) { COUNT; delete static_cast<Graph*>(instance); return 0; }
API Result cuGraphLaunch(void* instance, void*) {
  COUNT;
  return issue_work([nodes = static_cast<Graph*>(instance)->nodes] { for (auto& node : nodes) node(); });
}

// ---- what there is, by name

API Result cuGetProcAddress(const char* name, void** function, int, uint64_t) {
  COUNT;
#define PLAIN(name) {#name, reinterpret_cast<void*>(name)}
#define V2(name) {#name, reinterpret_cast<void*>(name##_v2)}
  static const std::map<std::string, void*> functions = {
      PLAIN(cuGetErrorName), PLAIN(cuGetErrorString), PLAIN(cuDriverGetVersion), V2(cuCtxCreate), V2(cuCtxDestroy),
      PLAIN(cuDevicePrimaryCtxRetain), V2(cuDevicePrimaryCtxRelease), PLAIN(cuCtxSetCurrent), V2(cuCtxPushCurrent),
      V2(cuCtxPopCurrent), PLAIN(cuDeviceGet), PLAIN(cuDeviceGetCount), PLAIN(cuDeviceGetName),
      PLAIN(cuDeviceGetAttribute), PLAIN(cuDeviceGetUuid), PLAIN(cuEventCreate), V2(cuEventDestroy),
      PLAIN(cuEventElapsedTime), PLAIN(cuEventQuery), PLAIN(cuEventRecord), PLAIN(cuEventSynchronize),
      PLAIN(cuGetProcAddress), PLAIN(cuGraphAddEmptyNode), PLAIN(cuGraphAddEventRecordNode),
      PLAIN(cuGraphAddMemcpyNode), PLAIN(cuGraphAddMemsetNode), PLAIN(cuGraphAddKernelNode), PLAIN(cuGraphCreate),
      PLAIN(cuGraphDestroy), PLAIN(cuGraphExecDestroy), PLAIN(cuGraphGetNodes), V2(cuGraphInstantiate),
      PLAIN(cuGraphLaunch), PLAIN(cuInit), PLAIN(cuMemAllocManaged), PLAIN(cuMemPrefetchAsync), V2(cuMemAlloc),
      V2(cuMemFree), PLAIN(cuMemFreeHost), PLAIN(cuMemHostAlloc), V2(cuMemHostRegister), PLAIN(cuMemHostUnregister),
      V2(cuMemHostGetDevicePointer), PLAIN(cuMemPoolCreate), PLAIN(cuMemPoolDestroy), PLAIN(cuMemPoolSetAccess),
      PLAIN(cuMemPoolGetAttribute), PLAIN(cuMemPoolSetAttribute), PLAIN(cuMemPoolTrimTo),
      PLAIN(cuMemAllocFromPoolAsync), PLAIN(cuMemFreeAsync), PLAIN(cuModuleGetFunction), V2(cuModuleGetGlobal),
      PLAIN(cuModuleLoadDataEx), PLAIN(cuModuleUnload), PLAIN(cuStreamCreate), V2(cuStreamDestroy),
      PLAIN(cuStreamSynchronize), PLAIN(cuStreamWaitEvent), PLAIN(cuMemsetD32Async), PLAIN(cuMemsetD16Async),
      PLAIN(cuMemsetD8Async), PLAIN(cuMemcpyAsync), V2(cuMemcpyHtoDAsync), PLAIN(cuFuncSetAttribute),
      PLAIN(cuLaunchKernel), PLAIN(cuLaunchHostFunc)};
  auto found = functions.find(name);
  *function = found == functions.end() ? nullptr : found->second;
  if (!*function) fprintf(stderr, "CUDA emulator: there is no %s\n", name);
  return *function ? 0 : kNotFound;
}
