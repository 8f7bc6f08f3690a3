#!/usr/bin/env bash
# IREE 3.13.0: a module in which a loop begins with an array that a later op reads, too, does not
# compile: "circular dependency". The dispatches of a function are divided into groups that are
# submitted at once; the array gets into the group of its other reader, which waits for the loop.
# With a util.optimization_barrier in front of the loop, the same module compiles.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q iree-base-compiler==3.13.0

module() {  # $1: what the loop starts from, computed from %a
  cat <<END
func.func @main(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %a = stablehlo.dot %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %start = $1
  %r:2 = stablehlo.while(%k = %zero, %s = %start) : tensor<i32>, tensor<8x8xf32> cond {
    %end = stablehlo.constant dense<3> : tensor<i32>
    %less = stablehlo.compare LT, %k, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %k, %one : tensor<i32>
    %t = stablehlo.dot %s, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %next, %t : tensor<i32>, tensor<8x8xf32>
  }
  %y = stablehlo.dot %a, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = stablehlo.dot %r#1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<8x8xf32>, tensor<8x8xf32>
}
END
}

compile() {
  "$work/venv/bin/iree-compile" - -o "$work/out.vmfb" --iree-input-type=stablehlo \
    --iree-hal-target-device=local --iree-hal-local-target-device-backends=llvm-cpu \
    --iree-llvmcpu-target-cpu=generic 2>"$work/errors"
}

if module 'stablehlo.reshape %a : (tensor<8x8xf32>) -> tensor<8x8xf32>' | compile; then
  echo "changed: the module compiles"
  exit 1
fi
grep -o "circular dependency: input operation uses partition output" "$work/errors"
module 'util.optimization_barrier %a : tensor<8x8xf32>' | compile
echo "with a barrier it compiles"
