"""Modules in C on an emulated processor: a program that QEMU runs, with files as input and output.

Requirements by architecture, with Debian's packages:

| | the emulator | a compiler that makes static programs |
|---|---|---|
| aarch64 | ``qemu-aarch64`` (qemu-user) | ``aarch64-linux-gnu-gcc`` (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross) |
| armv7 | ``qemu-arm`` (qemu-user) | ``arm-linux-gnueabihf-gcc`` (gcc-arm-linux-gnueabihf, libc6-dev-armhf-cross) |
| cortex-m4, m7, m33, m55 | ``qemu-system-arm`` (qemu-system-arm): Arm's boards MPS2 and MPS3 | ``arm-none-eabi-gcc`` (gcc-arm-none-eabi, libnewlib-arm-none-eabi) |
| riscv32 | ``qemu-system-riscv32`` (qemu-system-misc) | ``riscv64-unknown-elf-gcc`` (gcc-riscv64-unknown-elf, picolibc-riscv64-unknown-elf) |

On a board without a system, files and arguments come by semihosting.
"""  # noqa: E501

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from c.calling import C11, STRICT, Arrays, at_sizes, run, sizes_of

from rnn_compiler.c_compilation import CModule
from rnn_compiler.schema.dtypes import DTYPES


@dataclass(frozen=True)
class Machine:
    """The programs that run code for an architecture.

    Attributes:
        compiler: The compiler, and its flags.
        emulator: The emulator; its last argument is the program.
        cpu: The processor that it is told to be; empty where the board says it.
        flash: Where code lies on a board without a system, and how much there is.
        ram: Where data lies, and how much there is.
        has_startup: Whether its C library begins programs, and gives them a name.
    """

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]
    cpu: str = ""
    flash: tuple[int, int] = (0, 0)
    ram: tuple[int, int] = (0, 0)
    has_startup: bool = False

    def missing(self) -> str:
        """The missing requirements; empty if there are none."""
        tools = self.compiler[0], self.emulator[0]
        return ", ".join(each for each in tools if shutil.which(each) is None)

    def command(self, program: Path, arguments: Sequence[str], cpu: str | None) -> list[str]:
        """The command that runs a program."""
        if not self.ram[1]:
            return [*self.emulator, "-cpu", cpu or self.cpu, str(program), *arguments]
        words = arguments if self.has_startup else (program.name, *arguments)
        given = "".join(f",arg={each}" for each in words)
        semihosting = ["-semihosting-config", f"enable=on,target=native{given}"]
        return [*self.emulator, *semihosting, "-nographic", "-kernel", str(program)]


def _cortex_m(
    number: int, unit: str, board: str, flash: tuple[int, int], ram: tuple[int, int]
) -> Machine:
    options = f"-mcpu=cortex-m{number}", "-mthumb", "-mfloat-abi=hard", f"-mfpu={unit}"
    return Machine(
        ("arm-none-eabi-gcc", *options, "--specs=rdimon.specs", "-nostartfiles"),
        ("qemu-system-arm", "-M", board),
        flash=flash,
        ram=ram,
    )


_MIB = 1 << 20

MACHINES = {
    "aarch64": Machine(("aarch64-linux-gnu-gcc", "-static"), ("qemu-aarch64",), "cortex-a53"),
    "armv7": Machine(("arm-linux-gnueabihf-gcc", "-static"), ("qemu-arm",), "cortex-a7"),
    "riscv32": Machine(
        (
            *("riscv64-unknown-elf-gcc", "-march=rv32imafc", "-mabi=ilp32f"),
            *("--specs=picolibc.specs", "--crt0=semihost", "--oslib=semihost"),
            "-Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=0x1000000",
            "-Wl,--defsym=__ram=0x81000000,--defsym=__ram_size=0x2000000",
        ),
        ("qemu-system-riscv32", "-M", "virt", "-bios", "none"),
        flash=(0x80000000, 16 * _MIB),
        ram=(0x81000000, 32 * _MIB),
        has_startup=True,
    ),
    "cortex-m4": _cortex_m(
        *(4, "fpv4-sp-d16", "mps2-an386", (0, 4 * _MIB), (0x21000000, 16 * _MIB))
    ),
    "cortex-m7": _cortex_m(
        *(7, "fpv5-sp-d16", "mps2-an500", (0, 4 * _MIB), (0x60000000, 16 * _MIB))
    ),
    "cortex-m33": _cortex_m(
        *(33, "fpv5-sp-d16", "mps2-an505", (0x10000000, 4 * _MIB), (0x80000000, 16 * _MIB))
    ),
    "cortex-m55": _cortex_m(
        *(55, "auto", "mps3-an547", (0x00000000, 512 << 10), (0x60000000, 16 * _MIB))
    ),
}
"""By architecture."""


def missing(architecture: str = "aarch64") -> str:
    """The missing requirements of running code; empty if there are none."""
    return MACHINES[architecture].missing()


def needs(architecture: str) -> pytest.MarkDecorator:
    """Skips a test where that is not here."""
    return pytest.mark.skipif(
        bool(missing(architecture)), reason=f"{architecture}: needs {missing(architecture)}"
    )


class Emulated:
    """A module in C as a program, of which a run is a call: bytes in, bytes out."""

    def __init__(self, module: CModule, folder: Path, *, cpu: str | None = None) -> None:
        self.rows = {row["function"]: row for row in module.manifest["functions"]}
        self._states = {row["name"]: row for row in module.manifest.get("state", _NONE)["members"]}
        self._machine = MACHINES[module.manifest["target"]["architecture"]]
        self._folder, self._cpu = folder, cpu
        module.save(folder)
        (folder / "main.c").write_text(program(module))
        files = [folder / each for each in ("main.c", f"{module.name}.c", f"{module.name}.o")]
        if self._machine.ram[1] and not self._machine.has_startup:
            (folder / "startup.c").write_text(BOARD_STARTUP)
            (folder / "board.ld").write_text(board_script(self._machine))
            start = folder / "startup.o"
            run(*self._machine.compiler, "-O1", "-c", folder / "startup.c", "-o", start)
            files += [start, "-T", folder / "board.ld"]
        compiler, *options = self._machine.compiler
        run(compiler, *options, *C11, *STRICT, "-O1", *files, "-o", folder / "main")

    def call(self, function: str, given: Mapping[str, npt.NDArray[Any]]) -> Arrays:
        """Calls a function, which must give no error."""
        sizes = sizes_of(self.rows[function], given)
        row = at_sizes(self.rows[function], sizes)
        inputs: list[bytes] = []
        states = [self._states[name] for name in row.get("states", ())]
        for each in (*row["arguments"], *states):
            value = np.asarray(given[each["name"]]).astype(DTYPES[each["dtype"]].numpy)
            assert value.size == np.prod(each["shape"], dtype=int)
            inputs.append(value.tobytes())
        (self._folder / "in").write_bytes(b"".join(inputs))
        (self._folder / "out").write_bytes(b"")
        arguments = [function, *map(str, sizes.values())]
        done = subprocess.run(
            self._machine.command(self._folder / "main", arguments, self._cpu),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, (done.stderr + done.stdout).decode()
        output = (self._folder / "out").read_bytes()
        results: Arrays = {}
        start = 0
        for each in (*row["results"], *(self._states[name] for name in row.get("updates", ()))):
            array = np.frombuffer(output[start:][: each["size"]], DTYPES[each["dtype"]].numpy)
            results[each["name"]] = array.reshape(each["shape"])
            start += each["size"]
        assert start == len(output)
        return results


BOARD_STARTUP = """\
/* What a board does before a program: its floating-point unit on, its data zeroed. */
#include <stdint.h>
#include <stdlib.h>

extern uint32_t __bss_start__, __bss_end__, __stack;
extern void initialise_monitor_handles(void);
extern void __libc_init_array(void);
extern int main(int argc, char **argv);
void _init(void) {}
void _fini(void) {}

static char line[256];
static char *words[9];

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the floating-point unit */
    __asm__ volatile("dsb; isb");
    for (uint32_t *word = &__bss_start__; word < &__bss_end__; word++)
        *word = 0;
    initialise_monitor_handles();
    __libc_init_array();
    struct { char *buffer; int size; } block = {line, sizeof line};
    register int operation __asm__("r0") = 0x15; /* SYS_GET_CMDLINE */
    register void *argument __asm__("r1") = &block;
    __asm__ volatile("bkpt 0xAB" : "+r"(operation) : "r"(argument) : "memory");
    int count = 0;
    for (char *at = line; *at && count < 8;) {
        words[count++] = at;
        while (*at && *at != ' ')
            at++;
        while (*at == ' ')
            *at++ = 0;
    }
    exit(main(count, words));
}

static void fault(void) { _Exit(99); }

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    &__stack, reset, fault, fault, fault, fault, fault,
};
"""


def board_script(machine: Machine) -> str:
    """A linker script."""
    (flash, flash_size), (ram, ram_size) = machine.flash, machine.ram
    return f"""\
MEMORY {{
    FLASH (rx) : ORIGIN = {flash:#x}, LENGTH = {flash_size:#x}
    RAM (rwx) : ORIGIN = {ram:#x}, LENGTH = {ram_size:#x}
}}
SECTIONS {{
    .vectors : {{ KEEP(*(.vectors)) }} > FLASH
    .text : {{ *(.text*) *(.rodata*) *(.eh_frame*) }} > FLASH
    .ARM.exidx : {{ *(.ARM.exidx*) }} > FLASH
    .init_array : {{
        __preinit_array_start = .; KEEP(*(.preinit_array*)) __preinit_array_end = .;
        __init_array_start = .; KEEP(*(.init_array*)) __init_array_end = .;
        __fini_array_start = .; KEEP(*(.fini_array*)) __fini_array_end = .;
    }} > FLASH
    .data : {{ *(.data*) }} > RAM
    .bss (NOLOAD) : {{
        __bss_start__ = .; *(.bss*) *(COMMON) . = ALIGN(8); __bss_end__ = .;
    }} > RAM
    end = .;
    __stack = ORIGIN(RAM) + LENGTH(RAM);
}}
"""


def program(module: CModule) -> str:
    """A program that calls the function that its first argument names, at the sizes that follow.

    It reads the arguments from the file `in` and writes the results to the file `out`.
    """
    memory = _MEMORY if any("open_sizes" in row for row in module.manifest["functions"]) else ""
    state = module.manifest.get("state", _NONE)
    functions = "\n".join(_call(row, state) for row in module.manifest["functions"])
    return f"""\
#include "{module.name}.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *in, *out;

static void take(void *data, size_t size)
{{
    if (!in || fread(data, 1, size, in) != size) {{
        perror("in");
        exit(8);
    }}
}}

{memory}
int main(int argc, char **argv)
{{
    int code = argc > 1 ? -1 : 0;
    in = fopen("in", "rb");
    out = fopen("out", "wb");
{functions}
    fclose(out);
    if (code)
        fprintf(stderr, "%s\\n", {module.name}_error(code));
    return code != 0;
}}
"""


_MEMORY = """\
extern void *memalign(size_t, size_t);

static void *new_array(size_t size)
{
    void *array = memalign(64, size);
    if (!array)
        exit(9);
    return memset(array, 0xff, size);
}
"""


_NONE: dict[str, Any] = {"struct": "", "members": []}


def _call(row: dict[str, Any], state: dict[str, Any]) -> str:
    if "open_sizes" in row:
        return _call_at_sizes(row)
    members = {each["name"]: each for each in state["members"]}
    pointers = {
        name: f"{'' if each['shape'] else '&'}state.{name}" for name, each in members.items()
    }
    f = row["function"]
    lines = [f'if (!strcmp(argv[1], "{f}")) {{']
    lines.append(f"alignas(64) static unsigned char scratch[{f.upper()}_SCRATCH_SIZE];")
    lines += [f"static struct {f}_arguments arguments; static struct {f}_results results;"]
    for each in row["arguments"]:
        if each["by_value"]:
            lines.append(f"take(&arguments.{each['name']}, {each['size']});")
        else:
            lines.append(_array("in", each, "arguments"))
            lines.append(f"take(in_{each['name']}, {each['size']});")
    for each in row["results"]:
        lines.append(_array("out", each, "results"))
        lines.append(f"memset(out_{each['name']}, 0xff, sizeof out_{each['name']});")
    lines.append("memset(scratch, 0xff, sizeof scratch);")
    if "states" in row:
        lines.append(f"static {state['struct']} state;")
    for name in row.get("states", ()):
        lines.append(f"take({pointers[name]}, {members[name]['size']});")
    given = "&state, " if "states" in row else ""
    lines.append(f"code = {f}(&arguments, &results, {given}scratch);")
    lines += [f"fwrite(out_{each['name']}, 1, {each['size']}, out);" for each in row["results"]]
    for name in row.get("updates", ()):
        lines.append(f"fwrite({pointers[name]}, 1, {members[name]['size']}, out);")
    return "\n".join(f"    {line}" for line in [*lines, "}"])


def _call_at_sizes(row: dict[str, Any]) -> str:
    """The call of a function with open sizes, in memory of exactly the bytes that it asks for."""
    f, names = row["function"], [each["name"] for each in row["open_sizes"]]
    lines = [f"static struct {f}_arguments arguments; static struct {f}_results results;"]
    lines += [f"struct {f}_bytes bytes; void *scratch, *start;"]
    lines += [f"arguments.{n} = strtoll(argv[{k}], NULL, 10);" for k, n in enumerate(names, 2)]
    given = ", ".join(f"arguments.{name}" for name in names)
    lines.append(f"code = {f}_measure({given}, &bytes);")
    for each in row["arguments"]:
        name = each["name"]
        if each["by_value"]:
            lines.append(f"take(&arguments.{name}, {each['size']});")
        else:
            lines.append(f"start = new_array(bytes.{name}); arguments.{name} = start;")
            lines.append(f"take(start, bytes.{name});")
    for each in row["results"]:
        lines.append(f"results.{each['name']} = new_array(bytes.{each['name']});")
    lines.append("scratch = new_array(bytes.scratch);")
    lines.append(f"if (!code) code = {f}(&arguments, &results, scratch);")
    for each in row["results"]:
        lines.append(f"fwrite(results.{each['name']}, 1, bytes.{each['name']}, out);")
    lines += [
        f"free((void *)(uintptr_t)arguments.{a['name']});"
        for a in row["arguments"]
        if not a["by_value"]
    ]
    lines += [f"free(results.{each['name']});" for each in row["results"]]
    head = f'if (argc == {2 + len(names)} && !strcmp(argv[1], "{f}")) {{'
    return "\n".join(f"    {line}" for line in [head, *lines, "free(scratch);", "}"])


def _array(prefix: str, each: dict[str, Any], struct: str) -> str:
    name = each["name"]
    size = max(1, each["size"] // max(1, int(np.prod(each["shape"], dtype=int))))
    count = max(1, each["size"] // size)
    return (
        f"alignas(64) static {each['c_type']} {prefix}_{name}[{count}]; "
        f"{struct}.{name} = {prefix}_{name};"
    )
