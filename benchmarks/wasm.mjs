// One row of the section `wasm`: the entrants take turns, round after round, in this process.
//
//   node wasm.mjs ROW.json
//
// ROW.json has the files of our module and of the ONNX graph, the arrays, the entrants, and how long
// to measure. Standard output is the seconds of each round, p50 and p99, and each entrant's output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const row = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(pathToFileURL(`${row.packages}/`));
const arrays = Object.fromEntries(
  Object.entries(row.arrays).map(([name, { shape, file }]) => {
    const bytes = new Uint8Array(readFileSync(file));
    return [name, { shape, data: new Float32Array(bytes.buffer) }];
  }),
);
const isLstm = row.cell === "lstm";

const entrants = {
  async "rnn-compiler"() {
    const { load } = await import(pathToFileURL(row.module));
    const call = (await load())[row.function];
    const [steps, batch] = row.size;
    const given = { input: arrays.input.data, sequence_lengths: new Int32Array(batch).fill(steps) };
    for (const name of ["input_h", "input_c"].slice(0, isLstm ? 2 : 1)) given[name] = arrays[name].data;
    return () => call(given).output;
  },

  async "onnxruntime-web"() {
    const ort = require("onnxruntime-web");
    ort.env.wasm.numThreads = 1;
    const session = await ort.InferenceSession.create(row.graph, {
      executionProviders: ["wasm"],
      graphOptimizationLevel: "all",
    });
    const tensor = ({ data, shape }) => new ort.Tensor("float32", data, shape);
    const given = { X: tensor(arrays.input), h0: tensor(arrays.input_h) };
    if (isLstm) given.c0 = tensor(arrays.input_c);
    return async () => (await session.run(given)).Y.data;
  },

  async tfjs() {
    const tf = require("@tensorflow/tfjs");
    require("@tensorflow/tfjs-backend-wasm");
    await tf.setBackend("wasm");
    await tf.ready();
    const [steps, batch, inputs, units] = row.size;
    const layer = tf.layers.lstm({
      units,
      recurrentActivation: "sigmoid",
      returnSequences: true,
      unitForgetBias: false,
      kernelInitializer: "zeros",
      recurrentInitializer: "zeros",
    });
    const tensor = ({ data, shape }) => tf.tensor(data, shape);
    const state = ["input_h", "input_c"].map((name) => tensor(arrays[name]).reshape([batch, units]));
    const x = tensor(arrays.input).reshape([batch, steps, inputs]);
    const call = () => tf.tidy(() => layer.apply(x, { initialState: state }).dataSync());
    call(); // makes the weights
    layer.setWeights(["kernel", "recurrent_kernel", "bias"].map((name) => tensor(arrays[name])));
    return call;
  },
};

const middle = (values, part) => values.sort((a, b) => a - b)[Math.floor(part * (values.length - 1))];

async function turn(call, seconds) {
  const taken = [];
  const end = performance.now() + seconds * 1e3;
  await call();
  do {
    const start = performance.now();
    await call();
    taken.push((performance.now() - start) / 1e3);
  } while (performance.now() < end && taken.length < 1000);
  return taken;
}

const found = {};
const calls = {};
for (const label of row.entrants) {
  try {
    calls[label] = await entrants[label]();
    found[label] = { output: [...(await calls[label]())], seconds: [], tails: [] };
    await turn(calls[label], row.warm); // the engine recompiles what runs often
  } catch (error) {
    found[label] = { failure: String(error).split("\n")[0] };
  }
}
for (let round = 0; round < row.rounds; round++)
  for (const [label, call] of Object.entries(calls)) {
    const taken = await turn(call, row.seconds);
    found[label].seconds.push(middle(taken, 0.5));
    found[label].tails.push(middle(taken, 0.99));
  }
console.log(JSON.stringify(found));
