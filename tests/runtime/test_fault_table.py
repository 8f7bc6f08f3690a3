"""The faults that the cache and artifacts survive, by number, with the tests that show it.

Any fault of the cache is a miss, never an error or a wrong number; faults of an
artifact are reported before anything runs. ``pytest -m "" tests/runtime -k test_16`` runs the
tests of one number in `test_cache_faults.py`; the other tests are named here in full.
"""

from __future__ import annotations

import ast
import fnmatch
import re
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).parent


class Fault(NamedTuple):
    """A fault, and its tests, as patterns of ``file::name`` without ``test_`` and .py."""

    what: str
    tests: str


FAULTS = {
    1: Fault("processes that want one cold key at once", "cache_faults::01_*"),
    2: Fault("threads that do", "cache::threads_that_want_the_same_compile_once"),
    3: Fault(
        "a kill in the middle of a write",
        "cache_faults::03_* cache_processes::a_process_killed_while_writing_leaves_no_entry",
    ),
    4: Fault("a kill or a halt of who holds the lock", "cache_faults::04_*"),
    5: Fault("truncated entries", "cache::a_truncation_is_a_miss cache_faults::05_*"),
    6: Fault("flipped bits", "cache::a_flipped_bit_is_a_miss fuzz::damaged_entries"),
    7: Fault("empty and zero-filled entries", "cache::other_damage_is_a_miss"),
    8: Fault(
        "a header with another payload, swapped entries",
        "cache::the_entry_of_another_key_is_a_miss cache::a_payload_of_another_entry_is_a_miss",
    ),
    9: Fault("keys that collide", "cache_faults::09_* cache::verify_recompiles_and_compares"),
    10: Fault("a read-only folder", "cache_faults::10_* cache::a_read_only_folder_gives_hits"),
    11: Fault("no folder, no home, a home that is a file", "cache_faults::11_*"),
    12: Fault(
        "a full disk, quota or size limit",
        "cache_faults::12_* cache::a_failing_write_leaves_nothing "
        "cache::a_file_size_limit_leaves_nothing",
    ),
    13: Fault("EIO, ESTALE, EBUSY, ENOENT", "cache_faults::13_* cache::a_failing_read_is_a_miss"),
    14: Fault("a file system without locks", "cache_faults::14_*"),
    15: Fault("clocks that are wrong", "cache_faults::15_*"),
    16: Fault("eviction under a reader", "cache_faults::16_*"),
    17: Fault("ten thousand entries", "cache_faults::17_*"),
    18: Fault("an entry larger than the cache", "cache_faults::18_*"),
    19: Fault(
        "an artifact for more than the machine has: refused by name, never SIGILL",
        "artifact::a_lesser_machine_refuses_by_name artifact::missing_cpu_features_are_named "
        "bundle::load_takes_the_highest_level_that_the_machine_has",
    ),
    20: Fault(
        "an artifact for less than the machine has: accepted",
        "artifact::a_machine_with_more_features_is_fine artifact::a_lesser_machine_refuses_by_name",
    ),
    21: Fault(
        "a CPU's name that promises features which are masked",
        "cpu_features::only_flags_count cpu_features::a_feature_whose_basis_is_masked_is_left_out",
    ),
    22: Fault(
        "an artifact on the machine that made it: accepted, on whichever the tests run",
        "artifact::this_machine_takes_its_own_artifact program::threads_share_a_program",
    ),
    23: Fault(
        "a compiler replaced in place",
        "cache_faults::23_* cache::everything_that_decides_the_payload_is_in_the_key",
    ),
    24: Fault(
        "a runtime of another version than the compiler",
        "artifact::another_version_of_iree_is_named_with_the_remedy "
        "artifact::what_iree_does_not_take_is_named_with_both_versions",
    ),
    25: Fault(
        "another kind of device, a driver or a device that is not there",
        "artifact::an_artifact_for_another_kind_of_device devices::devices_that_cannot_be_opened",
    ),
    26: Fault(
        "hostile names in keys",
        "cache_faults::26_* cache::entries_are_named_by_digest_alone",
    ),
    27: Fault("planted links, folders of others", "cache_faults::27_*"),
    28: Fault("clear and prune of a folder that is no cache", "cache_faults::28_*"),
    29: Fault(
        "a fork after loading, or while another thread compiles",
        "calls::after_a_fork cache_processes::a_child_process_after_fork_works "
        "cache_processes::a_child_of_a_compiling_process_can_compile_the_same",
    ),
    30: Fault(
        "an interrupt while compiling or writing; free-threaded Python takes the same locks",
        "cache_faults::30_*",
    ),
    31: Fault("a file overwritten while it is loaded", "cache_faults::31_*"),
    32: Fault("temporary and .nfs files in listings", "cache_faults::32_*"),
    33: Fault("other versions of the layout side by side", "cache_faults::33_*"),
    34: Fault(
        "a compiler that crashes, hangs, or runs out of memory",
        "cache_faults::34_* compiler::every_way_to_fail compiler::a_hanging_compiler_is_stopped",
    ),
    35: Fault(
        "several users, different umasks: a cache of one, of root for all, of a group",
        "cache_faults::35_*",
    ),
    36: Fault(
        "writers of different keys",
        "cache_processes::writers_of_different_keys_do_not_hinder_each_other",
    ),
    37: Fault("replacing an open file: fails on Windows only, which is not supported", ""),
}


def names_in(file: Path) -> list[str]:
    """The tests of a file, as the table names them."""
    module = ast.parse(file.read_text())
    names = [node.name for node in module.body if isinstance(node, ast.FunctionDef)]
    prefix = file.stem.removeprefix("test_")
    return [f"{prefix}::{n.removeprefix('test_')}" for n in names if n.startswith("test_")]


TESTS = [test for file in sorted(HERE.glob("test_*.py")) for test in names_in(file)]


def test_every_fault_is_listed() -> None:
    assert list(FAULTS) == list(range(1, 38))
    assert [number for number, fault in FAULTS.items() if not fault.tests] == [37]


@pytest.mark.parametrize("number", FAULTS)
def test_every_test_that_is_named_exists(number: int) -> None:
    for pattern in FAULTS[number].tests.split():
        assert fnmatch.filter(TESTS, pattern), pattern


def test_every_numbered_test_is_under_its_number() -> None:
    for test in fnmatch.filter(TESTS, "cache_faults::*"):
        number = re.match(r"cache_faults::(\d\d)_", test)
        assert number, f"{test} shows no fault"
        patterns = FAULTS[int(number[1])].tests.split()
        assert any(fnmatch.fnmatch(test, pattern) for pattern in patterns), test
