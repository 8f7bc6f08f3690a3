// Runs beside the page: gathers what the microphone hears into chunks of 512 samples.

class Chunks extends AudioWorkletProcessor {
  #chunk = new Float32Array(512);
  #filled = 0;

  process([[samples]]) {
    if (!samples) return true;
    this.#chunk.set(samples, this.#filled);
    this.#filled += samples.length;
    if (this.#filled === this.#chunk.length) {
      this.port.postMessage(this.#chunk);
      this.#filled = 0;
    }
    return true;
  }
}

registerProcessor("chunks", Chunks);
