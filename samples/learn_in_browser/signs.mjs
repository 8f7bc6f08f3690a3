// Signs that are drawn with one stroke: a network that recognizes them, and learns new ones.
//
// A stroke is a list of points [x, y]. The network sees 24 of them, evenly spaced along the stroke: where each
// is in the stroke's square, and in which direction the stroke goes on.

export const SIGNS = 4;
export const LEARNED = 0.03; // the loss below which there is nothing more to learn

const POINTS = 24;
const FEATURES = 4;
const BATCH = 8;
const SHORTEST = 20; // half of how far a stroke goes at least, in the units of its points
const TILT = 0.2; // how far an example is turned at most, so that the network sees more than was drawn

/** What the network sees of a stroke; undefined if it is too short. */
export function seen(stroke) {
  const xs = stroke.map(([x]) => x), ys = stroke.map(([, y]) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const half = Math.max(right - left, bottom - top) / 2;
  if (!(half > SHORTEST)) return undefined;

  const lengths = stroke.slice(1).map(([x, y], k) => Math.hypot(x - xs[k], y - ys[k]));
  const each = lengths.reduce((sum, length) => sum + length, 0) / POINTS;
  const at = []; // points at equal distances
  let segment = 0, before = 0; // the length of the stroke before the segment
  for (let k = 0; k <= POINTS; k++) {
    while (segment < lengths.length - 1 && before + lengths[segment] < k * each) before += lengths[segment++];
    const part = lengths[segment] ? Math.min(1, (k * each - before) / lengths[segment]) : 0;
    at.push([xs, ys].map((values) => values[segment] + part * (values[segment + 1] - values[segment])));
  }
  const centre = [(left + right) / 2, (top + bottom) / 2];
  const rows = at.slice(1).map((point, k) => {
    const [dx, dy] = [point[0] - at[k][0], point[1] - at[k][1]];
    const length = Math.hypot(dx, dy) || 1;
    return [(point[0] - centre[0]) / half, (point[1] - centre[1]) / half, dx / length, dy / length];
  });
  return Float32Array.from(rows.flat());
}

/** Writes what the network would see if the stroke were turned by an angle. */
function turn(values, angle, out) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (let k = 0; k < values.length; k += 2) {
    out[k] = cos * values[k] - sin * values[k + 1];
    out[k + 1] = sin * values[k] + cos * values[k + 1];
  }
}

export class Learner {
  examples = []; // { stroke, sign }
  losses = []; // of each step
  marks = []; // { step, sign } where an example came in
  canUndo = false;
  #network;
  #inputs = []; // what the network sees of each example
  #x = new Float32Array(BATCH * POINTS * FEATURES);
  #label = new Int32Array(BATCH);

  constructor(functions) {
    this.#network = functions.train_start();
  }

  /** The probability of each sign; undefined for strokes that are too short. */
  guess(stroke) {
    const x = seen(stroke);
    return x && this.#network.infer({ x }).probabilities;
  }

  add(stroke, sign) {
    this.#network.keep();
    this.canUndo = true;
    this.#remember(stroke, sign);
    this.marks.push({ step: this.losses.length, sign });
  }

  /** Takes the last example back, with all that was learned since. */
  undo() {
    this.#network.revert();
    this.canUndo = false;
    this.examples.pop();
    this.#inputs.pop();
    this.losses.length = this.marks.pop().step;
  }

  forget() {
    this.#network.reset();
    this.canUndo = false;
    for (const each of [this.examples, this.#inputs, this.losses, this.marks]) each.length = 0;
  }

  /** A training step on some of the examples, as many of each sign; returns the loss. */
  step() {
    const signs = [...new Set(this.examples.map(({ sign }) => sign))];
    const size = POINTS * FEATURES;
    const first = Math.floor(Math.random() * signs.length);
    for (let row = 0; row < BATCH; row++) {
      const sign = signs[(first + row) % signs.length];
      const some = this.#inputs.filter((_, k) => this.examples[k].sign === sign);
      const x = some[Math.floor(Math.random() * some.length)];
      turn(x, TILT * (2 * Math.random() - 1), this.#x.subarray(row * size, (row + 1) * size));
      this.#label[row] = sign;
    }
    const { loss } = this.#network({ x: this.#x, label: this.#label });
    this.losses.push(loss[0]);
    return loss[0];
  }

  /** The mean loss of the last steps. */
  get loss() {
    const last = this.losses.slice(-20);
    return last.reduce((sum, each) => sum + each, 0) / last.length;
  }

  /** Whether there is something to learn: not before an example comes in. */
  get isLearning() {
    const since = this.losses.length - this.marks.at(-1)?.step;
    return since < 60 || (this.loss > LEARNED && since < 4000);
  }

  /** The examples, and the network as a block of bytes. */
  save() {
    return JSON.stringify({ examples: this.examples, block: [...this.#network.save()] });
  }

  /** Continues where `save` was called. A block of another network is an ArtifactError. */
  load(text) {
    const { examples, block } = JSON.parse(text);
    this.#network.load(Uint8Array.from(block));
    for (const { stroke, sign } of examples) this.#remember(stroke, sign);
  }

  #remember(stroke, sign) {
    this.#inputs.push(seen(stroke));
    this.examples.push({ stroke, sign });
  }
}
