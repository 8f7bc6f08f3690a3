"""The formats that modules are compiled to, as plain data: one row each."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMATS", "Format"]


@dataclass(frozen=True)
class Format:
    """What messages, help and the command line's checks say of a format.

    Attributes:
        product: A module in it, in words.
        made_by: What compiles to it.
        contents: What is written, in words.
        written: The same in lines, by file names; empty if the help has other words for it.
        main: What follows the module's name in the name of the file that a program uses.
        target: The default target; empty for this machine's.
        targets: The targets that it has and artifacts lack, in words.
        options: The flags that only some formats have, and this one has.
        single: Whether it takes one target and one size at a time.
    """

    product: str
    made_by: str
    contents: str
    written: tuple[str, ...] = ()
    main: str = ""
    target: str = ""
    targets: str = ""
    options: frozenset[str] = frozenset()
    single: bool = True


FORMATS = {
    "vmfb": Format(
        product="an artifact",
        made_by="compile",
        contents="a module for IREE's runtime",
        options=frozenset({"golden"}),
        single=False,
    ),
    "c": Format(
        product="C",
        made_by="compile_c, or --format c",
        contents="a folder with a header, a source file and an object file for a CPU, which depend "
        "on libc only",
        written=(
            "a folder with NAME.h, NAME.c, NAME.o and NAME.json; build a program",
            "with cc main.c NAME.c NAME.o. With --golden, also NAME_selftest.c",
        ),
        main=".h",
        targets="also cpu:cortex-m4, cpu:cortex-m7, cpu:cortex-m33, cpu:cortex-m55, cpu:armv7, "
        "cpu:riscv32",
        options=frozenset({"golden", "prefix"}),
    ),
    "js": Format(
        product="JavaScript",
        made_by="compile_js, or --format js",
        contents="a folder with a JavaScript module and WebAssembly",
        written=("a folder with NAME.mjs, NAME.wasm, NAME.d.ts and NAME.json",),
        main=".mjs",
        target="cpu:wasm32",
        targets="cpu:wasm32 (the default there) or cpu:wasm32,relaxed-simd",
    ),
}
"""The formats by name, as ``--format`` takes it."""
