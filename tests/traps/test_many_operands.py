"""A sum of many arrays is one dispatch, of more of them than the runtime takes."""

from __future__ import annotations

from traps.iree import phase, trap

COUNT = 70


def total(kind: str = "tensor<f32>") -> str:
    """A function that adds its arguments one after the other."""
    given = ", ".join(f"%a{k}: {kind}" for k in range(COUNT))
    sums = [f"%s1 = stablehlo.add %a0, %a1 : {kind}"]
    sums += [f"%s{k} = stablehlo.add %s{k - 1}, %a{k} : {kind}" for k in range(2, COUNT)]
    return "\n".join(
        [f"func.func @main({given}) -> {kind} {{", *sums, f"return %s{COUNT - 1} : {kind}", "}"]
    )


@trap("lowering/passes/iree_faults/limit_operands.py")
def test_a_sum_of_numbers_fits_the_runtime() -> None:
    assert phase("flow", total()).count("flow.dispatch @") > 1
