"""``python -m rnn_compiler`` is ``rnn-compiler``."""

import sys

from rnn_compiler.cli import main

if __name__ == "__main__":
    sys.exit(main())
