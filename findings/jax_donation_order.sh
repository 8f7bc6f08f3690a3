#!/usr/bin/env bash
# jax 0.10.2: tf.aliasing_output in an export does not say which result continues a donated argument.
# JAX gives each result the memory of the first donated argument of its type, and the results of a dict are in
# the order of their names. So params is paired with mean, and mean with params, though each is returned
# under its own name. It is a permission to reuse memory; who takes it for the next value swaps the two.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${PYTHON:-python3}" -m venv "$work/venv"
"$work/venv/bin/pip" install -q jax==0.10.2 jaxlib==0.10.2
cat > "$work/try.py" <<'PY'
import re

import jax
import numpy as np


def step(params, mean):
    mean = {"w": 0.9 * mean["w"] + params["w"]}
    return {"params": {"w": params["w"] - mean["w"]}, "mean": mean}


w = {"w": np.zeros(2, np.float32)}
text = jax.export.export(jax.jit(step, donate_argnums=(0, 1)))(w, w).mlir_module()
aliases = [int(number) for number in re.findall(r"tf.aliasing_output = (\d+)", text)]
arguments = re.findall(r'loc\("((?:params|mean)\[\'w\'\])"\)', text)[:2]
results = re.findall(r'jax.result_info = "([^"]*)"', text)
for argument, alias in zip(arguments, aliases):
    print(argument, "may become", results[alias])
assert arguments == ["params['w']", "mean['w']"]
assert [results[alias] for alias in aliases] == ["result['mean']['w']", "result['params']['w']"], "changed"
PY
"$work/venv/bin/python" "$work/try.py"
