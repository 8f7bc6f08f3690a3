# PYTHON_ARGCOMPLETE_OK
"""The `rnn-compiler` command: parsing, dispatch and exit codes; the verbs are in their own files.

Exit codes: 0 success, 1 a failure, 2 wrong usage or arguments, 128 plus the number of the signal
that ended it; `check` has its own. An error is one line on standard error; `--debug` shows the
traceback. With `--json`, it is also printed as `{"error": ...}` on standard output.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Generator, Sequence
from typing import Any, NoReturn

from rnn_compiler.base.logs import configure_logging
from rnn_compiler.base.stages import watching
from rnn_compiler.base.systems import signals
from rnn_compiler.cli.terminal import error_text, print_error, print_json
from rnn_compiler.errors import InvalidArgumentError, RnnCompilerError, with_hint

__all__ = ["main"]

_EPILOG = """\
examples:
  rnn-compiler compile BlockLSTMV2 BlockLSTMGradV2 \\
      --dim seq_length=32,batch_size=16,input_size=256,num_units=256 --attr use_peephole=false
  rnn-compiler inspect block_lstm_v2.vmfb
  rnn-compiler run block_lstm_v2.vmfb --function block_lstm_v2 --random -o out.npz

environment:
  RNN_COMPILER_TARGET      the default target (default: cpu)
  RNN_COMPILER_DEVICE      the default device (default: cuda or vulkan for these
                           targets; on CPUs local-task for large work, else local-sync)
  RNN_COMPILER_CACHE_DIR   folder of the artifact cache
  RNN_COMPILER_CACHE       rw (default), ro (read only), off, or verify (compile again
                           on every hit, and compare)
  RNN_COMPILER_CACHE_TRUST     whose entries are trusted: owner (default) or writers
  RNN_COMPILER_CACHE_MAX_SIZE  size limit of the cache, such as 500M or 2G (default: 1G)
  RNN_COMPILER_CACHE_REMOTE    URL of a cache that machines share, such as s3://bucket/rnn
  RNN_COMPILER_CACHE_REMOTE_TIMEOUT  time limit for one remote entry, in seconds (default: 10)
  RNN_COMPILER_CALLS           direct (default) or iree: whether short calls on CPUs
                               bypass IREE's runtime
  RNN_COMPILER_POOL_MAX_SIZE   most freed memory that a device keeps for later calls
                               (default: an eighth of memory, 512M to 4G)
  RNN_COMPILER_STATIC_SIZES    how many sizes of an op rnn_compiler.torch compiles
                               separately: a number or all (default: 2)
  RNN_COMPILER_LOG         log level on standard error: debug, info, warning or error
  TMPDIR                   folder for the compiler's temporary files
  COLUMNS                  width of the output
  NO_COLOR                 turns off colours

tab completion: pip install argcomplete, then in ~/.bashrc or ~/.zshrc
  eval "$(register-python-argcomplete rnn-compiler)"

JSON: every verb except emit takes --json, and then prints only JSON on standard
output. A failure without other results is {"error": "..."}.

exit codes:
  0                        success; of check: optimal or runs
  1                        failure; of verify: a result differs
  2                        wrong usage or arguments
  3                        of check: recompile
  4                        of check: unsupported
  129, 130, 143            ended by SIGHUP, Ctrl-C or SIGTERM
"""


class _Parser(argparse.ArgumentParser):
    """A parser with ``--debug``; verbs use this class too."""

    def __init__(self, **keywords: Any) -> None:
        super().__init__(**keywords)
        self.set_defaults(parser=self)  # the verb's parser, once parsed
        text = "show a traceback on errors"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=text)

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses a command line; shows the verb's usage if there are unknown options."""
        options, unknown = self.parse_known_args(words)
        if unknown:
            parser: _Parser = options.parser
            names = list(parser._option_string_actions)
            message = f"unrecognized arguments: {' '.join(unknown)}"
            if all(re.match(r"\w+=", word) for word in unknown):
                message += "; separate pairs by commas and without spaces, as in --dim a=1,b=2"
            parser.error(with_hint(message, unknown[0].partition("=")[0], names))
        return options

    def error(self, message: str) -> NoReturn:
        """Ends the process with an error that suggests the closest choice."""
        found = re.search(r"invalid choice: '?(.*?)'? \(choose from (.*)\)", message)
        choices = re.findall(r"[\w-]+", found[2]) if found else []
        super().error(with_hint(message, found and found[1], choices))


_VERBS = {
    "ops": "environment",
    "emit": "modules",
    "compile": "modules",
    "link": "modules",
    "inspect": "inspect",
    "check": "check",
    "run": "run",
    "import": "model_import",
    "verify": "verify",
    "weights": "weights",
    "bench": "bench",
    "cache": "cache",
    "doctor": "environment",
    "demo": "environment",
}
"""The verbs and their modules."""


def make_parser(only: str | None = None) -> _Parser:
    """The parser of the command line."""
    parser = _Parser(
        prog="rnn-compiler",
        description="Compiles the fused recurrent ops of TensorFlow and ONNX, and their gradients.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="show the versions and exit")
    verbs = parser.add_subparsers(metavar="VERB", title="verbs")
    for name, module in _VERBS.items():
        if only is None or name == only:
            home = importlib.import_module(f"rnn_compiler.cli.{module}")
            getattr(home, f"add_{name}")(verbs)
        else:
            verbs.add_parser(name)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Returns the exit code.
    """
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions
        from rnn_compiler.cli.completion import complete, verb_in

        complete(make_parser(verb_in(os.environ)))
    words = sys.argv[1:] if argv is None else argv
    first = next((word for word in words if word != "--debug"), "")
    parser = make_parser(first if first in _VERBS else None)
    if "--json" in words and not {"-h", "--help"}.isdisjoint(words):
        from rnn_compiler.cli.help_json import described, parser_of

        print_json(described(parser_of(parser, words)))
        return 0
    options = parser.read(words)
    with warnings.catch_warnings(), _ending_by_signals():
        warnings.showwarning = _show_warning
        return _run(parser, options)


@contextlib.contextmanager
def _ending_by_signals() -> Generator[None]:
    """Turns SIGTERM and SIGHUP into exceptions, so that the command cleans up.

    An ignored signal, as under nohup, stays ignored.
    """

    def end(number: int, frame: object) -> NoReturn:
        del frame
        for each in found:
            signal.signal(each, signal.SIG_DFL)  # a second signal does not wait
        raise SystemExit(128 + number)

    found: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        numbers = signals("SIGTERM", "SIGHUP")
        found = [each for each in numbers if signal.getsignal(each) is signal.SIG_DFL]
    for each in found:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in found:
            signal.signal(each, signal.SIG_DFL)


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    from rnn_compiler.cli.options import UsageError

    try:
        configure_logging()
        if options.version:
            from rnn_compiler.cli.environment import print_version

            return print_version()
        if not hasattr(options, "verb"):
            parser.print_help()
            return 2
        with watching(lambda stage: None):  # commands show progress instead of logging it
            code = options.verb(options)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader, such as `head`, has closed standard output
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (UsageError, InvalidArgumentError) as error:
        return _fail(options, error, 2)
    except (RnnCompilerError, OSError) as error:
        return _fail(options, error, 1)
    except Exception as error:
        text = "".join(traceback.format_exception_only(error))
        return _fail(options, error, 1, f"unexpected {text}\n--debug shows a traceback")
    except KeyboardInterrupt:
        return 130


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning as one line, without the source that raised it."""
    print_error(str(message), "warning")


def _fail(options: argparse.Namespace, error: Exception, code: int, text: str = "") -> int:
    """Prints an error, or another text for it, in one line."""
    if "debug" in options:
        raise error
    lines = (text or error_text(error)).splitlines()
    message = "; ".join(line.strip() for line in lines if line.strip())
    if getattr(options, "json", False):
        print_json({"error": message})
    print_error(message)
    return code
