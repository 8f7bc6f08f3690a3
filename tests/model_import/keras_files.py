"""Keras files with changed configurations."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model_import.files import FILES

__all__ = ["as_layer", "keras", "options"]


def keras(folder: Path, change: Callable[[dict[str, Any]], object], name: str = "keras3") -> Path:
    """A Keras file with a changed configuration."""
    path = folder / "model.keras"
    with zipfile.ZipFile(FILES / f"{name}.keras") as file:
        members = {each: file.read(each) for each in file.namelist()}
    config = json.loads(members["config.json"])
    change({each["config"]["name"]: each for each in config["config"]["layers"]})
    members["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(path, "w") as file:
        for each, data in members.items():
            file.writestr(each, data)
    return path


def as_layer(kind: str, **config: Any) -> dict[str, Any]:
    return {"module": "keras.layers", "class_name": kind, "config": config, "registered_name": None}


def options(layer: str, **values: Any) -> Callable[[dict[str, Any]], object]:
    """Changes options of a layer, or of the layer that it wraps."""

    def change(layers: dict[str, Any]) -> None:
        config = layers[layer]["config"]
        wrapped = [config[name] for name in ("layer", "backward_layer") if name in config]
        for each in wrapped or [layers[layer]]:
            each["config"].update(values)

    return change
