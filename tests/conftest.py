"""The environment of every test: an artifact cache of their own, and no outside settings."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import gc
import itertools
import logging
import os
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Tests share `cases`, `reference` and the like; they are no package, so that nothing but this
# folder's own tests can import them.
sys.path.insert(0, str(Path(__file__).parent))

from quick import not_dealt

pytest.register_assert_rewrite("cases", "goldens.golden", "numeric.harness")

# Threads of numpy's BLAS and of torch spin while they wait, also in the processes that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

EMULATOR = pytest.StashKey[ctypes.CDLL]()

LONG = (
    *("test_on_emulator.py", "test_training.py", "test_short_rows.py", "test_products.py"),
    *("test_wheel.py", "test_steps.py", "test_training_networks.py", "test_learn_on_device.py"),
    *("test_onnxruntime_cases.py", "test_newest.py", "test_nan.py", "test_small_machines.py"),
    *("test_memory.py", "test_shared_steps.py", "test_onnx.py", "test_direct_calls.py"),
)
"""Files with tests that take eight seconds of CPU time or more."""


def iree_device(config: pytest.Config) -> str | None:
    """The device of ``--device``, under IREE's name."""
    device = config.getoption("--device")
    return "cuda" if device and device.startswith("emulator") else device


def pytest_addoption(parser: pytest.Parser) -> None:
    """The device to run tests on, and the folder to keep artifacts in."""
    parser.addoption(
        "--device",
        help="run on this device: cuda, cuda://1, vulkan; or emulator, emulator:sm_86: cuda, which "
        "an interpreter of PTX in this process plays (tests/cuda/emulator)",
    )
    parser.addoption(
        "--fresh-cache",
        action="store_true",
        help="compile everything anew, instead of keeping what is compiled in pytest's cache_dir",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Loads the emulator before anything opens a driver, and has workers end at once.

    Hypothesis draws constants that it finds in the product, which it parses in each process:
    without slow tests, that takes longer than the tests for which it draws.

    To take torch, jax and all tests apart takes seconds; a worker's status nobody reads. What
    Python does as it ends is tested in processes of its own (runtime/test_shutdown.py).
    """
    if hasattr(config, "workerinput"):  # of pytest-xdist, and not what a test of it starts
        atexit.register(os._exit, 0)
    if config.option.markexpr == "not slow":
        with contextlib.suppress(ImportError):  # of versions that do not do that
            from hypothesis.internal.conjecture import providers

            providers.is_local_module_file = lambda path: False
    name, _, architecture = (config.getoption("--device") or "").partition(":")
    if name == "emulator":
        from cuda import emulator

        capability = int((architecture or "sm_80").removeprefix("sm_"))
        config.stash[EMULATOR] = emulator.load(emulator.build(), capability)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out ways that are dealt among values, and puts the longest tests first.

    So no core waits for one of them in the end: pytest-xdist gives each worker as many tests, in
    this order, so that each share begins with long ones.
    """
    left_out = not_dealt(items)
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if item.path.name in LONG]
    others = iter([item for item in items if item.path.name not in LONG])
    left = len(items)
    items.clear()
    for worker in range(workers):
        size = left // (workers - worker)
        share = long[worker::workers]
        items += [*share, *itertools.islice(others, max(0, size - len(share)))]
        left -= size
    items += others


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[Any], list[Any]]:
    """Looks for examples in the sources only: in each file of tests, that takes a second in all."""
    return [each for each in (yield) if type(each) is pytest.Module]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leaves torch, jax and thousands of items out of garbage collection, now and later.

    A test that collects garbage itself waits for that of tests alone, and not for half a second.
    Torch's 40 loggers propagate: pytest would add handlers to each of them, six times a test.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        for name, logger in logging.root.manager.loggerDict.items():
            if name.startswith("torch") and isinstance(logger, logging.Logger):
                logger.propagate = True
        gc.freeze()
        gc.enable()
        atexit.register(gc.unfreeze)  # IREE's bindings print what is alive when Python ends


@pytest.fixture(scope="session")
def emulated(pytestconfig: pytest.Config) -> ctypes.CDLL:
    """The emulator that this process runs on; without one, the test is skipped."""
    library = pytestconfig.stash.get(EMULATOR, None)
    if library is None:
        pytest.skip("of the emulator: pytest --device emulator")
    return library


hypothesis.settings.register_profile("local", deadline=None, print_blob=True)
hypothesis.settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture
def own_garbage() -> None:
    """`gc.collect` looks only at what the test makes: what all others left takes half a second."""
    gc.freeze()


@pytest.fixture
def without_gpu() -> None:
    """Skips a test of the messages without a GPU if there is one."""
    from rnn_compiler.errors import DeviceError
    from rnn_compiler.runtime.device.devices import get_device

    try:
        get_device("cuda")
    except DeviceError:
        return
    pytest.skip("there is a GPU")


@pytest.fixture
def execute(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """Runs functions of modules in the way that is the parameter; see `execution`."""
    from execution import Execute

    return Execute(request.param, tmp_path)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Runs `rnn-compiler` in this process, to end with a code; returns what it printed."""
    from rnn_compiler.cli import main

    def run(*words: object, code: int = 0) -> Any:
        capsys.readouterr()
        ended, printed = main([*map(str, words)]), capsys.readouterr()
        assert ended == code, f"{words} ended with {ended}\n{printed.out}{printed.err}"
        return printed

    return run


def _shared_temporary(factory: pytest.TempPathFactory) -> Path:
    """The folder of this run: under pytest-xdist, the one above its worker's own."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session", autouse=True)
def _isolated(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[None]:
    """One cache for this session and the next, in `.pytest_cache`, and none of the user's own.

    With ``--device``, everything is compiled for that and runs on it unless it says otherwise.
    A used one is as good as new: its keys hold a digest of all sources that decide what is
    compiled, and tests that change what is compiled do without a cache. Those of the compiler's
    results hold all that it gets.

    The compiler runs on one thread, as each core has tests of its own: that saves 6 % of its CPU
    time. The code is the same.
    """
    import compiler_results

    from rnn_compiler.lowering.compiler import iree_compile

    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("RNN_COMPILER_")]:
            environment.delenv(name)
        for name in ("COLUMNS", "NO_COLOR"):  # the first of which pytest-xdist sets
            environment.delenv(name, raising=False)
        folder = _shared_temporary(tmp_path_factory)
        cache = getattr(pytestconfig, "cache", None)  # not there with -p no:cacheprovider
        if cache is not None and not pytestconfig.getoption("--fresh-cache"):
            folder = cache.mkdir("compiled")
        environment.setenv("RNN_COMPILER_CACHE_DIR", str(folder / "artifacts"))
        results = folder / "compiler-results"
        environment.setattr(iree_compile, "run", compiler_results.kept(iree_compile.run, results))
        if os.environ.get("PYTEST_XDIST_WORKER", "gw0") == "gw0":
            compiler_results.forget_old(results)
        flags = (*iree_compile.FLAGS, "--mlir-disable-threading")
        environment.setattr(iree_compile, "FLAGS", flags)
        device = iree_device(pytestconfig)
        if device is not None:
            environment.setenv("RNN_COMPILER_DEVICE", device)
        if device == "vulkan":
            environment.setenv("RNN_COMPILER_TARGET", device)
        else:  # on lavapipe, an open device keeps two threads busy until its process ends
            environment.setenv("VK_LOADER_DRIVERS_DISABLE", "*")
        if device is not None and device.startswith("cuda"):
            _, _, architecture = pytestconfig.getoption("--device").partition(":sm_")
            environment.setenv("RNN_COMPILER_TARGET", f"cuda:sm_{architecture or 80}")
        yield


@pytest.fixture
def compiler_runs_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler runs, whatever it gave before: for tests of how long it takes."""
    from rnn_compiler.lowering.compiler import compiler_process, iree_compile

    monkeypatch.setattr(iree_compile, "run", compiler_process.run)


_compiled: dict[Any, Any] = {}


@pytest.fixture
def compiled_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler starts once for a module and a target, for tests with an empty cache each.

    These look at what is compiled when, and what becomes of it; it is always the same bytes.
    """
    from rnn_compiler.lowering.compiler import iree_compile

    original = iree_compile.compile_with_host_program

    def compile(module: str, target: Any, **keywords: Any) -> tuple[bytes, str]:
        if (module, target) not in _compiled:
            _compiled[module, target] = original(module, target, **keywords)
        return _compiled[module, target]

    monkeypatch.setattr(iree_compile, "compile_with_host_program", compile)


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the targets that were compiled for."""
    from rnn_compiler.lowering.compiler import iree_compile

    calls: list[str] = []
    for name in ("compile_module", "compile_with_host_program", "compile_host_program"):
        original = getattr(iree_compile, name)

        def count(module: str, target: Any, *, _original: Any = original, **keywords: Any) -> Any:
            calls.append(target.name)
            return _original(module, target, **keywords)

        monkeypatch.setattr(iree_compile, name, count)
    return calls
