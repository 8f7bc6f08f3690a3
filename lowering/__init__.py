"""From ops to compiled modules: StableHLO builders, rewrites for IREE, and the compiler call."""

if __name__ != "rnn_compiler.lowering":
    raise ImportError("this package is imported as rnn_compiler.lowering, not by its folder's name")
