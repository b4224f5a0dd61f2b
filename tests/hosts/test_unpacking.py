"""What a host packed comes out the same, in small steps, whatever it is and however it arrives."""

from __future__ import annotations

import gzip

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from sondage.hosts.unpacking import _SLICE, STEP, Unpacker, UnpackingError

PACKERS = {b"gzip": lambda data: gzip.compress(data, 1), b"zstd": zstandard.compress}


def unpack(kind: bytes, packed: bytes, piece: int) -> bytes:
    unpacker = Unpacker(kind)
    made = b""
    for start in range(0, len(packed), piece):
        unpacker.put(packed[start : start + piece])
        while more := unpacker.take():
            made += more
    return made


@pytest.mark.parametrize("kind", PACKERS)
@given(data=st.binary(max_size=5000), piece=st.integers(1, 6000))
def test_it_comes_out_as_it_went_in(kind: bytes, data: bytes, piece: int) -> None:
    assert unpack(kind, PACKERS[kind](data), piece) == data
    assert unpack(kind, PACKERS[kind](data) + b"what follows", piece) == data


@pytest.mark.parametrize("kind", PACKERS)
@given(data=st.binary(min_size=1, max_size=2000))
def test_no_bytes_make_it_fail_otherwise_than_by_its_own_error(kind: bytes, data: bytes) -> None:
    try:
        unpack(kind, data, 100)
    except UnpackingError:
        return


@pytest.mark.parametrize("kind", PACKERS)
def test_a_flood_comes_in_steps(kind: bytes) -> None:
    unpacker = Unpacker(kind)
    unpacker.put(PACKERS[kind](bytes(40 << 20)))
    assert 0 < len(unpacker.take()) <= STEP + _SLICE // 4 * (128 << 10)


def test_an_unknown_way_of_packing_is_refused() -> None:
    with pytest.raises(UnpackingError):
        Unpacker(b"lzma")
