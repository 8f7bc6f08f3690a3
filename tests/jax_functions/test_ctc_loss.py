"""The CTC loss in JAX: PyTorch's numbers, transformations, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rnn_compiler.errors import InvalidArgumentError

jax = pytest.importorskip("jax", minversion="0.10")  # which Python 3.10 cannot have
rj = pytest.importorskip("rnn_compiler.jax")

B, T, C, N = 6, 9, 5, 3

LABELS = np.array([[1, 2, 3], [1, 1, 2], [4, 0, 0], [2, 2, 2], [0, 0, 0], [0, 0, 0]])
"""The fourth does not fit into its three steps, the fifth has no labels, the last neither steps."""

STEPS, COUNTS = np.array([9, 6, 4, 3, 5, 0]), np.array([3, 3, 1, 3, 0, 0])
LOGITS = np.random.default_rng(0).normal(0, 2, (B, T, C)).astype(np.float32)
PADDINGS = (np.arange(T) >= STEPS[:, None]).astype(np.float32)
LABEL_PADDINGS = (np.arange(N) >= COUNTS[:, None]).astype(np.float32)
WEIGHTS = np.arange(1, B + 1, dtype=np.float32)


def weighted(logits: Any, labels: Any = LABELS, blank: int = 0) -> Any:
    return rj.ctc_loss(logits, PADDINGS, labels, LABEL_PADDINGS, blank) @ WEIGHTS


@pytest.mark.slow
@pytest.mark.parametrize("blank", [C - 1, 0])
def test_the_numbers_of_pytorch(blank: int) -> None:
    torch = pytest.importorskip("torch", reason="it is compared with torch")
    labels = LABELS if blank == 0 else (LABELS - 1) % C
    z = torch.tensor(LOGITS.swapaxes(0, 1), requires_grad=True)
    rows = [torch.tensor(each) for each in (labels, STEPS, COUNTS)]
    expected = torch.nn.functional.ctc_loss(
        z.log_softmax(-1), *rows, blank, reduction="none", zero_infinity=True
    )
    (expected @ torch.tensor(WEIGHTS)).backward()
    losses = rj.ctc_loss(LOGITS, PADDINGS, labels, LABEL_PADDINGS, blank)
    np.testing.assert_allclose(losses, expected.detach(), rtol=1e-5)
    assert z.grad is not None
    found = jax.jit(jax.grad(weighted), static_argnums=2)(LOGITS, labels, blank)
    np.testing.assert_allclose(found.swapaxes(0, 1), z.grad, rtol=1e-4, atol=3e-5)


def test_vectors_of_states_are_whole() -> None:
    """States of any number of labels are a multiple of 8."""
    text = jax.jit(jax.value_and_grad(weighted)).lower(LOGITS).as_text()
    assert f"tensor<{T}x{B}x8xf32>" in text
    assert f"tensor<{T}x{B}x{2 * N + 1}xf32>" not in text


@pytest.mark.slow
def test_without_paddings_all_count() -> None:
    zeros = np.zeros((B, T)), np.zeros((B, N))
    expected = rj.ctc_loss(LOGITS, zeros[0], LABELS, zeros[1])
    np.testing.assert_array_equal(rj.ctc_loss(LOGITS, None, LABELS, None), expected)


@pytest.mark.slow
def test_rows_of_vmap() -> None:
    def one(z: Any, labels: Any) -> Any:
        return rj.ctc_loss(z[None], None, labels[None], None)[0]

    found = jax.vmap(one)(LOGITS, LABELS)
    expected = rj.ctc_loss(LOGITS, None, LABELS, None)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.slow
def test_sixteen_bits_are_computed_in_float32() -> None:
    narrow = LOGITS.astype(np.float16)
    found, gradient = jax.value_and_grad(weighted)(narrow)
    expected = jax.grad(weighted)(narrow.astype(np.float32))
    assert (found.dtype, gradient.dtype) == (np.float32, np.float16)
    np.testing.assert_allclose(gradient, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.slow
def test_nothing_to_read() -> None:
    assert rj.ctc_loss(LOGITS[:0], None, LABELS[:0], None).shape == (0,)
    assert rj.ctc_loss(LOGITS[:, :0], None, LABELS, None).tolist() == [0.0] * B
    paddings = np.where(np.arange(B)[:, None] == 1, 1, PADDINGS)  # a row without steps

    def total(z: Any) -> Any:
        return rj.ctc_loss(z, paddings, LABELS, LABEL_PADDINGS)[1]

    loss, gradient = jax.value_and_grad(total)(LOGITS)
    assert (loss, np.abs(gradient).max()) == (0, 0)
    silent = rj.ctc_loss(LOGITS, None, LABELS[:, :0], None)
    expected = -jax.nn.log_softmax(LOGITS)[..., 0].sum(1)
    np.testing.assert_allclose(silent, expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("logits", LOGITS[0], "shape (any, any, any)"),
        ("logits", LOGITS.astype(np.int32), "floats"),
        ("labels", LABELS[1:], "shape (6, any)"),
        ("labels", LABELS.astype(np.float32), "integers"),
        ("logit_paddings", PADDINGS[:, 1:], "shape (6, 9), or None"),
        ("label_paddings", LABEL_PADDINGS[1:], "shape (6, 3), or None"),
        ("blank_id", C, "a class, 0 to 4"),
        ("blank_id", True, "a class, 0 to 4"),
    ],
)
def test_arguments_that_do_not_fit(name: str, value: Any, expected: str) -> None:
    given = {"logits": LOGITS, "logit_paddings": PADDINGS, "labels": LABELS}
    given |= {"label_paddings": LABEL_PADDINGS, name: value}
    with pytest.raises(InvalidArgumentError) as caught:
        rj.ctc_loss(**given)
    assert f"ctc_loss: '{name}': expected {expected}, got" in str(caught.value)
