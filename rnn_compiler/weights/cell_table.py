"""The cells of other frameworks, a row each, by the frameworks' own names.

`cell_layout` defines how a row is written. What looks alike differs: the order of gates, which of
two biases there is, whether z weighs the old state or the new value, what is added at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from rnn_compiler.weights.cell_layout import (
    NO_CELL,
    Arrays,
    CellArray,
    CellRow,
    Unstacked,
    by_direction,
    by_number,
)


def _row(kind: str, source: str, *entries: str, **more: Any) -> CellRow:
    return CellRow(kind, tuple(map(CellArray.parsed, entries)), source, **more)


def _filled(gates: str, *entries: str) -> list[str]:
    """Entries with the letters of all gates in place of {}."""
    return [entry.replace("{}", gates) for entry in entries]


def _apart(letters: Mapping[str, str], *entries: str) -> list[str]:
    """Entries for each gate, with the framework's name in place of {} and the letter of {gate}.

    Example:
        >>> _apart({"i": "i", "g": "n"}, "i{}.kernel W I,{gate}")
        ['ii.kernel W I,i', 'ig.kernel W I,n']
    """
    return [
        entry.replace("{}", name).replace("{gate}", gate)
        for name, gate in letters.items()
        for entry in entries
    ]


_GATES = {"LSTM": "ifno", "GRU": "rzn", "RNN": "n"}
"""PyTorch's gates, which are cuDNN's, in its order."""

_RELU = 'computes tanh; if the layer was made with relu, pass `activation="relu"`'


# PyTorch, and frameworks with its names, gates and formulas.

_TORCH = ("weight_ih W {},I", "weight_hh R {},h", "bias_ih?bias bW {}", "bias_hh?bias bR {}")
_NUMBERED = r"(?P<name>.+)_l(?P<layer>\d{1,6})(?P<reverse>_reverse)?"


def _torch_like(package: str, source: str, **names: str) -> dict[str, CellRow]:
    """The layers and cells of a framework that has torch's, but for some of their names."""
    rows: dict[str, CellRow] = {}
    for op, gates in _GATES.items():
        told = {"beware": _RELU} if op == "RNN" else {}
        row = _row(op.lower(), source, *_filled(gates, *_TORCH), **told)
        rows[f"{package}.{names.get(op, op)}"] = replace(row, unstack=by_number(_NUMBERED))
        rows[f"{package}.{names.get(op, op)}Cell"] = row
    return rows


def _with(rows: dict[str, CellRow], suffix: str, *entries: str, **more: Any) -> dict[str, CellRow]:
    """Rows; those whose names have a suffix have more."""
    arrays = tuple(map(CellArray.parsed, entries))
    return {
        name: replace(row, arrays=row.arrays + arrays, **more) if name.endswith(suffix) else row
        for name, row in rows.items()
    }


_PROJECTED = "weight_ho?projection Wp H,h"
_TWICE = "the state dict has each array a second time, under names with a dot"
_AGAIN = r"(.*\.)?\d+\.cell(_fw|_bw)?\.(weight|bias)_[ih]h"
_IN_A_CELL = r"(?P<layer>\d{1,6})\.cell(?:_fw|(?P<reverse>_bw))?\.(?P<name>weight_ho)"


def _paddle() -> dict[str, CellRow]:
    """Paddle's layers, which hold cells, and these cells; only a projection is not there twice."""
    rows = _torch_like("paddle.nn", "paddle/nn/layer/rnn.py", RNN="SimpleRNN")
    for suffix in ("LSTM", "GRU", "RNN"):
        beware = f"{_TWICE}; {_RELU}" if suffix == "RNN" else _TWICE
        split = by_number(_NUMBERED, _IN_A_CELL)
        rows = _with(rows, suffix, beware=beware, ignored=_AGAIN, unstack=split)
    return _with(_with(rows, ".LSTM", _PROJECTED), ".LSTMCell", _PROJECTED)


_TORCH_ROWS = {
    **_with(
        _torch_like("torch.nn", "torch/nn/modules/rnn.py"),
        ".LSTM",
        "weight_hr?projection Wp h,H",
    ),
    **_paddle(),
    **_torch_like("mindspore.nn", "mindspore/nn/layer/rnns.py"),
    "tinygrad.nn.LSTMCell": _row("lstm", "tinygrad/nn/__init__.py", *_filled("ifno", *_TORCH)),
}


# JAX: Flax, Equinox, Haiku.

_NNX, _LINEN = "flax/nnx/nn/recurrent.py", "flax/linen/recurrent.py"
_EQUINOX, _HAIKU = "equinox/nn/_rnn.py", "haiku/_src/recurrent.py"
_DENSE = ("dense_i.kernel W I,{}", "dense_h.kernel R h,{}")
_OF_LSTM = ("i{}.kernel W I,{gate}", "h{}.kernel R h,{gate}", "h{}.bias bR {gate}")
_OF_GRU = ("i{}.kernel W I,{gate}", "i{}.bias bW {gate}", "h{}.kernel R h,{gate}")
_LINEN_GATES = {"i": "i", "f": "f", "g": "n", "o": "o"}
_STATE: dict[str, Any] = {"ignored": r"(.*\.)?rngs\..*"}
_RESIDUAL = "`residual=True` does not show in the arrays, and no op computes it"

_JAX_ROWS = {
    "flax.nnx.LSTMCell": _row(
        "lstm",
        _NNX,
        *(each.replace("if.", "if_.") for each in _apart(_LINEN_GATES, *_OF_LSTM)),
        **_STATE,
    ),
    "flax.nnx.OptimizedLSTMCell": _row(
        "lstm", _NNX, *_filled("ifno", *_DENSE, "dense_h.bias bR {}"), **_STATE
    ),
    "flax.nnx.GRUCell": _row(
        "gru",
        _NNX,
        *_filled("rzn", *_DENSE, "dense_i.bias bW {}"),
        beware="gates are r, z, n, unlike Keras' z, r, h; its `h` has no bias",
        **_STATE,
    ),
    "flax.nnx.SimpleCell": _row(
        "rnn", _NNX, *_filled("n", *_DENSE, "dense_i.bias bW {}"), beware=_RESIDUAL, **_STATE
    ),
    "flax.linen.LSTMCell": _row("lstm", _LINEN, *_apart(_LINEN_GATES, *_OF_LSTM)),
    "flax.linen.OptimizedLSTMCell": _row("lstm", _LINEN, *_apart(_LINEN_GATES, *_OF_LSTM)),
    "flax.linen.GRUCell": _row(
        "gru", _LINEN, *_apart({"r": "r", "z": "z", "n": "n"}, *_OF_GRU), "hn.bias bR n"
    ),
    "flax.linen.MGUCell": _row(
        "gru",
        _LINEN,
        *_filled("r", "if.kernel W I,{}", "if.bias bW {}", "hf.kernel R h,{}"),
        *_filled("z", "if.kernel W I,{}", "if.bias bW {}", "hf.kernel R h,{}"),
        *_apart({"n": "n"}, *_OF_GRU),
        "hn.bias bR n",
        beware="one gate is both r and z; `reset_gate=False` has no `hn.bias` and no op",
    ),
    "flax.linen.SimpleCell": _row(
        "rnn", _LINEN, "i.kernel W I,n", "i.bias bW n", "h.kernel R h,n", beware=_RESIDUAL
    ),
    "equinox.nn.LSTMCell": _row(
        "lstm", _EQUINOX, "weight_ih W ifno,I", "weight_hh R ifno,h", "bias?bias bW ifno"
    ),
    "equinox.nn.GRUCell": _row(
        "gru",
        _EQUINOX,
        *("weight_ih W rzn,I", "weight_hh R rzn,h", "bias?bias bW rzn", "bias_n?bias bR n"),
        beware="`bias_n` is inside of the product with r",
    ),
    "haiku.LSTM": _row(
        "lstm",
        _HAIKU,
        *("linear.w W I,info 0 R h,info", "linear.b bW info"),
        forget_bias=1.0,
        beware="gates are i, g, f, o; it adds 1 to f when it runs",
    ),
    "haiku.GRU": _row(
        "gru",
        _HAIKU,
        *("w_i W I,zrn", "w_h R h,zrn", "b bW zrn"),
        resets_first=True,
        weighs_new=True,
        beware="gates are z, r, a; z weighs the new value",
    ),
    "haiku.VanillaRNN": _row(
        "rnn",
        _HAIKU,
        *("linear.w W I,n", "linear.b bW n", "linear_1.w R h,n", "linear_1.b? bR n"),
        activation="relu",
        beware="relu, not tanh",
    ),
}


# MLX, MXNet, Chainer, nnabla, DyNet, DL4J, CNTK, Lasagne, ncnn.

_MLX, _MXNET = "mlx/nn/layers/recurrent.py", "mxnet/gluon/rnn/rnn_layer.py"
_GLUON = ("i2h_weight W {},I", "h2h_weight R {},h", "i2h_bias bW {}", "h2h_bias bR {}")
_GLUON_NUMBERS = by_number(
    r"(?:l|(?P<reverse>r))(?P<layer>\d{1,6})_(?P<name>.+)",
    r"_unfused\.(?P<layer>\d{1,6})\.(?:(?:l|(?P<reverse>r))_cell\.)?(?P<name>.+)",
)
"""The names of a layer's parameters, and those that save_parameters writes."""


def _gluon(name: str, gates: str, *more: str, **how: Any) -> dict[str, CellRow]:
    """A layer and a cell of MXNet."""
    entries = _filled(gates, *_GLUON)
    layer = _row(name.lower(), _MXNET, *entries, *more, unstack=_GLUON_NUMBERS, **how)
    told = {"beware": _RELU} if how else {}
    cell = _row(name.lower(), "mxnet/gluon/rnn/rnn_cell.py", *entries, **told)
    return {f"mxnet.gluon.rnn.{name}": layer, f"mxnet.gluon.rnn.{name}Cell": cell}


_CHAINER = "chainer/links/rnn"


def _n_step(name: str, gates: str, **how: Any) -> dict[str, CellRow]:
    """A stack of Chainer, in one direction and in two; its arrays are numbered through."""
    count = len(gates)
    entries: list[str] = []
    for number, gate in enumerate(gates):
        entries += [f"w{number} W {gate},I", f"w{count + number} R {gate},h"]
        entries += [f"b{number} bW {gate}", f"b{count + number} bR {gate}"]
    pattern = r"(?P<layer>\d{1,6})\.(?P<name>.+)"
    kind = "rnn" if count == 1 else name.lower()
    return {
        f"chainer.links.NStep{both}{name}": _row(
            kind,
            f"{_CHAINER}/n_step_rnn.py",
            *entries,
            unstack=by_number(pattern, directions=directions),
            **how,
        )
        for directions, both in ((1, ""), (2, "Bi"))
    }


_STATELESS_LSTM = _row(
    "lstm",
    f"{_CHAINER}/lstm.py",
    *("upward.W W H:nifo,I", "upward.b bW H:nifo", "lateral.W R H:nifo,h"),
    beware="the four gates of a unit are next to each other: a, i, f, o",
)
_STATELESS_GRU = _row(
    "gru",
    f"{_CHAINER}/gru.py",
    *_apart(
        {"_r": "r", "_z": "z", "": "n"},
        *("W{}.W W {gate},I", "W{}.b bW {gate}", "U{}.W R {gate},h", "U{}.b bR {gate}"),
    ),
    resets_first=True,
    weighs_new=True,
    beware="z weighs the new value",
)


def _of_nnabla(arrays: Arrays) -> Unstacked:
    """Splits arrays with an axis of layers, but for those of layer 0, and one of directions."""
    found: Unstacked = {}
    for name, array in arrays.items():
        stacked = {"weight_l0": array[None], "weight": array, "bias": array}.get(name)
        if stacked is None or stacked.ndim < 2:
            found.setdefault(NO_CELL, {})[name] = array
            continue
        for layer, both in enumerate(stacked, start=int(name == "weight")):
            for direction, each in enumerate(both):
                own = found.setdefault((layer, direction), {})
                own["weight" if name.startswith("weight") else name] = each
    return found


_NNABLA = "nnabla/parametric_functions.py"
_DYNET = "dynet/{}.cc"
_VANILLA_LSTM = _row(
    "lstm",
    _DYNET.replace("{}", "lstm"),
    *_filled("ifon", "x2i W {},I", "h2i R {},h", "bi bW {}"),
    forget_bias=1.0,
    positional=True,
    beware="gates are i, f, o, g; it adds 1 to f when it runs",
)
_DL4J = "org/deeplearning4j/nn/layers/recurrent/LSTMHelpers.java"
_DL4J_ACTIVATION = "if the layer's activation is not tanh, pass `activation=`"
_CNTK, _LASAGNE = "cntk/layers/blocks.py", "lasagne/layers/recurrent.py"
_NCNN = "ncnn/src/layer/{}.cpp"

_OTHER_ROWS = {
    "mlx.nn.LSTM": _row("lstm", _MLX, "Wx W ifno,I", "Wh R ifno,h", "bias? bW ifno"),
    "mlx.nn.GRU": _row(
        "gru",
        _MLX,
        *("Wx W rzn,I", "Wh R rzn,h", "b?bias bW rzn", "bhn?bias bR n"),
        beware="`bhn` is inside of the product with r",
    ),
    "mlx.nn.RNN": _row("rnn", _MLX, "Wxh W n,I", "Whh R n,h", "bias? bW n", beware=_RELU),
    **_gluon("LSTM", "ifno", "h2r_weight?projection Wp h,H"),
    **_gluon("GRU", "rzn"),
    **_gluon("RNN", "n", activation="relu", beware="relu, which is the layer's default"),
    **dict.fromkeys(("chainer.links.LSTM", "chainer.links.StatelessLSTM"), _STATELESS_LSTM),
    "chainer.links.StatelessGRU": _STATELESS_GRU,
    "chainer.links.StatefulGRU": replace(
        _STATELESS_GRU,
        beware="z weighs the new value; without a state, the first step has no biases of U",
        note="without a state, the link's first step leaves out the biases of U_r, U_z and U; the "
        "layer computes what it does with a state of zeros",
    ),
    **_n_step(
        "LSTM",
        "ifno",
        beware="w0 to w3 are i, f, a, o; Chainer's documentation has o and a the other way round",
    ),
    **_n_step("GRU", "rzn"),
    **_n_step("RNNTanh", "n"),
    **_n_step("RNNReLU", "n", activation="relu"),
    "nnabla.parametric_functions.lstm": _row(
        "lstm", _NNABLA, "weight W :ifno,H,I 2 R :ifno,H,h", "bias? bW :ifno,H", unstack=_of_nnabla
    ),
    "nnabla.parametric_functions.lstm_cell": _row(
        "lstm",
        _NNABLA,
        *("affine.W W I,:iofn,H 0 R h,:iofn,H", "affine.b bW :iofn,H"),
        beware="gates are i, o, f, g, unlike those of `lstm`",
    ),
    "nnabla.parametric_functions.gru": _row(
        "gru",
        _NNABLA,
        *("weight W :rzn,H,I 2 R :rzn,H,h", "bias? bW :rzn,H 0 bR :n,H"),
        unstack=_of_nnabla,
    ),
    "nnabla.parametric_functions.rnn": _row(
        "rnn", _NNABLA, "weight W n,I 1 R n,h", "bias? bW n", unstack=_of_nnabla, beware=_RELU
    ),
    **dict.fromkeys(("dynet.VanillaLSTMBuilder", "dynet.CompactVanillaLSTMBuilder"), _VANILLA_LSTM),
    "dynet.GRUBuilder": _row(
        "gru",
        _DYNET.replace("{}", "gru"),
        *_apart(
            {"z": "z", "r": "r", "h": "n"}, "x2{} W {gate},I", "h2{} R {gate},h", "b{} bW {gate}"
        ),
        positional=True,
        resets_first=True,
        weighs_new=True,
        beware="z weighs the new value",
    ),
    "dynet.SimpleRNNBuilder": _row(
        "rnn",
        _DYNET.replace("{}", "rnn"),
        *("x2h W n,I", "h2h R n,h", "hb bW n"),
        positional=True,
    ),
    "dl4j.LSTM": _row(
        "lstm",
        _DL4J,
        *_filled("nfoi", "W W I,{}", "RW R h,{}", "b bW {}"),
        beware=f"gates are a, f, o, g, of which g is the input gate; {_DL4J_ACTIVATION}",
    ),
    "dl4j.GravesLSTM": _row(
        "lstm",
        _DL4J,
        *("W W I,nfoi", "RW R h,nfoi 1 P H,:foi", "b bW nfoi"),
        beware=f"the last three columns of RW are peepholes of f, o, g; {_DL4J_ACTIVATION}",
    ),
    "cntk.layers.LSTM": _row(
        "lstm",
        _CNTK,
        *_filled("info", "W W I,{}", "H R h,{}", "b bW {}"),
        *_apart({"i": "i", "o": "o", "f": "f"}, "C{}?peepholes P {gate}"),
        "P?projection Wp H,h",
        beware="gates are i, c, f, o; stabilizers have no op",
    ),
    "cntk.layers.GRU": _row(
        "gru",
        _CNTK,
        *("W W I,zrn", "H R h,zr", "H1 R h,n", "b bW zrn"),
        resets_first=True,
        beware="CNTK calls two parameters H: the square one is H1 here; stabilizers have no op",
    ),
    "cntk.layers.RNNStep": _row(
        "rnn",
        _CNTK,
        *("W W I,n", "H R h,n", "b bW n"),
        activation="sigmoid",
        beware="sigmoid, which is the step's default",
    ),
    "lasagne.layers.GRULayer": _row(
        "gru",
        _LASAGNE,
        *_apart(
            {"resetgate": "r", "updategate": "z", "hidden_update": "n"},
            *("W_in_to_{} W I,{gate}", "W_hid_to_{} R h,{gate}", "b_{} bW {gate}"),
        ),
        weighs_new=True,
        states=r"(.*\.)?hid_init",
        beware="z weighs the new value",
    ),
    "lasagne.layers.LSTMLayer": _row(
        "lstm",
        _LASAGNE,
        *_apart(
            {"ingate": "i", "forgetgate": "f", "cell": "n", "outgate": "o"},
            *("W_in_to_{} W I,{gate}", "W_hid_to_{} R h,{gate}", "b_{} bW {gate}"),
        ),
        *_apart(
            {"ingate": "i", "forgetgate": "f", "outgate": "o"},
            "W_cell_to_{}?peepholes P {gate}",
        ),
        states=r"(.*\.)?(hid|cell)_init",
        beware="0.1, unlike later versions, adds the output gate's peephole after its sigmoid",
        note="peepholes are as in Lasagne after 0.1, which adds that of the output gate after its "
        "sigmoid",
    ),
    "ncnn.LSTM": _row(
        "lstm",
        _NCNN.replace("{}", "lstm"),
        *("weight_xc_data W ifon,I", "bias_c_data bW :ifon,H", "weight_hc_data R ifon,h"),
        "weight_hr_data?projection Wp h,H",
        unstack=by_direction,
        beware="gates are i, f, o, g",
    ),
    "ncnn.GRU": _row(
        "gru",
        _NCNN.replace("{}", "gru"),
        *("weight_xc_data W rzn,I", "bias_c_data bW :rzn,H 0 bR :n,H", "weight_hc_data R rzn,h"),
        unstack=by_direction,
        beware="four rows of biases, of which the last is inside of the product with r",
    ),
    "ncnn.RNN": _row(
        "rnn",
        _NCNN.replace("{}", "rnn"),
        *("weight_xc_data W n,I", "bias_c_data bW :n,H", "weight_hc_data R n,h"),
        unstack=by_direction,
    ),
}


# Keras. Its gates once defaulted to hard_sigmoid, and its GRU has two forms.

_KERAS = ("kernel W I,{}", "recurrent_kernel R h,{}")
_RESETS_BEFORE = "r acts before the product"
_HARD = "gates default to hard_sigmoid; if they are sigmoid, pass `recurrent_activation=`"
_HARD_SIGMOID = {"recurrent_activation": "hard_sigmoid", "slope": 0.2}


def _keras(
    package: str, source: str, resets_after: bool = True, beware: str = "", **more: Any
) -> dict[str, CellRow]:
    """The layers of Keras 2 or 3; resets_after is the default of a GRU."""
    one, two = "bias? bW {}", "bias? bW 1,{} 0 bR 1,{}"
    more = {**more, "positional": True}
    before = {**more, "resets_first": True}
    before["beware"] = "; ".join(filter(None, [_RESETS_BEFORE, beware]))
    gru = {
        True: _row("gru", source, *_filled("zrn", *_KERAS, two), beware=beware, **more),
        False: _row("gru", source, *_filled("zrn", *_KERAS, one), **before),
    }
    return {
        f"{package}.LSTM": _row(
            "lstm", source, *_filled("ifno", *_KERAS, one), beware=beware, **more
        ),
        f"{package}.GRU": gru[resets_after],
        f"{package}.GRU(reset_after={not resets_after})": gru[not resets_after],
        f"{package}.SimpleRNN": _row("rnn", source, *_filled("n", *_KERAS, one), **more),
    }


_KERAS_1 = "keras/layers/recurrent.py"
_KERAS_1_GATES = {
    "LSTM": {"i": "i", "c": "n", "f": "f", "o": "o"},
    "GRU": {"z": "z", "r": "r", "h": "n"},
}


def _keras_1() -> dict[str, CellRow]:
    """The layers of Keras 1, whose gates are apart unless they were made for GPUs."""
    rows = {
        "keras1.layers.SimpleRNN": _row(
            "rnn", _KERAS_1, "W W I,n", "U R h,n", "b bW n", positional=True
        )
    }
    for name, gates in _KERAS_1_GATES.items():
        kind = name.lower()
        how: dict[str, Any] = {"positional": True, **_HARD_SIGMOID, "beware": _HARD}
        how["resets_first"] = name == "GRU"
        apart = _apart(gates, "W_{} W I,{gate}", "U_{} R h,{gate}", "b_{} bW {gate}")
        joined = _filled({"LSTM": "ifno", "GRU": "zrn"}[name], "W W I,{}", "U R h,{}", "b bW {}")
        rows[f"keras1.layers.{name}"] = _row(kind, _KERAS_1, *apart, **how)
        rows[f"keras1.layers.{name}(consume_less='gpu')"] = _row(kind, _KERAS_1, *joined, **how)
    return rows


_KERAS_ROWS = {
    **_keras("keras.layers", "keras/src/layers/rnn"),
    **_keras("tf_keras.layers", "tf_keras/src/layers/rnn", slope=0.2),
    **_keras("keras2.layers", _KERAS_1, resets_after=False, beware=_HARD, **_HARD_SIGMOID),
    **_keras_1(),
}


# TensorFlow 1's cells, whose names in a checkpoint are beside those of optimizers.

_RNN_CELL = "tensorflow/python/ops/rnn_cell_impl.py"
_BASIC_LSTM = ("kernel W I,info 0 R h,info", "bias bW info")
_FORGET_BIAS = "gates are i, j, f, o; `forget_bias` is added at run time, by default 1"
_TENSORFLOW: dict[str, Any] = {
    "ignored": r".*\.(Adam|RMSProp|Momentum|Adagrad|ExponentialMovingAverage)(_\d+)?"
}

_TENSORFLOW_ROWS = {
    "tensorflow.nn.rnn_cell.BasicLSTMCell": _row(
        "lstm",
        _RNN_CELL,
        *_BASIC_LSTM,
        forget_bias=1.0,
        forget_bias_varies=True,
        beware=_FORGET_BIAS,
        **_TENSORFLOW,
    ),
    "tensorflow.nn.rnn_cell.LSTMCell": _row(
        "lstm",
        _RNN_CELL,
        *_BASIC_LSTM,
        *_apart({"i": "i", "o": "o", "f": "f"}, "w_{}_diag?peepholes P {gate}"),
        "projection.kernel?projection Wp H,h",
        forget_bias=1.0,
        forget_bias_varies=True,
        beware=f"{_FORGET_BIAS}; `cell_clip` and `proj_clip` do not show in the arrays",
        **_TENSORFLOW,
    ),
    "tensorflow.nn.rnn_cell.GRUCell": _row(
        "gru",
        _RNN_CELL,
        *("gates.kernel W I,rz 0 R h,rz", "gates.bias bW rz"),
        *("candidate.kernel W I,n 0 R h,n", "candidate.bias bW n"),
        resets_first=True,
        **_TENSORFLOW,
    ),
    "tensorflow.nn.rnn_cell.BasicRNNCell": _row(
        "rnn", _RNN_CELL, "kernel W I,n 0 R h,n", "bias bW n", beware=_RELU, **_TENSORFLOW
    ),
}


CELLS: Mapping[str, CellRow] = MappingProxyType(
    {**_TORCH_ROWS, **_JAX_ROWS, **_KERAS_ROWS, **_TENSORFLOW_ROWS, **_OTHER_ROWS}
)
"""The rows, by the name of the cell."""
