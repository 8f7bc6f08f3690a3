#!/usr/bin/env bash
# IREE 3.13.0: tanh of float32 on a CPU decreases from one number to the next in more than a quarter
# of all cases between 2 and 4, and its largest error there is 4.65 units in the last place. Code
# that relies on the order of results, such as a comparison with a threshold or a bisection, sees it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0 iree-base-runtime==3.13.0 numpy
PATH="$work/venv/bin:$PATH"
cd "$work"

cat >tanh.mlir <<'END'
func.func @tanh(%x: tensor<8388608xf32>) -> tensor<8388608xf32> {
  %y = stablehlo.tanh %x : tensor<8388608xf32>
  return %y : tensor<8388608xf32>
}
END
iree-compile tanh.mlir -o tanh.vmfb --iree-hal-target-device=local \
  --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic 2>/dev/null
cat >try.py <<'END'
import subprocess

import numpy as np

first = np.float32(2).view(np.int32)
x = np.arange(first, first + (1 << 23), dtype=np.int32).view(np.float32)
np.save("x.npy", x)
command = "iree-run-module --module=tanh.vmfb --device=local-sync --function=tanh"
options = ["--input=@x.npy", "--output=@y.npy"]
subprocess.run([*command.split(), *options], check=True, stdout=subprocess.DEVNULL)
y, exact = np.load("y.npy"), np.tanh(x.astype(np.float64))
falls = np.diff(y) < 0
error = np.abs(y - exact) / np.spacing(exact.astype(np.float32))
k = int(np.argmax(falls))
print(f"all {x.size} numbers of 2 to 4: {falls.sum()} falls, error {error.max():.2f} ulp")
print(f"tanh({x[k]:.9g}) = {y[k]:.9g}, tanh({x[k + 1]:.9g}) = {y[k + 1]:.9g}")
assert falls.sum() > x.size / 4 and 4.5 < error.max() < 5, "changed"
END
python try.py
