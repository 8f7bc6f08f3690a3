#!/usr/bin/env bash
# IREE 3.13.0: of several equal maxima of a window, select_and_scatter chooses the last, with the
# comparison GE that JAX writes for the gradient of a max pool. StableHLO folds a window with
# `select(chosen so far, next)`, so that the first one stays, as in XLA (jax 0.10.2): gradients of
# pools over zeros that a relu left go to other elements.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 jax==0.10.2 jaxlib==0.10.2
PATH="$work/venv/bin:$PATH"
cd "$work"

cat >pool.py <<'END'
import jax
import jax.numpy as jnp
from jax import export

def pool(x):
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2), (1, 2), "VALID").sum()

x = jnp.asarray([[3.0, 3.0, 1.0, 5.0]])
print("XLA:", jax.grad(pool)(x).ravel().tolist())
text = export.export(jax.jit(jax.grad(pool)))(x).mlir_module()
assert "stablehlo.select_and_scatter" in text
open("pool.mlir", "w").write(text)
END
xla=$(python pool.py)
iree-compile pool.mlir -o pool.vmfb --iree-hal-target-device=local \
  --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic 2>/dev/null
iree=$(iree-run-module --module=pool.vmfb --device=local-sync --function=main \
  --input=1x4xf32=3,3,1,5 | tail -1)
echo "$xla"
echo "IREE: $iree"
[ "$xla" = "XLA: [1.0, 0.0, 0.0, 1.0]" ] && [ "$iree" = "1x4xf32=[0 1 0 1]" ] || { echo "changed"; exit 1; }
