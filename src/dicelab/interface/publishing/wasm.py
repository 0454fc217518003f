"""Compiles the kernel of a game to WebAssembly.

Numba compiles the kernel as usual, but for a generic processor and without optimisation. Sizes of pointers are still
symbolic in that code, so it can be retargeted: LLVM optimises it again, for WebAssembly. No linker is needed for one
object whose only undefined symbols are its memory and its stack pointer; it only lacks an export.

Numba is configured by its environment, so this happens in a process of its own, which runs this module.

By itself because it knows LLVM, and nothing of games.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import pickle
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from dicelab.compile.kernels import cache
from dicelab.compile.kernels.uncompiled import code_of
from dicelab.errors import DicelabError
from dicelab.rules.game import Game

ENVIRONMENT = {
    "NUMBA_OPT": "0",
    "NUMBA_CPU_NAME": "generic",
    "NUMBA_CPU_FEATURES": "",
    "NUMBA_LOOP_VECTORIZE": "0",
    "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_DISABLE_JIT": "0",
    "PYTHONHASHSEED": "0",
}
TRIPLE, FEATURES = "wasm32-unknown-unknown", "+bulk-memory,+sign-ext,+nontrapping-fptoint"
"""What current browsers have; 64-bit memory and shared memory are not needed. Vectors are left out: products of 64-bit
lanes are slow in WebAssembly, and games of few rolls took a third longer with them."""
ENTRY = "kernel"
"""The name of the exported function."""
IMPORTS = {"__linear_memory", "__stack_pointer", "NRT_MemInfo_call_dtor"}
"""What a page provides; the last one is never called, because the page owns all arrays."""
MULTIPLIED = """
define internal { i64, i1 } @dicelab_multiplied(i64 %x, i64 %y) {
  %xl = and i64 %x, 4294967295
  %xh = ashr i64 %x, 32
  %yl = and i64 %y, 4294967295
  %yh = ashr i64 %y, 32
  %ll = mul i64 %xl, %yl
  %hl = mul i64 %xh, %yl
  %lh = mul i64 %xl, %yh
  %hh = mul i64 %xh, %yh
  %c0 = lshr i64 %ll, 32
  %m0 = add i64 %hl, %c0
  %ml = and i64 %m0, 4294967295
  %mh = ashr i64 %m0, 32
  %m1 = add i64 %lh, %ml
  %m1h = ashr i64 %m1, 32
  %h0 = add i64 %hh, %mh
  %high = add i64 %h0, %m1h
  %low = mul i64 %x, %y
  %sign = ashr i64 %low, 63
  %wrong = icmp ne i64 %high, %sign
  %r0 = insertvalue { i64, i1 } poison, i64 %low, 0
  %r1 = insertvalue { i64, i1 } %r0, i1 %wrong, 1
  ret { i64, i1 } %r1
}
"""
"""A product of 64-bit numbers and whether it overflows; LLVM's own lowering calls a library for 128-bit products."""
COMPILER = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
"""By this a module in the cache shows that it was compiled as this module compiles."""


def compiled(text: str, arguments: tuple[Any, ...]) -> bytes:
    """Return the kernel of a text as a WebAssembly module, kept in the cache of the kernels.

    Parameters
    ----------
    text
        Text of the kernel.
    arguments
        Arguments of a call; only their types matter.

    Raises
    ------
    DicelabError
        When the compiler fails.
    """
    text += f"\n# WebAssembly, compiled by {COMPILER}\n"
    name = f"{cache.name_of(text)}.wasm"
    path = cache.cache_folder() / "__pycache__" / name
    with suppress(OSError):
        return path.read_bytes()
    environment = os.environ | ENVIRONMENT
    command = [sys.executable, "-c", "from dicelab.interface.publishing.wasm import main; main()"]
    done = subprocess.run(command, input=pickle.dumps((text, arguments)), capture_output=True, env=environment)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise DicelabError(f"the rules can't be compiled to WebAssembly: {last[0]}")
    _keep(path, text, done.stdout)
    return done.stdout


def _keep(path: Path, text: str, module: bytes) -> None:
    """Store a module beside the compiled code of its kernel, where the commands about kernels find it."""
    with suppress(OSError):
        source = path.parent.parent / f"{path.stem}.py"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        cache.keep_text(source, text)
        cache.write_at_once(path, module)


def main() -> None:
    """Compile a kernel: the child process. It reads the text and the arguments, and writes the module."""
    text, arguments = pickle.loads(sys.stdin.buffer.read())
    sys.stdout.buffer.write(retargeted(*intermediate_code(text, arguments)))


def intermediate_code(text: str, arguments: tuple[Any, ...]) -> tuple[str, str]:
    """Return Numba's code of a kernel, not optimised, and the name of its function there."""
    from numba import typeof

    module = ModuleType("page")
    module.__dict__["CACHED"] = False
    exec(code_of(text, "page"), module.__dict__)
    kernel = module.kernel
    kernel.compile(tuple(typeof(one) for one in arguments))
    (signature,) = kernel.signatures
    return kernel.inspect_llvm(signature), kernel.overloads[signature].fndesc.llvm_func_name


def retargeted(code: str, function: str) -> bytes:
    """Return LLVM code as a WebAssembly module that exports one function as `ENTRY`."""
    from llvmlite import binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(opt=3, features=FEATURES)
    code = re.sub(r"^target (triple|datalayout) = .*$", "", code, flags=re.MULTILINE)
    code = re.sub(r'"(target-cpu|target-features)"="[^"]*"', "", code)
    code = re.sub(r"^declare .*@llvm\.smul\.with\.overflow\.i64\(.*$", MULTIPLIED, code, flags=re.MULTILINE)
    code = code.replace("@llvm.smul.with.overflow.i64(", "@dicelab_multiplied(")
    module = llvm.parse_assembly(code)
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    for one in module.functions:
        if not one.is_declaration:
            one.linkage = "external" if one.name == function else "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return exported(machine.emit_object(module), function)


def exported(module: bytes, function: str) -> bytes:
    """Return an object as a module that exports a function as `ENTRY`, without its custom sections.

    Raises
    ------
    DicelabError
        When it needs functions that no page has.
    """
    sections = list(_sections(module))
    linking = next(body for kind, body in sections if kind == 0 and _name_of(body) == "linking")
    unknown = {name for name, _ in _imports(next(body for kind, body in sections if kind == 2))} - IMPORTS
    if unknown:
        raise DicelabError(f"a page has no function {', '.join(sorted(unknown))}")
    name = ENTRY.encode()
    export = b"\1" + _number(len(name)) + name + b"\0" + _number(_index_of(linking, function))
    kept = [(kind, body) for kind, body in sections if kind]
    at = next((i for i, (kind, _) in enumerate(kept) if kind >= 7), len(kept))
    kept.insert(at, (7, export))
    return module[:8] + b"".join(bytes([kind]) + _number(len(body)) + body for kind, body in kept)


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the content of each section."""
    at = 8
    while at < len(module):
        kind = module[at]
        size, at = _read(module, at + 1)
        yield kind, module[at : at + size]
        at += size


def _name_of(body: bytes) -> str:
    """Return the name of a custom section."""
    size, at = _read(body, 0)
    return body[at : at + size].decode()


def data_pages(module: bytes) -> int:
    """Return how many pages of 64 KiB the constants of a module take; arrays come after them."""
    body = next(body for kind, body in _sections(module) if kind == 2)
    return next(pages for name, pages in _imports(body) if name == "__linear_memory")


def _imports(body: bytes) -> Iterator[tuple[str, int]]:
    """Yield the name of each import, and the smallest size of a memory or a table."""
    count, at = _read(body, 0)
    for _ in range(count):
        for _ in range(2):
            size, at = _read(body, at)
            name, at = body[at : at + size].decode(), at + size
        kind, at, least = body[at], at + 1, 0
        if kind == 0:  # a function: its type
            _, at = _read(body, at)
        elif kind == 3:  # a global: its type and whether it changes
            at += 2
        else:  # a memory or a table: its limits, after the type of a table
            at += kind == 1
            limits, at = body[at], at + 1
            least, at = _read(body, at)
            if limits & 1:
                _, at = _read(body, at)
        yield name, least


def _index_of(linking: bytes, wanted: str) -> int:
    """Return the index of a function, from the symbol table of the section ``linking``."""
    size, at = _read(linking, 0)
    _, at = _read(linking, at + size)  # its version
    while at < len(linking):
        kind = linking[at]
        length, at = _read(linking, at + 1)
        if kind != 8:  # not the symbol table
            at += length
            continue
        count, at = _read(linking, at)
        for _ in range(count):
            what = linking[at]
            flags, at = _read(linking, at + 1)
            undefined, named = flags & 0x10, flags & 0x40
            if what == 3:  # a section
                _, at = _read(linking, at)
                continue
            index = 0
            if what != 1:  # functions, globals, tables: an index, then a name unless it is that of the import
                index, at = _read(linking, at)
            name = ""
            if what == 1 or not undefined or named:
                size, at = _read(linking, at)
                name, at = linking[at : at + size].decode(), at + size
            if what == 1 and not undefined:
                for _ in range(3):
                    _, at = _read(linking, at)
            if what == 0 and name == wanted:
                return index
        break
    raise DicelabError("the compiler left out the kernel")


def _read(data: bytes, at: int) -> tuple[int, int]:
    """Read a number in LEB128; returns it and the place after it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _number(value: int) -> bytes:
    """Return a number in LEB128."""
    parts = bytearray()
    while True:
        parts.append((value & 127) | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(parts)


# Expressions ----------------------------------------------------------------------------------------------------------
#
# What a board shows beside fields: methods that return one expression, as data that the page evaluates.
#
# Such methods are for people; they may read tallies and return texts, so kernels don't have them. An expression becomes
# a list, an operation and its parts, as ``Words.evaluate`` in ``static/board.js`` reads them.


Expression = list[Any]
OPERATORS: dict[type, str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.RShift: ">>",
    ast.BitAnd: "&",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
}
CALLS = {"min", "max", "sum", "len", "abs"}


def expression_of(game: type[Game], method: str) -> Expression | None:
    """Return the expression that a method of a game returns; None if it isn't one that a page evaluates.

    Examples
    --------
    >>> from dicelab.games.lcr import LCR
    >>> expression_of(LCR, "center")
    ['-', ['*', ['name', 'players'], ['name', 'coins']], ['sum', ['name', 'holds']]]
    """
    try:
        return _Reader(game, getattr(game, method)).expression
    except (LookupError, TypeError, OSError):
        return None


class _Reader:
    """Reads a method; raises LookupError at what no page evaluates."""

    def __init__(self, game: type[Game], method: Callable[..., Any]) -> None:
        self.game = game
        self.known = method.__globals__
        tree = ast.parse(textwrap.dedent(inspect.getsource(method))).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise LookupError(method)
        self.arguments = [argument.arg for argument in tree.args.args[1:]]
        self.expression = self.body(tree.body)

    def body(self, lines: Sequence[ast.stmt]) -> Expression:
        """Return what some lines return: a value, after conditions that each return another one."""
        match [line for line in lines if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))]:
            case [ast.Return(value=ast.expr() as value)]:
                return self.read(value)
            case [ast.If(test=test, body=then, orelse=other), *rest]:
                return ["if", self.read(test), self.body(then), self.body([*other, *rest])]
        raise LookupError(self.game.name)

    def read(self, node: ast.expr) -> Expression:
        """Return a part of the expression."""
        match node:
            case ast.Constant(value=int() | str() as value):
                return ["number", value]
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                return ["name", name]
            case ast.Name(id=name):
                return ["name", name] if name in self.arguments else self.constant(self.known[name])
            case ast.BinOp(left=left, op=operator, right=right):
                return [OPERATORS[type(operator)], self.read(left), self.read(right)]
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                return [OPERATORS[type(operator)], self.read(left), self.read(right)]
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ["not", self.read(part)]
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return ["-", ["number", 0], self.read(part)]
            case ast.BoolOp(op=operator, values=parts):
                return ["and" if isinstance(operator, ast.And) else "or", *map(self.read, parts)]
            case ast.IfExp(test=test, body=then, orelse=other):
                return ["if", self.read(test), self.read(then), self.read(other)]
            case ast.Subscript(value=row, slice=index):
                return ["item", self.read(row), self.read(index)]
            case ast.JoinedStr(values=parts):
                return ["text", *map(self.read, parts)]
            case ast.FormattedValue(value=part, conversion=-1, format_spec=form):
                return self.formatted(part, form)
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if name in CALLS:
                return [name, *map(self.read, parts)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=[], keywords=[]):
                return _Reader(self.game, getattr(self.game, name)).expression
        raise LookupError(ast.unparse(node))

    def formatted(self, part: ast.expr, form: ast.expr | None) -> Expression:
        """Return a value in a text, with thousands grouped if that is asked for."""
        if form is None:
            return self.read(part)
        if ast.unparse(form) in ("f','", 'f","'):
            return ["group", self.read(part)]
        raise LookupError(ast.unparse(form))

    def constant(self, value: Any) -> Expression:
        """Return a constant of the module: a number, a text, or several."""
        if isinstance(value, int | str):
            return ["number", value if isinstance(value, str) else int(value)]
        if isinstance(value, tuple | list) and all(isinstance(one, int | str) for one in value):
            return ["list", list(value)]
        raise LookupError(value)
