// Training steps in TensorFlow.js.
//
//   node steps.mjs STEP.json
//
// STEP.json has the backend, the network, the numbers of the optimizer, and the files of parameters and batch. For
// each line of standard input, a step is made, and its loss is a line of standard output.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const step = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(pathToFileURL(`${step.packages}/`));
const tf = require("@tensorflow/tfjs");
require("@tensorflow/tfjs-backend-wasm");
tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
await tf.setBackend(step.backend);
await tf.ready();

const kinds = { int32: Int32Array, float32: Float32Array };
const arrays = Object.fromEntries(
  Object.entries(step.arrays).map(([name, { shape, dtype, file }]) => {
    const { buffer } = new Uint8Array(readFileSync(file));
    return [name, tf.tensor(new kinds[dtype](buffer), shape, dtype)];
  }),
);
const p = Object.fromEntries(step.parameters.map((name) => [name, tf.variable(arrays[name])]));
const names = Object.keys(p);
const moments = [0, 1].map(() => Object.fromEntries(names.map((n) => [n, tf.variable(tf.zerosLike(p[n]))])));
const { x, y, mask } = arrays;

const dense = (layer, h) => {
  const flat = h.reshape([-1, h.shape[h.shape.length - 1]]);
  const made = tf.add(tf.matMul(flat, p[`${layer}.w`], false, true), p[`${layer}.b`]);
  return made.reshape([...h.shape.slice(0, -1), made.shape[1]]);
};

function recurrent(layer, x, gates, cell) {
  const [steps, rows, inputs] = x.shape;
  const units = p[`${layer}.r`].shape[1];
  const given = tf
    .add(tf.matMul(x.reshape([-1, inputs]), p[`${layer}.w`], false, true), p[`${layer}.bw`])
    .reshape([steps, rows, gates * units]);
  let state = [tf.zeros([rows, units]), tf.zeros([rows, units])];
  const made = [];
  for (const now of tf.unstack(given)) {
    const before = tf.add(tf.matMul(state[0], p[`${layer}.r`], false, true), p[`${layer}.br`]);
    state = cell(now, before, state);
    made.push(state[0]);
  }
  return made;
}

const lstm = (layer, x) =>
  recurrent(layer, x, 4, (now, before, [, c]) => {
    const [i, f, g, o] = tf.split(tf.add(now, before), 4, 1);
    const next = tf.add(tf.mul(tf.sigmoid(f), c), tf.mul(tf.sigmoid(i), tf.tanh(g)));
    return [tf.mul(tf.sigmoid(o), tf.tanh(next)), next];
  });

const gru = (layer, x) =>
  recurrent(layer, x, 3, (now, before, [h, none]) => {
    const [xr, xz, xn] = tf.split(now, 3, 1);
    const [hr, hz, hn] = tf.split(before, 3, 1);
    const z = tf.sigmoid(tf.add(xz, hz));
    const n = tf.tanh(tf.add(xn, tf.mul(tf.sigmoid(tf.add(xr, hr)), hn)));
    return [tf.add(tf.mul(tf.sub(1, z), n), tf.mul(z, h)), none];
  });

// The logarithm of softmax, and one-hot targets: the kernels of the backend have these gradients.
const crossEntropy = (logits, targets) => {
  const flat = logits.reshape([-1, logits.shape[logits.shape.length - 1]]);
  const chosen = tf.oneHot(targets.flatten(), flat.shape[1]);
  return tf.neg(tf.sum(tf.mul(tf.logSoftmax(flat), chosen), 1));
};

const networks = {
  characters() {
    const w = p["embedding.w"];
    const embedded = tf.matMul(tf.oneHot(x.flatten(), w.shape[0]), w).reshape([...x.shape, w.shape[1]]);
    const each = crossEntropy(dense("dense", tf.stack(gru("gru", embedded))), y);
    return tf.div(tf.sum(tf.mul(each, mask.flatten())), tf.sum(mask));
  },
  tagger() {
    const h = tf.stack(lstm("second", tf.stack(lstm("first", x))));
    return tf.mean(crossEntropy(dense("dense", h), y));
  },
  convolution() {
    const filters = tf.transpose(p["convolution.w"], [2, 1, 0]);
    const seen = tf.add(tf.conv1d(tf.transpose(x, [1, 0, 2]), filters, 2, "valid"), p["convolution.b"]);
    const h = lstm("lstm", tf.transpose(tf.relu(seen), [1, 0, 2]));
    return tf.mean(crossEntropy(dense("dense", h[h.length - 1]), y));
  },
  regression() {
    const h = lstm("lstm", x);
    return tf.mean(tf.square(tf.sub(dense("dense", h[h.length - 1]), y)));
  },
};

let count = 0;
function one() {
  const { rate: most, period, moments: [first, second], epsilon, decay } = step.optimizer;
  return tf.tidy(() => {
    const { value, grads } = tf.variableGrads(networks[step.network], Object.values(p));
    const squares = names.map((name) => tf.sum(tf.square(grads[p[name].name])));
    const scale = tf.minimum(1, tf.div(1, tf.add(tf.sqrt(tf.addN(squares)), 1e-6)));
    const rate = (most * (1 + Math.cos((Math.PI * count) / period))) / 2;
    count += 1;
    const [c1, c2] = [1 - first ** count, 1 - second ** count];
    for (const name of names) {
      const g = tf.mul(grads[p[name].name], scale);
      const [m, v] = moments.map((each) => each[name]);
      m.assign(tf.add(tf.mul(m, first), tf.mul(g, 1 - first)));
      v.assign(tf.add(tf.mul(v, second), tf.mul(tf.square(g), 1 - second)));
      const moved = tf.div(tf.div(m, c1), tf.add(tf.sqrt(tf.div(v, c2)), epsilon));
      p[name].assign(tf.sub(p[name], tf.mul(tf.add(moved, tf.mul(p[name], decay)), rate)));
    }
    return value.dataSync()[0];
  });
}

if (!networks[step.network]) throw new Error(`TensorFlow.js has no loss for ${step.network}`);
for await (const _ of createInterface({ input: process.stdin })) process.stdout.write(`${one()}\n`);
