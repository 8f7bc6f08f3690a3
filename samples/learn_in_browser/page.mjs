// The page: what is drawn on it, what the learner guesses, and how it learns.

import { load } from "./learner/learner.mjs";
import { Learner } from "./signs.mjs";

const STEPS_A_FRAME = 3; // few enough to see it learn
const NAMES = "ABCD";
const ACROSS = 1000; // the width of the place where one draws, in the units of strokes
const STORED = "signs";

const find = (id) => document.getElementById(id);
const said = (error) => (find("error").textContent = `${error.name}: ${error.message}`);
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let stroke = []; // the points that were drawn last
let isDrawing = false;
let time = { steps: 0, total: 0 }; // of the last steps, in milliseconds

/** Prepares a canvas for its size on the screen; returns its context, and that size. */
function fitted(canvas) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = window.devicePixelRatio;
  [canvas.width, canvas.height] = [width * scale, height * scale];
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.lineCap = pen.lineJoin = "round";
  return { pen, width, height };
}

function line(pen, points) {
  pen.beginPath();
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.stroke();
}

function drawPad() {
  const { pen, width } = fitted(find("pad"));
  pen.scale(width / ACROSS, width / ACROSS);
  pen.strokeStyle = colour("--ink");
  pen.lineWidth = 11;
  line(pen, stroke);
  if (!stroke.length) return;
  pen.fillStyle = colour("--ink"); // where it began
  pen.beginPath();
  pen.arc(...stroke[0], 15, 0, 2 * Math.PI);
  pen.fill();
}

/** Draws the last examples of a sign over each other. */
function drawCard(card, sign, examples) {
  const { pen, width, height } = fitted(card.querySelector("canvas"));
  pen.strokeStyle = colour(`--sign-${sign}`);
  pen.lineWidth = 2.5;
  examples.slice(-4).forEach((points, k, all) => {
    const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const [across, down] = [Math.max(...xs) - left, Math.max(...ys) - top];
    const scale = Math.min((width - 12) / across, (height - 12) / down);
    const [x0, y0] = [(width - scale * across) / 2, (height - scale * down) / 2];
    pen.globalAlpha = k === all.length - 1 ? 1 : 0.3;
    line(pen, points.map(([x, y]) => [x0 + scale * (x - left), y0 + scale * (y - top)]));
  });
}

/** Draws the loss of all steps, and where examples came in. */
function drawCurve({ losses, marks }) {
  const { pen, width, height } = fitted(find("curve"));
  const [left, right, top, bottom] = [40, 14, 26, 22];
  const most = Math.max(1.5, ...losses);
  const x = (step) => left + ((width - left - right) * step) / Math.max(losses.length - 1, 120);
  const y = (loss) => top + (height - top - bottom) * (1 - loss / most);
  pen.font = "12px system-ui, sans-serif";
  pen.fillStyle = colour("--soft");
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const value of [0, 0.5, 1, 1.5].map((part) => (part * most) / 1.5)) {
    pen.strokeStyle = colour("--line");
    pen.lineWidth = 1;
    line(pen, [[left, y(value)], [width - right, y(value)]]);
    pen.fillText(value.toFixed(1), left - 8, y(value));
  }
  pen.textAlign = "center";
  let named = -Infinity; // where the last name is
  for (const { step, sign } of marks) {
    pen.strokeStyle = pen.fillStyle = colour(`--sign-${sign}`);
    line(pen, [[x(step), top - 6], [x(step), height - bottom]]);
    if (x(step) - named < 12) continue;
    named = x(step);
    pen.fillText(NAMES[sign], named, top - 15);
  }
  pen.fillStyle = colour("--soft");
  pen.fillText("loss, step by step", (left + width - right) / 2, height - 10);
  pen.strokeStyle = colour("--loss");
  pen.lineWidth = 2;
  line(pen, losses.map((loss, step) => [x(step), y(loss)]));
}

function start(learner) {
  const cards = [...NAMES].map((name, sign) => {
    const card = document.createElement("button");
    card.type = "button";
    card.className = "card";
    card.disabled = true;
    card.style.setProperty("--sign", `var(--sign-${sign})`);
    card.innerHTML = `<b>${name}</b><span></span><canvas></canvas><span class="bar"><i></i></span>`;
    card.addEventListener("click", () => teach(sign));
    find("cards").append(card);
    return card;
  });

  /** Shows how probable each sign is for what was drawn, and asks. */
  function guess() {
    const probabilities = learner.examples.length ? learner.guess(stroke) : undefined;
    const best = probabilities ? probabilities.indexOf(Math.max(...probabilities)) : -1;
    cards.forEach((card, sign) => {
      card.querySelector("i").style.width = `${100 * (probabilities?.[sign] ?? 0)}%`;
      card.classList.toggle("guessed", sign === best);
      card.disabled = isDrawing || !learner.guess(stroke);
    });
    if (!learner.examples.length)
      find("says").textContent = stroke.length && !isDrawing ? "Which sign is that to be?" : "It knows nothing yet.";
    else if (best < 0) find("says").textContent = learner.isLearning ? "It learns…" : "Draw another one.";
    else {
      const percent = Math.round(100 * probabilities[best]);
      find("says").textContent = `Is it ${NAMES[best]}? ${percent} % sure.`;
    }
  }

  function teach(sign) {
    learner.add(stroke, sign);
    stroke = [];
    show();
    requestAnimationFrame(learn);
  }

  /** A few steps, as long as there is something to learn. */
  let isRunning = false;
  function learn() {
    if (isRunning) return;
    isRunning = true;
    const frame = () => {
      if (time.steps > 300) time = { steps: 0, total: 0 };
      const begin = performance.now();
      for (let k = 0; k < STEPS_A_FRAME && learner.isLearning; k++, time.steps++) learner.step();
      time.total += performance.now() - begin;
      isRunning = learner.isLearning;
      if (isRunning) requestAnimationFrame(frame);
      else localStorage.setItem(STORED, learner.save());
      drawCurve(learner);
      numbers();
      guess();
    };
    frame();
  }

  function numbers() {
    find("loss").textContent = learner.losses.length ? learner.loss.toFixed(3) : "–";
    find("time").textContent = time.steps ? `${(time.total / time.steps).toFixed(2)} ms` : "–";
    find("steps").textContent = learner.losses.length.toLocaleString("en");
    find("count").textContent = learner.examples.length;
    find("undo").disabled = !learner.canUndo;
    find("forget").disabled = !learner.examples.length;
  }

  function show() {
    find("hint").hidden = stroke.length > 0;
    drawPad();
    drawCurve(learner);
    cards.forEach((card, sign) => {
      const some = learner.examples.filter((each) => each.sign === sign).map((each) => each.stroke);
      card.querySelector("span").textContent = some.length || "none yet";
      drawCard(card, sign, some);
    });
    numbers();
    guess();
  }

  const pad = find("pad");
  const point = ({ offsetX, offsetY }) =>
    stroke.push([offsetX, offsetY].map((each) => Math.round((ACROSS * each) / pad.clientWidth)));
  pad.addEventListener("pointerdown", (event) => {
    if (isDrawing || event.button) return;
    pad.setPointerCapture(event.pointerId);
    isDrawing = true;
    stroke = [];
    point(event);
    show();
  });
  pad.addEventListener("pointermove", (event) => {
    if (!isDrawing) return;
    point(event);
    drawPad();
    guess();
  });
  for (const end of ["pointerup", "pointercancel"])
    pad.addEventListener(end, () => {
      isDrawing = false;
      if (!learner.guess(stroke)) stroke = []; // a tap
      show();
    });
  document.addEventListener("keydown", ({ key }) => {
    const sign = "1234".indexOf(key);
    if (sign >= 0 && !cards[sign].disabled) teach(sign);
  });
  find("undo").addEventListener("click", () => {
    learner.undo();
    show();
    learn();
  });
  find("forget").addEventListener("click", () => {
    learner.forget();
    localStorage.removeItem(STORED);
    stroke = [];
    show();
  });
  addEventListener("resize", show);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);

  try {
    const stored = localStorage.getItem(STORED);
    if (stored) learner.load(stored);
  } catch (error) {
    said(error);
    localStorage.removeItem(STORED); // of another network, or damaged
  }
  show();
}

try {
  start(new Learner(await load()));
} catch (error) {
  said(error);
}
