"""The part of MLIR's Python bindings that `rnn_compiler.lowering.mlir.bindings` hands on."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from types import TracebackType
from typing import Any, Literal, Protocol, SupportsIndex, TypeVar, overload

import numpy.typing as npt

class MLIRError(Exception): ...

_S = TypeVar("_S")

class _Scope:
    def __enter__(self: _S) -> _S: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

_T = TypeVar("_T", covariant=True)

class _List(Protocol[_T]):
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_T]: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> _T: ...
    @overload
    def __getitem__(self, index: slice, /) -> Sequence[_T]: ...

class _Operands(_List[Value], Protocol):
    def __setitem__(self, index: int, value: Value, /) -> None: ...

class Context(_Scope):
    def __init__(self, load_on_create_dialects: Sequence[str] | None = None) -> None: ...
    def enable_multithreading(self, enable: bool) -> None: ...

class Location(_Scope):
    @staticmethod
    def unknown(context: Context | None = None) -> Location: ...
    @staticmethod
    def name(name: str, child: Location | None = None) -> Location: ...

class NameLoc(Location):
    name_str: str

class FileLineColLoc(Location):
    filename: str
    start_line: int
    start_col: int

class Attribute:
    def __init__(self, attribute: Attribute) -> None: ...
    @property
    def type(self) -> Type: ...
    @staticmethod
    def parse(text: str) -> Attribute: ...

class AffineExpr:
    @staticmethod
    def get_dim(position: int) -> AffineExpr: ...
    def __add__(self, other: AffineExpr) -> AffineExpr: ...
    def __mul__(self, factor: int) -> AffineExpr: ...

class AffineMap:
    results: Sequence[AffineExpr]
    @staticmethod
    def get(dims: int, symbols: int, expressions: Sequence[AffineExpr]) -> AffineMap: ...
    @staticmethod
    def get_identity(dims: int) -> AffineMap: ...
    @staticmethod
    def get_minor_identity(dims: int, results: int) -> AffineMap: ...

class AffineMapAttr(Attribute):
    value: AffineMap
    @staticmethod
    def get(map: AffineMap) -> AffineMapAttr: ...

class ArrayAttr(Attribute):
    @staticmethod
    def get(attributes: Sequence[Attribute]) -> ArrayAttr: ...
    def __iter__(self) -> Iterator[Attribute]: ...

class BoolAttr(Attribute):
    value: bool
    @staticmethod
    def get(value: bool) -> BoolAttr: ...

class IntegerAttr(Attribute):
    value: int
    @staticmethod
    def get(type: Type, value: int) -> IntegerAttr: ...

class FloatAttr(Attribute):
    value: float
    @staticmethod
    def get(type: Type, value: float) -> FloatAttr: ...

class StringAttr(Attribute):
    value: str
    @staticmethod
    def get(value: str) -> StringAttr: ...

class TypeAttr(Attribute):
    value: Type
    @staticmethod
    def get(value: Type) -> TypeAttr: ...

class SymbolRefAttr(Attribute):
    value: list[str]
    @staticmethod
    def get(symbols: Sequence[str]) -> SymbolRefAttr: ...

class FlatSymbolRefAttr(Attribute):
    value: str
    @staticmethod
    def get(value: str) -> FlatSymbolRefAttr: ...

class NamedAttribute:
    name: str
    attr: Attribute

class DictAttr(Attribute):
    def __iter__(self) -> Iterator[NamedAttribute]: ...
    @staticmethod
    def get(value: Mapping[str, Attribute]) -> DictAttr: ...
    def __getitem__(self, key: str, /) -> Attribute: ...
    def __contains__(self, key: object, /) -> bool: ...

class DenseI32ArrayAttr(Attribute):
    @staticmethod
    def get(values: Sequence[int]) -> DenseI32ArrayAttr: ...
    def __iter__(self) -> Iterator[int]: ...

class DenseI64ArrayAttr(Attribute):
    @staticmethod
    def get(values: Sequence[int]) -> DenseI64ArrayAttr: ...
    def __iter__(self) -> Iterator[int]: ...

class UnitAttr(Attribute):
    @staticmethod
    def get(context: Context | None = None) -> UnitAttr: ...

class DenseIntElementsAttr(Attribute):
    def __iter__(self) -> Iterator[int]: ...

class DenseElementsAttr(Attribute):
    is_splat: bool
    @overload
    @staticmethod
    def get(attributes: Sequence[Attribute], type: Type) -> DenseElementsAttr: ...
    @overload
    @staticmethod
    def get(array: npt.NDArray[Any], *, type: Type) -> DenseElementsAttr: ...
    @staticmethod
    def get_splat(type: Type, value: Attribute) -> DenseElementsAttr: ...
    def get_splat_value(self) -> Attribute: ...

class Type:
    @staticmethod
    def parse(text: str) -> Type: ...

class F64Type(Type):
    @staticmethod
    def get() -> F64Type: ...

class IndexType(Type):
    @staticmethod
    def get() -> IndexType: ...

class IntegerType(Type):
    width: int
    def __init__(self, type: Type) -> None: ...
    @staticmethod
    def get_signless(width: int) -> IntegerType: ...

class FunctionType(Type):
    def __init__(self, type: Type) -> None: ...
    inputs: list[Type]
    results: list[Type]
    @staticmethod
    def get(inputs: Sequence[Type], results: Sequence[Type]) -> FunctionType: ...

class ShapedType(Type):
    def __init__(self, type: Type) -> None: ...
    rank: int
    shape: list[int]
    element_type: Type
    @staticmethod
    def get_dynamic_size() -> int: ...

class RankedTensorType(ShapedType):
    @staticmethod
    def get(shape: Sequence[int], element: Type) -> RankedTensorType: ...

class MemRefType(ShapedType):
    @staticmethod
    def get(shape: Sequence[int], element: Type) -> MemRefType: ...

class VectorType(ShapedType):
    @staticmethod
    def get(shape: Sequence[int], element: Type) -> VectorType: ...

class OpOperand:
    owner: Operation
    operand_number: int

class Value:
    type: Type
    owner: Operation | Block
    uses: Iterator[OpOperand]
    def replace_all_uses_with(self, value: Value) -> None: ...
    def replace_all_uses_except(self, value: Value, except_: Operation) -> None: ...
    def __hash__(self) -> int: ...

class BlockArgument(Value):
    owner: Block  # pyright: ignore[reportIncompatibleVariableOverride]
    location: Location
    arg_number: int

class OpResult(Value): ...

class WalkResult(Enum):
    ADVANCE = 0
    INTERRUPT = 1
    SKIP = 2

class _Attributes(Protocol):
    def __getitem__(self, name: str, /) -> Attribute: ...
    def __setitem__(self, name: str, value: Attribute, /) -> None: ...
    def __delitem__(self, name: str, /) -> None: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...

class OpView:
    operation: Operation

class Operation:
    name: str
    operation: Operation
    context: Context
    location: Location
    attributes: _Attributes
    operands: _Operands
    results: _List[OpResult]
    regions: _List[Region]
    successors: _List[Block]
    block: Block
    parent: Operation
    @staticmethod
    def create(
        name: str,
        results: Sequence[Type] = ...,
        operands: Sequence[Value] = ...,
        attributes: Mapping[str, Attribute] = ...,
        regions: int = 0,
        *,
        loc: Location | None = None,
        ip: InsertionPoint | Literal[False] | None = None,
    ) -> Operation: ...
    def clone(self, ip: InsertionPoint | None = None) -> Operation: ...
    def detach_from_parent(self) -> Operation: ...
    def erase(self) -> None: ...
    def get_asm(
        self,
        *,
        large_elements_limit: int | None = None,
        large_resource_limit: int | None = None,
        enable_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_name_loc_as_prefix: bool = False,
    ) -> str: ...
    def move_after(self, other: Operation) -> None: ...
    def move_before(self, other: Operation) -> None: ...
    def verify(self) -> bool: ...
    def walk(self, callback: Callable[[Operation], WalkResult]) -> None: ...

class _Blocks(_List[Block], Protocol):
    def append(self, *types: Type, arg_locs: Sequence[Location] | None = None) -> Block: ...

class Region:
    blocks: _Blocks

class Block:
    arguments: _List[BlockArgument]
    operations: _List[OpView]
    owner: Operation
    region: Region
    @staticmethod
    def create_at_start(
        parent: Region, types: Sequence[Type], locations: Sequence[Location] | None = None
    ) -> Block: ...
    def add_argument(self, type: Type, location: Location) -> BlockArgument: ...
    def append(self, operation: Operation) -> None: ...
    def append_to(self, region: Region) -> None: ...
    def erase_argument(self, index: int) -> None: ...

class InsertionPoint(_Scope):
    block: Block
    def __init__(self, at: Block | Operation) -> None: ...
    @staticmethod
    def at_block_begin(block: Block) -> InsertionPoint: ...
    @staticmethod
    def after(operation: Operation) -> InsertionPoint: ...
    def insert(self, operation: Operation) -> None: ...

class Module:
    body: Block
    context: Context
    operation: Operation
    @staticmethod
    def create(location: Location | None = None) -> Module: ...
    @staticmethod
    def parse(text: str, context: Context | None = None) -> Module: ...

class SymbolTable:
    def __init__(self, operation: Operation) -> None: ...
    def __getitem__(self, symbol: str, /) -> Operation: ...
    def __contains__(self, symbol: str, /) -> bool: ...
    @staticmethod
    def set_symbol_name(symbol: Operation, name: str) -> None: ...
    @staticmethod
    def replace_all_symbol_uses(old: str, new: str, inside: Operation) -> None: ...
