"""Sphinx: the pages of this repository, as they stand, and an API reference from the docstrings.

The source folder is the repository, so that links between pages, samples and sources are the same
here and on the site. `make site` builds it; a broken link or reference is an error.
"""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import zipfile
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

import rnn_compiler

ROOT = Path(__file__).parents[1]
SAMPLES = ROOT / "build" / "site" / "samples.zip"

project = "rnn-compiler"
version = release = rnn_compiler.__version__
copyright = "the rnn-compiler authors"

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
root_doc = "README"
include_patterns = [
    "*.md",
    "docs/**",
    "samples/**/README.md",
    "tests/README.md",
    "tests/**/README.md",
    "lowering/**/README.md",
]
exclude_patterns = ["docs/conf.py", "build", "**/.*"]
suppress_warnings = ["misc.highlighting_failure", "toc.not_included"]  # MLIR; samples are linked

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_in_temp = True

default_role = "code"  # of `names` in docstrings
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # fields of dataclasses are documented once

html_theme = "furo"
html_title = f"rnn-compiler {release}"
pygments_dark_style = "a11y-high-contrast-dark"  # the theme's own underlines modules like links
html_static_path: list[str] = []
templates_path: list[str] = []

CONTENTS = {
    "Start": [
        *("docs/which_way", "docs/installing", "docs/tutorials/index", "docs/tour", "docs/ops"),
    ],
    "Use": [
        *("docs/python", "docs/models", "docs/import", "docs/int8", "docs/networks"),
        *(
            "docs/training",
            "docs/training_jax",
            "docs/train_anywhere",
            "docs/train_networks",
            "docs/cudnn_rnn",
        ),
        *("docs/onnx_ops", "docs/weights", "docs/cells", "docs/command_line"),
    ],
    "Deploy": [
        *("docs/deployment", "docs/embedding", "docs/misra", "docs/linking", "docs/processors"),
        *("docs/microcontrollers", "docs/browser", "docs/cuda", "docs/cache"),
    ],
    "Reference": [
        *("docs/reference/index", "docs/benchmarks", "docs/stability", "SECURITY", "CHANGELOG"),
    ],
    "Contribute": [
        *("CONTRIBUTING", "docs/architecture", "docs/adding-an-op", "docs/adding-a-pass"),
        *("docs/debugging", "docs/measurements", "docs/lexicon", "tests/README", "RELEASING"),
    ],
}


def setup(app: Sphinx) -> None:
    """Connects what the pages need beyond the extensions."""
    _pack_samples()
    app.connect("source-read", _prepare)


def _pack_samples() -> None:
    """Packs the files of all samples, for readers of the site who have no clone."""
    listed = subprocess.run(
        ["git", "ls-files", "samples/*/*"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    SAMPLES.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(SAMPLES, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in listed.stdout.splitlines():
            archive.write(ROOT / name, name)


def _prepare(app: Sphinx, name: str, source: list[str]) -> None:
    """Completes a page: links, members of the reference, files of a sample, the site's contents."""
    folder = (ROOT / name).parent

    def linked(match: re.Match[str]) -> str:
        path = folder / match[2]
        if not path.is_dir():
            return match[0]
        return f"[{match[1]}]({match[2]}/README.md)" if (path / "README.md").exists() else match[1]

    source[0] = re.sub(r"\[([^]]*)\]\(([^):#]+)\)", linked, source[0])
    source[0] = re.sub(r"<!-- members: (.*) -->", _members, source[0])
    if name.startswith("samples/"):
        archive = f"[samples.zip](../../{SAMPLES.relative_to(ROOT)})"
        line = f"Run the commands in `{name.removesuffix('/README')}` of a clone or of {archive}."
        source[0] = source[0].replace("\n", f"\n\n{line}\n", 1)
    if name == "docs/tour":
        source[0] = source[0].replace("This notebook", "This notebook ({download}`tour.ipynb`)", 1)
    if name == root_doc:
        for caption, pages in CONTENTS.items():
            lines = "\n".join(pages)
            source[0] += f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{lines}\n```\n"


def _members(match: re.Match[str]) -> str:
    """The docstrings of a module's members: those that are named, or all public ones."""
    path, *names = match[1].split()
    module = importlib.import_module(path)
    blocks: list[str] = []
    for name in names or getattr(module, "__all__", None) or dir(module):
        member = getattr(module, name)
        if not callable(member):
            continue
        if not inspect.getdoc(member):
            raise ExtensionError(f"{path}.{name} has no docstring")
        kind = "class" if isinstance(member, type) else "function"
        options = "\n   :members:\n" if kind == "class" else ""
        blocks.append(f".. auto{kind}:: {path}.{name}{options}\n")
    return "```{eval-rst}\n" + "\n".join(blocks) + "```"
