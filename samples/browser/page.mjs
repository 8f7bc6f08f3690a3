// The page: decodes a recording or listens to the microphone, and draws what the detector finds.

import { load } from "./vad/silero_vad.mjs";
import { CHUNK, Detector, RATE } from "./detector.mjs";

const find = (id) => document.getElementById(id);
const said = (error) => (find("error").textContent = `${error.name}: ${error.message}`);
const functions = await load().catch(said);

let listening; // the audio context of the microphone, while it is on

/** Finds speech in a recording, which is resampled to 16 kHz. */
async function read(bytes) {
  const context = new OfflineAudioContext(1, RATE, RATE);
  const samples = (await context.decodeAudioData(bytes)).getChannelData(0);
  const detector = new Detector(functions);
  const chunk = new Float32Array(CHUNK);
  for (let at = 0; at < samples.length; at += CHUNK) {
    chunk.fill(0).set(samples.subarray(at, at + CHUNK));
    detector.push(chunk);
  }
  show(detector, samples);
}

/** Finds speech in what the microphone hears, until it is called again. */
async function listen() {
  if (listening) {
    await listening.close();
    listening = undefined;
    find("listen").textContent = "Listen to the microphone";
    return;
  }
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  listening = new AudioContext({ sampleRate: RATE });
  await listening.audioWorklet.addModule("chunks.mjs");
  const chunks = new AudioWorkletNode(listening, "chunks");
  const detector = new Detector(functions);
  const heard = [];
  chunks.port.onmessage = ({ data }) => {
    detector.push(data);
    heard.push(...data);
    show(detector, heard.slice(-20 * RATE));
  };
  listening.createMediaStreamSource(stream).connect(chunks);
  find("listen").textContent = "Stop";
}

/** Shows where speech is, how long calls take, and a picture. */
function show(detector, samples) {
  const items = detector.speech.map(([start, end]) => {
    const item = document.createElement("li");
    item.textContent = `from ${start.toFixed(2)} s to ${end.toFixed(2)} s`;
    return item;
  });
  find("speech").replaceChildren(...items);
  const mean = (1000 * detector.time.total) / detector.probabilities.length;
  const most = detector.time.most.toFixed(1);
  find("latency").textContent = `${mean.toFixed(0)} µs on average, ${most} ms at most`;
  draw(find("picture"), samples, detector.probabilities.slice(-Math.ceil(samples.length / CHUNK)));
}

/** Draws the samples, and above them the probability of speech. */
function draw(canvas, samples, probabilities) {
  const scale = window.devicePixelRatio;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();

  pen.fillStyle = colour("--wave");
  const each = Math.max(1, samples.length / width);
  for (let x = 0; x < width; x++) {
    let most = 0;
    for (let k = Math.floor(x * each); k < Math.min((x + 1) * each, samples.length); k++)
      most = Math.max(most, Math.abs(samples[k]));
    const size = Math.max(1, most * height * 0.9);
    pen.fillRect(x, (height - size) / 2, 1, size);
  }

  pen.strokeStyle = colour("--speech");
  pen.lineWidth = 2;
  pen.beginPath();
  probabilities.forEach((probability, k) => {
    const x = ((k + 0.5) * CHUNK * width) / samples.length;
    pen.lineTo(x, height * (0.96 - 0.92 * probability));
  });
  pen.stroke();
}

if (functions) {
  find("choices").disabled = false;
  const attempt = (act) => (find("error").textContent = "", act().catch(said));
  find("file").addEventListener("change", ({ target }) =>
    attempt(async () => read(await target.files[0].arrayBuffer())));
  find("listen").addEventListener("click", () => attempt(listen));
  const recording = new URLSearchParams(location.search).get("recording");
  if (recording)
    attempt(async () => {
      const answer = await fetch(recording);
      if (!answer.ok) throw new Error(`${recording}: ${answer.status} ${answer.statusText}`);
      await read(await answer.arrayBuffer());
    });
}
