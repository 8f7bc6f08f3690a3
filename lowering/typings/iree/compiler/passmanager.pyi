"""The part of MLIR's Python bindings that `rnn_compiler.lowering.mlir.bindings` runs passes by."""

from iree.compiler.ir import Operation

class PassManager:
    @staticmethod
    def parse(pipeline: str) -> PassManager: ...
    def run(self, operation: Operation) -> None: ...
