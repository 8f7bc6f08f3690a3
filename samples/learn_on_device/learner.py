"""C for a board that recognizes gestures and learns new ones: a GRU, with its training step."""

from __future__ import annotations

import gestures
import jax
import jax.numpy as jnp
import numpy as np

import rnn_compiler as rc
import rnn_compiler.jax as rj

T, I, H, CLASSES = gestures.STEPS, 3, 16, len(gestures.GESTURES)  # noqa: E741


def scores(params, x):
    """The logarithms [batch, 4] of the probabilities of traces [batch, 32, 3]."""
    gru = rj.onnx_gru(jnp.swapaxes(x, 0, 1), params["w"], params["r"], params["b"])
    return jax.nn.log_softmax(gru.Y[:, 0].mean(0) @ params["dense"] + params["bias"])


def train(params, mean, variance, count, x, label, rate):
    """A step of Adam (Kingma and Ba 2015)."""

    def loss(params):
        return -jnp.mean(jnp.take_along_axis(scores(params, x), label[:, None], 1))

    value, gradient = jax.value_and_grad(loss)(params)
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
    variance = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, variance, gradient)
    count += 1
    rate *= jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)

    def moved(weight, m, v):
        return weight - rate * m / (jnp.sqrt(v) + 1e-8)

    params = jax.tree.map(moved, params, mean, variance)
    return {"params": params, "mean": mean, "variance": variance, "count": count, "loss": value}


def infer(params, x):
    return {"probabilities": jnp.exp(scores(params, x))}


def first_states(rng):
    """Random weights, and an optimizer that has seen nothing."""
    shapes = {
        "w": (1, 3 * H, I),
        "r": (1, 3 * H, H),
        "b": (1, 6 * H),
        "dense": (H, CLASSES),
        "bias": (CLASSES,),
    }
    params = {name: rng.normal(0, 0.25, shape).astype(np.float32) for name, shape in shapes.items()}
    zeros = jax.tree.map(np.zeros_like, params)
    return {"params": params, "mean": zeros, "variance": zeros, "count": np.int32(0)}


def learner(states, batch):
    """Both functions as a module: a step learns from a batch of traces, the guess is of one."""
    x, label, rate = np.zeros((batch, T, I), np.float32), np.zeros(batch, np.int32), np.float32(0)
    step = jax.jit(train, donate_argnums=(0, 1, 2, 3))
    texts = [
        rj.export(step)(*states.values(), x, label, rate).mlir_module(),
        rj.export(infer)(states["params"], x[:1]).mlir_module(),
    ]
    return rc.link_module(*texts, states=states)


def share(session, traces, labels):
    """The share of traces whose gesture is guessed."""
    guesses = [session.infer(x=trace[None]).probabilities.argmax() for trace in traces]
    return np.mean(np.array(guesses) == labels)


def save(path, traces, labels):
    """Writes traces as the board reads them: samples, then the gesture four times."""
    with open(path, "wb") as file:
        for trace, label in zip(traces, labels, strict=True):
            file.write(trace.tobytes() + np.full(4, label).tobytes())


def main():
    rng = np.random.default_rng(0)
    states, batch = first_states(rng), 16
    session = rc.runtime.load(rc.compile(learner(states, batch))).session()
    traces, labels = gestures.traces(gestures.FIRST, 50, rng)
    for _ in range(300):
        some = rng.integers(0, len(traces), batch)
        session.train(x=traces[some], label=labels[some], rate=np.float32(5e-3))
    first, owner = (gestures.traces(each, 25, rng) for each in (gestures.FIRST, gestures.OWNER))
    known = " %, of the owner: ".join(
        f"{100 * share(session, *each):.0f}" for each in (first, owner)
    )
    print(f"gestures known of the first person: {known} %")

    states["params"] = {name: session.state[f"params_{name}"] for name in states["params"]}
    rc.compile_c(learner(states, 1), "cpu:cortex-m4", name="learner").save("learner")
    save("tests.bin", *owner)
    save("traces.bin", *gestures.traces(gestures.OWNER, 3, rng))


if __name__ == "__main__":
    main()
