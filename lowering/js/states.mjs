
// States.

/** A hash, FNV-1a of 64 bits, as its high and its low half. */
function hashed([high, low], bytes) {
  for (const byte of bytes) {
    low = (low ^ byte) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low];
}

const HEADER = 16;

/** The members of a session; functions of these names are members of its `functions` only. */
const OWN = new Set("close functions keep load reset revert save state".split(" "));

/** A function that keeps the states of all functions, which are its members. */
function session(library, started, given = {}) {
  const { memory } = library;
  const { tensors, initial, layout } = MODULE.states;
  const names = tensors.map((each) => each.name);
  const shapes = Object.fromEntries(tensors.map((each) => [each.name, each.shape]));
  const plan = { shapes, ranges: {}, defaults: {} };
  const sizes = tensors.map((each) => bytesOf(each, plan));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const there = Object.create(null);
  const row = { op: `${started}_start` };
  const required = names.filter((name) => !Object.hasOwn(initial, name));
  checkKeywords(row.op, given, names, required);
  const read = (values) =>
    tensors
      .filter(({ name }) => values[name] !== undefined && values[name] !== null)
      .map((each) => [each, checked(row, each, plan, values[each.name])]);
  const values = read(given);
  const reserved = sizes.reduce((sum, size) => sum + Math.max(ALIGNMENT, aligned(size)), 0);
  const part = memory.take(reserved);
  let address = part.start;
  tensors.forEach(({ name }, k) => {
    there[name] = address;
    address += Math.max(ALIGNMENT, aligned(sizes[k]));
  });
  const view = ({ name, dtype }) => memory.array(ARRAYS[dtype], there[name], product(shapes[name]));
  const write = (found) => {
    for (const [each, value] of found)
      if (typeof value === "object") view(each).set(value);
      else view(each).fill(value);
  };
  tensors.forEach(({ name }, k) => {
    const constant = initial[name];
    const from = library.constants[constant ?? -1];
    if (from === undefined) memory.bytes.fill(0, there[name], there[name] + sizes[k]);
    else memory.bytes.copyWithin(there[name], from, from + sizes[k]);
  });
  write(values);
  /** The bytes of all states, one after the other. */
  const copy = () => {
    const bytes = new Uint8Array(total);
    let at = 0;
    tensors.forEach(({ name }, k) => {
      bytes.set(memory.bytes.subarray(there[name], there[name] + sizes[k]), at);
      at += sizes[k];
    });
    return bytes;
  };
  const restore = (bytes) => {
    let at = 0;
    tensors.forEach(({ name }, k) => {
      memory.bytes.set(bytes.subarray(at, at + sizes[k]), there[name]);
      at += sizes[k];
    });
  };
  const first = copy();
  const id = [parseInt(layout.slice(0, 8), 16), parseInt(layout.slice(8), 16)];
  const arenas = [];
  let kept;
  let isClosed = false;
  const use = (work) => (...given) => {
    if (isClosed) throw new UnsupportedError(`${row.op}: closed`);
    return work(...given);
  };
  const methods = {
    reset: () => restore(first),
    keep: () => void (kept = copy()),
    revert: () => {
      if (!kept) throw new InvalidArgumentError("revert", "session", "a call of keep before", "none");
      restore(kept);
    },
    save: () => {
      const bytes = copy();
      const block = new Uint8Array(HEADER + total);
      const data = new DataView(block.buffer);
      const write = (at, [high, low]) => {
        data.setUint32(at, low, true);
        data.setUint32(at + 4, high, true);
      };
      write(0, id);
      write(8, hashed(id, bytes));
      block.set(bytes, HEADER);
      return block;
    },
    load: (block) => {
      const isView = ArrayBuffer.isView(block);
      if (!isView && !(block instanceof ArrayBuffer))
        throw new InvalidArgumentError("load", "block", "a Uint8Array that save gave", typeof block);
      const bytes = isView
        ? new Uint8Array(block.buffer, block.byteOffset, block.byteLength)
        : new Uint8Array(block);
      if (bytes.length !== HEADER + total)
        throw new ArtifactError(
          `block: ${bytes.length} bytes, not ${HEADER + total}: damaged, or of another module`,
        );
      const data = new DataView(bytes.buffer, bytes.byteOffset);
      const is = (at, [high, low]) =>
        data.getUint32(at, true) === low && data.getUint32(at + 4, true) === high;
      if (!is(0, id)) throw new ArtifactError("block: of another module");
      if (!is(8, hashed(id, bytes.subarray(HEADER)))) throw new ArtifactError("block: damaged");
      restore(bytes.subarray(HEADER));
    },
  };
  const functions = Object.fromEntries(
    Object.entries(MODULE.functions).map(([name, each]) => [
      name,
      use(stateful(library, name, each, there, arenas)),
    ]),
  );
  const step = (given) => functions[started](given);
  for (const [name, each] of Object.entries(methods))
    Object.defineProperty(step, name, { value: use(each) });
  Object.defineProperty(step, "functions", { value: Object.freeze({ ...functions }) });
  Object.defineProperty(step, "state", {
    get: use(() => Object.fromEntries(tensors.map((each) => [each.name, view(each).slice()]))),
    set: use((values) => {
      checkKeywords("state", values, names, []);
      write(read(values));
    }),
  });
  Object.defineProperty(step, "close", {
    value: () => {
      if (!isClosed) for (const each of [...arenas.splice(0), part]) memory.give(each.part ?? each);
      isClosed = true;
    },
  });
  for (const [name, each] of Object.entries(functions))
    if (!OWN.has(name)) Object.defineProperty(step, name, { value: each });
  return Object.freeze(step);
}

/** A function whose states are in memory already; its arrays are added to `arenas`. */
function stateful(library, name, row, there, arenas) {
  const isState = (each) => row.states.includes(each.name);
  const own = row.arguments.filter((each) => !isState(each));
  const names = [...new Set(own.map(keyword)), ...row.sizes.map((each) => each.name)];
  const required = [...new Set(own.filter((each) => !each.optional).map(keyword))];
  let arena;
  let last;
  return (given = {}) => {
    checkKeywords(name, given, names, required);
    const values = spread({ ...row, arguments: own }, given);
    const sizes = sizesOf({ ...row, arguments: own }, given, values);
    const key = keyOf(row, sizes);
    const plan = planAt(row, sizes);
    const written = row.arguments.map((spec) =>
      isState(spec) ? undefined : checked(row, spec, plan, values[spec.name]),
    );
    if (arena && key !== last) {
      arenas.splice(arenas.indexOf(arena), 1);
      arena.close();
      arena = undefined;
    }
    if (!arena) arenas.push((arena = new Arena(library, row, sizes, there)));
    last = key;
    row.arguments.forEach((spec, k) => isState(spec) || spec.ignored || arena.write(k, written[k]));
    arena.run();
    return collected(row, (k) => arena.read(k), row.updated);
  };
}
