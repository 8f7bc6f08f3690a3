#!/usr/bin/env bash
# IREE 3.13.0: a sort that StableHLO calls stable (is_stable = true) changes the order of equal
# elements, so that an argsort, and JAX's, gives other indices than XLA's.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0 iree-base-runtime==3.13.0
PATH="$work/venv/bin:$PATH"
cd "$work"

cat >sort.mlir <<'END'
func.func @argsort(%x: tensor<8xi32>) -> tensor<8xi32> {
  %i = stablehlo.iota dim = 0 : tensor<8xi32>
  %r:2 = "stablehlo.sort"(%x, %i) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) {dimension = 0 : i64, is_stable = true}
    : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  return %r#1 : tensor<8xi32>
}
END
iree-compile sort.mlir -o sort.vmfb --iree-hal-target-device=local \
  --iree-hal-local-target-device-backends=llvm-cpu --iree-llvmcpu-target-cpu=generic 2>/dev/null
got=$(iree-run-module --module=sort.vmfb --device=local-sync --function=argsort \
  --input=8xi32=0,2,1,1,2,0,1,1 | tail -1)
echo "expected 8xi32=0 5 2 3 6 7 1 4, got $got"
[ "$got" = "8xi32=0 5 6 7 3 2 1 4" ] || { echo "changed"; exit 1; }
