/** An error of this module; its name says which. */
export class RnnCompilerError extends Error {}

/** An argument that a function does not accept. */
export class InvalidArgumentError extends RnnCompilerError {
  name = "InvalidArgumentError";
  constructor(op, argument, expected, got, remedy = "") {
    super(`${op}: '${argument}': expected ${expected}, got ${got}${remedy && `; ${remedy}`}`);
    Object.assign(this, { op, argument, expected, got, remedy });
  }
}

/** Something that this engine, or this module, does not provide. */
export class UnsupportedError extends RnnCompilerError {
  name = "UnsupportedError";
}

/** A .wasm file that is missing, damaged, or of another module. */
export class ArtifactError extends RnnCompilerError {
  name = "ArtifactError";
}

const ALIGNMENT = 16;
const PAGE = 65536;

const aligned = (size) => Math.ceil(size / ALIGNMENT) * ALIGNMENT;
const product = (sizes) => sizes.reduce((total, size) => total * size, 1);

/**
 * Compiles and starts the module.
 *
 * @param source Where NAME.wasm is, if not beside this file: a URL, a Response, its bytes, or a
 *   WebAssembly.Module.
 * @returns The functions, by name.
 */
export async function load(source = new URL(`./${MODULE.name}.wasm`, import.meta.url)) {
  const module = await compiled(source);
  const [id] = WebAssembly.Module.customSections(module, "rnn_compiler.id");
  if (!id || new TextDecoder().decode(id) !== MODULE.id)
    throw new ArtifactError(`${MODULE.name}.wasm: not of this ${MODULE.name}.mjs: compile again`);
  const instance = await WebAssembly.instantiate(module, {});
  const memory = new Memory(instance.exports);
  const library = {
    memory,
    kernels: kernelsOf(instance.exports, memory),
    constants: reservedConstants(module, memory),
  };
  const rows = Object.entries(MODULE.functions);
  const functions = rows.map(([name, row]) => [name, callable(library, name, row)]);
  const starts = rows.map(([name]) => [`${name}_start`, (given) => session(library, name, given)]);
  return Object.freeze(Object.fromEntries([...functions, ...(MODULE.states ? starts : [])]));
}

async function compiled(source) {
  const file = `${MODULE.name}.wasm`;
  if (source instanceof WebAssembly.Module) return source;
  source = await source;
  try {
    if (source instanceof ArrayBuffer || ArrayBuffer.isView(source))
      return await WebAssembly.compile(source);
    if (typeof Response === "undefined" || !(source instanceof Response)) {
      const url = new URL(source, import.meta.url);
      if (url.protocol === "file:" && globalThis.process?.versions?.node) {
        const { readFile } = await import("node:fs/promises");
        return await WebAssembly.compile(await readFile(url));
      }
      source = await fetch(url);
    }
    if (!source.ok) throw new ArtifactError(`${source.url}: status ${source.status}`);
    return await WebAssembly.compile(await source.arrayBuffer());
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) {
      const needed = MODULE.features.join(", ");
      throw new UnsupportedError(
        `${file}: this engine does not compile it; it needs ${needed} (${error.message})`,
      );
    }
    if (error instanceof RnnCompilerError) throw error;
    throw new ArtifactError(`${file}: cannot be read (${error.message})`);
  }
}

/** The memory of an instance, of which parts are handed out. */
class Memory {
  constructor(exports) {
    this.exported = exports.memory;
    this.end = aligned(exports.__heap_base.value);
    this.unused = [];
    this.view();
  }

  view() {
    const { buffer } = this.exported;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer);
    this.data = new DataView(buffer);
  }

  /** The address of so many bytes. */
  take(size) {
    size = Math.max(ALIGNMENT, aligned(size));
    const found = this.unused.findIndex((each) => each.size >= size && each.size <= 2 * size);
    if (found >= 0) return this.unused.splice(found, 1)[0];
    const missing = this.end + size - this.exported.buffer.byteLength;
    if (missing > 0) {
      try {
        this.exported.grow(Math.ceil(missing / PAGE));
      } catch {
        throw new RangeError(`${MODULE.name}: no memory for ${size} bytes`);
      }
      this.view();
    }
    const start = this.end;
    this.end += size;
    return { start, size };
  }

  give(part) {
    this.unused.push(part);
  }

  array(type, start, count) {
    return new type(this.exported.buffer, start, count);
  }
}

/** The compiled code by name, from the tables of an executable library 0.6 of IREE. */
function kernelsOf(exports, memory) {
  const query = Object.keys(exports).find((name) => name.endsWith("_library_query"));
  if (!query) return {};
  const { words, bytes } = memory;
  const library = exports[query](6, 0) / 4;
  if (words[words[library] / 4] !== 6) throw new ArtifactError(`${MODULE.name}.wasm: damaged`);
  const [count, code, names] = [words[library + 3], words[library + 4] / 4, words[library + 8] / 4];
  const found = {};
  for (let k = 0; k < count; k++) {
    const start = words[names + k];
    const name = new TextDecoder().decode(bytes.subarray(start, bytes.indexOf(0, start)));
    found[name] = exports.__indirect_function_table.get(words[code + k]);
  }
  return found;
}

/** The addresses of the constants, which come in a section of the file. */
function reservedConstants(module, memory) {
  const [data] = WebAssembly.Module.customSections(module, "rnn_compiler.constants");
  if (!MODULE.constants.length) return [];
  const { start } = memory.take(data.byteLength);
  memory.bytes.set(new Uint8Array(data), start);
  return MODULE.constants.map((offset) => start + offset);
}

/**
 * A function's arrays in memory at some sizes, and its steps, ready to run. Arrays that are already
 * in memory stay where they are: `there` has their addresses, by name.
 */
class Arena {
  constructor(library, row, sizes, there = Object.create(null)) {
    Object.assign(this, { library, row });
    const { memory } = library;
    const plan = planAt(row, sizes);
    this.shapes = plan.shapes;
    let end = 0;
    const reserved = (size) => {
      const start = end;
      end = aligned(end + size);
      return start;
    };
    const own = (each) => (Object.hasOwn(there, each.name) ? undefined : reserved(bytesOf(each, plan)));
    const isUpdated = ({ name }) => row.updated.includes(name);
    const argument = row.arguments.map(own);
    const result = row.results.map((each) => (isUpdated(each) ? undefined : own(each)));
    const scratch = reserved(plan.scratch);
    this.environment = reserved(96);
    this.group = reserved(32);
    const records = reserved(recordBytes(plan.steps));
    this.part = memory.take(end);
    const { start } = this.part;
    const found = (tensors, starts) =>
      tensors.map(({ name }, k) => there[name] ?? start + starts[k]);
    this.argument = found(row.arguments, argument);
    const of = (name) => this.argument[row.arguments.findIndex((each) => each.name === name)];
    this.result = found(row.results, result);
    row.results.forEach((each, k) => isUpdated(each) && (this.result[k] = of(each.name)));
    const results = this.result.filter((_, k) => !isUpdated(row.results[k]));
    this.environment += start;
    this.group += start;
    const storages = { a: this.argument, r: results, s: [start + scratch], c: library.constants };
    this.record = start + records;
    memory.bytes.fill(0, this.environment, this.record);
    const address = ([storage, index, offset]) => storages[storage][index] + offset;
    this.steps = plan.steps.map((step) => this.ready(step, address));
  }

  /** What a step does. */
  ready([kind, ...rest], address) {
    const { memory, kernels } = this.library;
    if (kind === "copy") {
      const [source, target] = rest;
      const [from, to] = [address(source), address(target)];
      return () => memory.bytes.copyWithin(to, from, from + source[3]);
    }
    if (kind === "fill") {
      const [target, pattern] = rest;
      const [start, end] = [address(target), address(target) + target[3]];
      if (pattern.every((byte) => byte === pattern[0]))
        return () => memory.bytes.fill(pattern[0], start, end);
      return () => {
        for (let k = start; k < end; k++) memory.bytes[k] = pattern[(k - start) % pattern.length];
      };
    }
    if (kind === "choice") {
      const [value, cases] = rest;
      const start = address(value);
      const number = {
        1: () => memory.data.getInt8(start),
        4: () => memory.data.getInt32(start, true),
        8: () => Number(memory.data.getBigInt64(start, true)),
      }[value[3]];
      const ways = new Map(
        cases.map(([key, steps]) => [key, steps.map((each) => this.ready(each, address))]),
      );
      return () => {
        for (const step of ways.get(number())) step();
      };
    }
    const [kernel, [countX, countY, countZ], constants, buffers] = rest;
    const code = kernels[kernel];
    if (!code) throw new ArtifactError(`${MODULE.name}.wasm: lacks ${kernel}`);
    const { environment, group } = this;
    const record = this.record;
    const words = memory.words.subarray(record / 4);
    const tables = 12;
    words.set([1, 1], 0);
    memory.data.setUint16(record + 8, 1, true);
    memory.data.setUint16(record + 10, constants.length, true);
    words.set([countX, countY], 3);
    memory.data.setUint16(record + 20, countZ, true);
    memory.data.setUint8(record + 22, 1);
    memory.data.setUint8(record + 23, buffers.length);
    const [first, second] = [tables + constants.length, tables + constants.length + buffers.length];
    words.set([record + 4 * tables, record + 4 * first, record + 4 * second], 6);
    constants.forEach((each, k) => (words[tables + k] = each));
    words.set(buffers.map(address), first);
    words.set(
      buffers.map((each) => each[3]),
      second,
    );
    this.record += recordSize(constants, buffers);
    const word = group / 4;
    return () => {
      for (let z = 0; z < countZ; z++)
        for (let y = 0; y < countY; y++)
          for (let x = 0; x < countX; x++) {
            memory.words[word] = x;
            memory.words[word + 1] = y;
            memory.words[word + 2] = z;
            if (code(environment, record, group)) throw new RnnCompilerError(`${kernel}: failed`);
          }
    };
  }

  write(k, values) {
    const { dtype } = this.row.arguments[k];
    const count = product(this.shapes[this.row.arguments[k].name]);
    const array = this.library.memory.array(ARRAYS[dtype], this.argument[k], count);
    if (typeof values === "object") array.set(values);
    else array.fill(values);
  }

  read(k) {
    const { name, dtype } = this.row.results[k];
    const count = product(this.shapes[name]);
    return this.library.memory.array(ARRAYS[dtype], this.result[k], count).slice();
  }

  run() {
    for (const step of this.steps) step();
  }

  close() {
    this.library.memory.give(this.part);
  }
}

const bytesOf = ({ name, dtype }, plan) =>
  product(plan.shapes[name]) * ARRAYS[dtype].BYTES_PER_ELEMENT;

const recordSize = (constants, buffers) => aligned(4 * (12 + constants.length + 2 * buffers.length));

function recordBytes(steps) {
  let total = 0;
  for (const [kind, ...rest] of steps) {
    if (kind === "dispatch") total += recordSize(rest[2], rest[3]);
    if (kind === "choice") for (const [, inner] of rest[1]) total += recordBytes(inner);
  }
  return total;
}

// What is passed.

function checkKeywords(callee, given, known, required) {
  if (given === null || typeof given !== "object" || ArrayBuffer.isView(given))
    throw new TypeError(`${callee}() takes an object of arguments: ${known.join(", ")}`);
  for (const name of Object.keys(given))
    if (!known.includes(name))
      throw new TypeError(
        `${callee}() got an unexpected argument '${name}'; it takes ${known.join(", ")}`,
      );
  const missing = required.filter((name) => given[name] === undefined || given[name] === null);
  if (missing.length)
    throw new TypeError(
      `${callee}() missing required argument${missing.length > 1 ? "s" : ""}: ` +
        missing.map((name) => `'${name}'`).join(", "),
    );
}

const keyword = (spec) => spec.list || spec.name;

/** What a function does at some sizes; the last few are kept. */
const plans = new WeakMap();

/** Sizes as text, whatever the order in which they were found. */
const keyOf = (row, sizes) => row.sizes.map(({ name }) => sizes[name]).join();

function planAt(row, sizes) {
  if (!plans.has(row)) plans.set(row, new Map());
  const known = plans.get(row);
  const key = keyOf(row, sizes);
  if (!known.has(key)) {
    if (known.size === 16) known.clear();
    known.set(key, row.plan(sizes));
  }
  return known.get(key);
}

/** The arguments by their own names: those of a list are given as an array. */
function spread(row, given) {
  const values = {};
  const lists = {};
  for (const spec of row.arguments) {
    const value = given[keyword(spec)];
    if (!spec.list) values[spec.name] = value;
    else {
      lists[spec.list] = (lists[spec.list] ?? -1) + 1;
      if (!Array.isArray(value))
        throw new InvalidArgumentError(row.op, spec.list, "an array of typed arrays", typeof value);
      values[spec.name] = value[lists[spec.list]];
    }
  }
  for (const [name, last] of Object.entries(lists))
    if (given[name].length !== last + 1)
      throw new InvalidArgumentError(
        ...[row.op, name, `an array of ${last + 1} typed arrays`, `one of ${given[name].length}`],
      );
  return values;
}

/** The open sizes of a call: given by name, or what the lengths of the arrays make them. */
function sizesOf(row, given, values) {
  const sizes = {};
  for (const { name, minimum, maximum } of row.sizes) {
    const value = entryOf(given, name);
    if (value !== undefined) {
      if (!Number.isInteger(value) || value < minimum || value > maximum)
        throw new InvalidArgumentError(row.op, name, `an integer from ${minimum} to ${maximum}`, value);
      sizes[name] = value;
    }
  }
  for (let found = true; found; ) {
    found = false;
    for (const spec of row.arguments) {
      const value = values[spec.name];
      const open = spec.shape.filter((size) => typeof size === "string" && !Object.hasOwn(sizes, size));
      if (spec.ignored || open.length !== 1 || !ArrayBuffer.isView(value)) continue;
      if (!row.sizes.some((each) => each.name === open[0])) continue;
      const known = product(spec.shape.map((size) => (size === open[0] ? 1 : (sizes[size] ?? size))));
      if (!Number.isInteger(known) || !known) continue;
      const size = value.length / known;
      if (!Number.isInteger(size))
        throw new InvalidArgumentError(
          ...[row.op, spec.name, `a multiple of ${known} elements, as ${shapeText(spec)}`],
          value.length,
        );
      sizes[open[0]] = size;
      found = true;
    }
  }
  for (const { name, minimum, maximum } of row.sizes) {
    if (!Object.hasOwn(sizes, name))
      throw new InvalidArgumentError(row.op, name, "a size", "none", "pass it by name");
    if (sizes[name] < minimum || sizes[name] > maximum)
      throw new InvalidArgumentError(row.op, name, `from ${minimum} to ${maximum}`, sizes[name]);
  }
  const total = product(Object.values(sizes));
  if (row.sizes.length > 1 && total > row.limit)
    throw new InvalidArgumentError(
      ...[row.op, Object.keys(sizes).join(" * "), `at most ${row.limit}`, total],
    );
  return sizes;
}

/** An entry of an object, and not of its prototype, which has names such as `valueOf`. */
const entryOf = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const shapeText = (spec, shape = spec.shape) =>
  `shape ${spec.formula ? `${spec.formula} = ` : ""}[${shape.join(", ")}]`;

/** Checks integers, whose range may differ along the last axis; `also` is taken, too. */
function checkRange(values, minimum, maximum, also, fail) {
  const [low, high] = [[minimum].flat(), [maximum].flat()];
  let k = 0;
  for (const each of values) {
    if ((each < low[k] || each > high[k]) && (typeof also !== "number" || Number(each) !== also)) {
      const texts = low.map((least, axis) => `${least}..${high[axis]}`).join(" and ");
      const along = Array.isArray(maximum) ? " along the last axis" : "";
      fail(`${texts}${along}${typeof also === "number" ? ` or ${also}` : ""}`, each);
    }
    k = k + 1 < low.length ? k + 1 : 0;
  }
}

/** "a Float32Array", "an Int32Array". */
function oneOf(type) {
  return `${/^[AEIO]/.test(type.name) ? "an" : "a"} ${type.name}`;
}

/** Checks an argument, and gives it as `Arena.write` takes it. */
function checked(row, spec, plan, value) {
  const shape = plan.shapes[spec.name];
  const isBoolean = spec.dtype === "bool";
  const [minimum, maximum, also] = entryOf(plan.ranges, spec.name) ?? (isBoolean ? [0, 1] : []);
  const initial = entryOf(plan.defaults, spec.name) ?? 0;
  const fail = (expected, got, remedy) => {
    throw new InvalidArgumentError(row.op, spec.name, expected, got, remedy);
  };
  const isSigned = spec.dtype.startsWith("int");
  const isWhole = isSigned || isBoolean || spec.dtype.startsWith("uint");
  const isLong = spec.dtype.endsWith("int64");
  if (spec.ignored || value === undefined || value === null)
    return isLong ? BigInt(initial) : Number(initial);
  const type = ARRAYS[spec.dtype];
  const count = product(shape);
  const isArray = ArrayBuffer.isView(value);
  if (isBoolean && typeof value === "boolean") value = Number(value);
  if (!shape.length && !isArray && type === Uint16Array && !isWhole)
    fail("a Uint16Array of one element, its bits", typeof value);
  if (!shape.length && !isArray) {
    if (typeof value !== "number" && typeof value !== "bigint") fail("a number", typeof value);
    if (isWhole && typeof value === "number" && !Number.isSafeInteger(value)) fail("an integer", value);
  } else if (!isArray) {
    fail(oneOf(type), Array.isArray(value) ? "an Array" : typeof value, `pass ${type.name}.from(...)`);
  } else {
    const is16 = type === Uint16Array && value.constructor.name === "Float16Array";
    if (is16 && spec.dtype === "float16")
      value = new Uint16Array(value.buffer, value.byteOffset, value.length);
    const isInteger = isSigned && ["Int32Array", "BigInt64Array"].includes(value.constructor.name);
    if (!(value instanceof type) && !isInteger)
      fail(
        `dtype ${spec.dtype}, ${oneOf(type)}`,
        oneOf(value.constructor),
        type === Uint16Array && !isWhole ? "pass the bits" : `convert it to ${type.name}`,
      );
    if (value.length !== count)
      fail(`${count} elements, ${shapeText(spec, shape)}`, value.length);
  }
  if (maximum !== undefined && maximum !== null)
    checkRange(isArray ? value : [value], minimum, maximum, also, (range, got) =>
      fail(`${shape.length ? "values" : "a value"} in ${range}`, got),
    );
  const convert = isLong ? BigInt : Number;
  if (!isArray) {
    value = convert(value);
    if (isWhole && type.of(value)[0] !== value) fail(`a number of ${spec.dtype}`, value);
    return value;
  }
  return value instanceof type ? value : type.from(value, convert);
}

/** A function as it is called. */
function callable(library, name, row) {
  let arena;
  let last;
  const names = [...new Set(row.arguments.map(keyword)), ...row.sizes.map((each) => each.name)];
  const required = [...new Set(row.arguments.filter((each) => !each.optional).map(keyword))];
  const call = (given = {}) => {
    checkKeywords(name, given, names, required);
    const values = spread(row, given);
    const sizes = sizesOf(row, given, values);
    const key = keyOf(row, sizes);
    const plan = planAt(row, sizes);
    const written = row.arguments.map((spec) => checked(row, spec, plan, values[spec.name]));
    if (arena && key !== last) {
      arena.close();
      arena = undefined;
    }
    arena ??= new Arena(library, row, sizes);
    last = key;
    written.forEach((each, k) => row.arguments[k].ignored || arena.write(k, each));
    arena.run();
    return collected(row, (k) => arena.read(k));
  };
  const stream = (given = {}) => startStream(library, name, row, given);
  const signature = { op: row.op, arguments: row.arguments, results: row.results };
  return Object.freeze(Object.assign(call, { stream, signature }));
}

/** The results by name, those of a list as an array; without some. */
function collected(row, read, without = []) {
  const found = {};
  row.results.forEach((spec, k) => {
    if (without.includes(spec.name)) return;
    if (spec.list) (found[spec.list] ??= []).push(read(k));
    else found[spec.name] = read(k);
  });
  return found;
}

// Streams.

/** Some steps of an array with rows of steps: `outer` rows, each of `steps` times `inner` numbers. */
function steps(array, outer, count, inner, start, taken, target, at, wide) {
  for (let row = 0; row < outer; row++)
    target.set(
      array.subarray((row * count + start) * inner, (row * count + start + taken) * inner),
      (row * wide + at) * inner,
    );
}

/** Weights packed in memory: the part that they take, and the address of each. */
function packedWeights(library, row, given) {
  const { memory } = library;
  const plan = planAt(row, {});
  const there = Object.create(null);
  let size = 0;
  for (const each of row.results) {
    there[each.name] = size;
    size += aligned(bytesOf(each, plan));
  }
  const part = memory.take(size);
  for (const name of Object.keys(there)) there[name] += part.start;
  const arena = new Arena(library, row, {}, there);
  row.arguments.forEach((each, k) => arena.write(k, given[each.name]));
  arena.run();
  arena.close();
  return { part, there };
}

function startStream(library, name, row, given) {
  const { stream } = row;
  if (typeof stream === "string") throw new UnsupportedError(stream);
  const callee = `${name}.stream`;
  const { chunk, length, next, axis, most } = stream;
  const isOpen = row.sizes.some((each) => each.name === "seq_length");
  const fixed = row.arguments.filter((each) => ![chunk, length].includes(each.name));
  const isState = (each) => Object.hasOwn(next, each.name);
  const names = [...fixed.map((each) => each.name), ...row.sizes.map((each) => each.name)];
  const required = fixed.filter((each) => !isState(each) && !each.optional);
  checkKeywords(
    callee,
    given,
    names.filter((each) => each !== "seq_length"),
    required.map((each) => each.name),
  );
  const states = { ...row, sizes: row.sizes.filter((each) => each.name !== "seq_length") };
  const batch = sizesOf(states, given, given);
  const at = (count) => planAt(row, isOpen ? { ...batch, seq_length: count } : batch);
  /** A copy of an array, or as many of a number; the default if there is no value. */
  const copied = (spec, given) => {
    const value = checked(row, spec, at(1), given);
    if (typeof value === "object") return value.slice();
    return new ARRAYS[spec.dtype](product(at(1).shapes[spec.name])).fill(value);
  };
  const kept = {};
  for (const spec of fixed) kept[spec.name] = copied(spec, given[spec.name]);
  const initial = Object.fromEntries(Object.keys(next).map((each) => [each, kept[each]]));
  let state = { ...initial };
  let arena;
  let size;
  let isClosed = false;
  const called = row.packed ?? row;
  const weights = row.pack && packedWeights(library, row.pack, kept);
  const index = Object.fromEntries(called.arguments.map((each, k) => [each.name, k]));
  for (const { name } of fixed) if (!Object.hasOwn(index, name)) delete kept[name];
  const results = Object.fromEntries(row.results.map((each, k) => [each.name, k]));
  const spec = called.arguments[index[chunk]];
  const shown = row.results.filter(
    (each) => stream.rows.includes(each.name) || Object.values(next).includes(each.name),
  );

  /** Arrays for so many steps, with all that stays the same in place. */
  const prepared = (count) => {
    if (arena && size === count) return arena;
    arena?.close();
    const sizes = isOpen ? { ...batch, seq_length: count } : batch;
    arena = new Arena(library, called, sizes, weights?.there);
    size = count;
    for (const each of fixed)
      if (Object.hasOwn(kept, each.name) && !isState(each) && !each.ignored)
        arena.write(index[each.name], kept[each.name]);
    return arena;
  };

  const call = (chunks = {}) => {
    if (isClosed) throw new UnsupportedError(`${callee}: closed`);
    checkKeywords(callee, chunks, [chunk], [chunk]);
    const one = at(1).shapes[chunk];
    const values = chunks[chunk];
    const inner = product(one.slice(axis + 1));
    const outer = product(one.slice(0, axis));
    const total = stream.steps ? (values?.length ?? NaN) / (inner * outer) : 1;
    const taken = one.map((each, k) => (stream.steps && k === axis ? total : each));
    if (stream.steps && ArrayBuffer.isView(values) && !Number.isInteger(total))
      throw new InvalidArgumentError(
        ...[row.op, chunk, `a multiple of ${inner * outer} elements`, values.length],
      );
    const array = checked(row, spec, { ...at(1), shapes: { [chunk]: taken } }, values);
    const wide = isOpen ? Math.max(total, 1) : most;
    if (stream.steps && !length && total % wide)
      throw new InvalidArgumentError(
        ...[row.op, chunk, `a multiple of ${wide} steps, which the function was built for`],
        ...[`${total} steps`, "build it with seq_length=None, or CudnnRNNV3, which takes lengths"],
      );
    const joined = {};
    const parts = {};
    for (const each of shown) {
      const shape = at(total).shapes[each.name];
      if (stream.steps && stream.rows.includes(each.name)) {
        parts[each.name] = [product(shape.slice(0, axis)), product(shape.slice(axis + 1))];
        joined[each.name] = new ARRAYS[each.dtype](product(parts[each.name]) * total);
      }
    }
    let after = state;
    for (let start = 0; start < total; start += wide) {
      const count = Math.min(wide, total - start);
      const step = prepared(wide);
      let piece = array;
      if (stream.steps && count !== total) {
        piece = new ARRAYS[spec.dtype](outer * wide * inner);
        steps(array, outer, total, inner, start, count, piece, 0, wide);
      } else if (count !== wide) {
        piece = new ARRAYS[spec.dtype](outer * wide * inner);
        steps(array, outer, total, inner, 0, count, piece, 0, wide);
      }
      step.write(index[chunk], piece);
      if (length) {
        const isLong = called.arguments[index[length]].dtype === "int64";
        step.write(index[length], isLong ? BigInt(count) : count);
      }
      for (const each of Object.keys(next)) step.write(index[each], after[each]);
      step.run();
      const found = {};
      for (const [each, result] of Object.entries(next)) {
        let values = step.read(results[result]);
        if (stream.steps && stream.rows.includes(result)) {
          const width = values.length / wide;
          values = values.slice((count - 1) * width, count * width);
        }
        found[each] = values;
      }
      after = found;
      for (const each of shown) {
        const values = step.read(results[each.name]);
        if (!Object.hasOwn(parts, each.name)) joined[each.name] = values;
        else {
          const [rows, width] = parts[each.name];
          steps(values, rows, wide, width, 0, count, joined[each.name], start, total);
        }
      }
    }
    if (!total)
      for (const each of shown)
        joined[each.name] ??= state[Object.keys(next).find((key) => next[key] === each.name)].slice();
    state = after;
    return joined;
  };
  const reset = (values = {}) => {
    checkKeywords(`${name}.reset`, values, Object.keys(next), []);
    const changed = {};
    for (const [each, value] of Object.entries(values))
      if (value !== undefined) changed[each] = copied(called.arguments[index[each]], value);
    state = { ...initial, ...changed };
  };
  const close = () => {
    if (!isClosed) {
      arena?.close();
      if (weights) library.memory.give(weights.part);
    }
    isClosed = true;
  };
  Object.defineProperty(call, "state", {
    get: () => Object.fromEntries(Object.entries(state).map(([key, each]) => [key, each.slice()])),
  });
  return Object.freeze(Object.assign(call, { reset, close }));
}
