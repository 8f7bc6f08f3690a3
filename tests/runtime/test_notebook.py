"""Objects as notebooks show them."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import rnn_compiler as rc
from rnn_compiler.schema.specs import FunctionSpec, TensorSpec


def shown(value: Any) -> Any:
    """The page of an object, which is well-formed."""
    return ElementTree.fromstring(value._repr_html_())


def rows(page: Any) -> list[list[str]]:
    """The texts of its tables' rows."""
    return [["".join(cell.itertext()) for cell in row] for row in page.iter("tr")]


def test_what_holds_functions_shows_a_table_for_each(artifact: rc.Artifact) -> None:
    module = rc.Module(artifact.manifest.functions)
    program = rc.runtime.load(artifact, "local-sync")
    for value in (module, artifact, artifact.manifest, program):
        page = shown(value)
        assert page.find("code").text == repr(value)
        assert [each.find("summary")[0].text[:14] for each in page.iter("details")] == [
            "block_lstm_v2:",
            "block_lstm_gra",
        ]
        x = ["argument", "x", "float32[3,2,4]", "[seq_length, batch_size, input_size]"]
        assert rows(page).count(x) == 2
    for value in (program.block_lstm_v2, program.block_lstm_v2.spec):
        assert shown(value).find("code").text == repr(value)
        assert ["result", "h", "float32[3,2,5]", "[seq_length, batch_size, num_units]"] in rows(
            shown(value)
        )


def test_a_function_of_its_own_is_unfolded(tiny: rc.Artifact, artifact: rc.Artifact) -> None:
    details = next(shown(tiny).iter("details"))
    assert details.get("open")
    assert not any(each.get("open") for each in shown(artifact).iter("details"))


def test_a_stream_shows_its_state() -> None:
    cell = rc.build("GRUBlockCell", batch_size=2, input_size=3, num_units=4)
    program = rc.runtime.load(rc.compile(cell))
    weights = {
        each.name: np.zeros(each.shape, each.dtype)
        for each in program.gru_block_cell.spec.arguments
        if each.name not in ("x", "h_prev")
    }
    stream = program.stream(**weights)
    assert ["h_prev", "DeviceArray(float32[2, 4], local-sync)"] in rows(shown(stream))


def test_a_layer_shows_attributes_weights_and_notes() -> None:
    layer = rc.Layer(
        "encoder",
        "BlockLSTMV2",
        {"cell_clip": 3.0},
        {"seq_length": None, "batch_size": 2, "input_size": 3, "num_units": 4},
        "float32",
        {"b": np.zeros(16, np.float32)},
        ("It is a sum.",),
    )
    assert repr(layer) == (
        "Layer(encoder: BlockLSTMV2 float32, seq_length=?, batch_size=2, input_size=3, num_units=4)"
    )
    found = rows(shown(layer))
    assert ["cell_clip", "3.0"] in found
    assert ["b", "float32[16]"] in found
    assert ["It is a sum."] in found


@pytest.mark.parametrize("text", ["<script>", "a & b", '"><img>'])
def test_names_are_text(text: str) -> None:
    """They may come from a file of anybody's."""
    tensor = TensorSpec(text, "float32", (1,), formula=text)
    spec = FunctionSpec(text, text, "float32", {text: 1}, {text: text}, (tensor,), ())
    assert ["argument", text, "float32[1]", text] in rows(shown(spec))
    assert not [*shown(spec).iter("script"), *shown(spec).iter("img")]
