// When somebody speaks: silero-vad, called for each chunk of samples at 16 kHz.
//
// The network takes a chunk behind the last samples of the one before, and hands its state on from
// call to call. It gives the probability of speech. As its authors do, speech begins at 0.5 and ends
// after a tenth of a second below 0.35.

export const RATE = 16000;
export const CHUNK = 512;

const CONTEXT = 64;
const BEGIN = 0.5;
const END = 0.35;
const PATIENCE = RATE / 10;

export class Detector {
  probabilities = []; // of each chunk
  time = { total: 0, most: 0 }; // of calls, in milliseconds
  speech = []; // [start, end] in seconds; of speech that goes on, so far
  #network;
  #input = new Float32Array(CONTEXT + CHUNK);
  #state = new Float32Array(2 * 128);
  #speaking = false;
  #last = 0; // where speech was heard last, in samples

  constructor(functions) {
    this.#network = functions.main;
  }

  /** Takes the next CHUNK samples. */
  push(samples) {
    this.#input.copyWithin(0, CHUNK);
    this.#input.set(samples, CONTEXT);
    const start = performance.now();
    const { output, stateN } = this.#network({ input: this.#input, state: this.#state });
    const elapsed = performance.now() - start;
    this.time.total += elapsed;
    this.time.most = Math.max(this.time.most, elapsed);
    this.#state = stateN;
    this.#mark(output[0], this.probabilities.length * CHUNK);
    this.probabilities.push(output[0]);
  }

  #mark(probability, at) {
    const end = at + CHUNK;
    if (probability >= END) this.#last = end;
    if (probability >= BEGIN && !this.#speaking) {
      this.#speaking = true;
      this.speech.push([at / RATE, end / RATE]);
    }
    if (!this.#speaking) return;
    this.speech.at(-1)[1] = this.#last / RATE;
    this.#speaking = end - this.#last < PATIENCE;
  }
}
