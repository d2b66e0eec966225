"""memrc.records: what Python recognises is what jq would say."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from memrc import records
from memrc.jq import Filter

JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**40), 2**40), st.text(max_size=8),
        st.sampled_from(["ACTIVE", "d-0123456789", "d-012345678G", "user", "op-1"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=5,
)  # fmt: skip


@pytest.mark.parametrize("noun", ["decision", "fact", "trail", "operation", "progress"])
def test_faults_are_those_of_jq(noun: str) -> None:
    shape = records.Shape(noun)
    by_jq = Filter(f"{noun}_shape as $shape | faults($shape)", "shape", noun)
    names = st.sampled_from([*shape.fields, "other"])

    @settings(max_examples=150, deadline=None)
    @given(st.dictionaries(names, JSON, max_size=6))
    def compare(record: Any) -> None:
        # without what is needed, everything goes to jq anyway
        known = {"id": "d-0123456789"} if "id" in shape.fields else {}
        for full in (record, {**known, **record}):
            assert shape.faults(full) == by_jq(full)

    compare()


@settings(max_examples=300, deadline=None)
@given(st.one_of(
    st.dictionaries(st.text(max_size=5), JSON, max_size=4).map(json.dumps),
    st.text(alphabet='{}[]":,\\ \t\r0123456789.eE+-nulltrueNaN\u00e9\u754c\ufeff', max_size=30),
    JSON.map(lambda value: json.dumps(value) + " "),
))  # fmt: skip
@example('{"":1e999,"a":[-1e999]}')
@example('{"":123456789012345678}')
def test_parse_is_jsonls_object(text: str) -> None:
    by_jq = Filter("object", "jsonl")(text)
    assert doubles(records.parse(text.encode())) == doubles(by_jq)


def doubles(value: Any) -> Any:
    """A JSON value with its numbers as jq has them: doubles, and the largest one for what is larger."""
    largest = {"Infinity": sys.float_info.max, "-Infinity": -sys.float_info.max}
    return json.loads(json.dumps(value), parse_int=float, parse_constant=largest.get)


@pytest.mark.parametrize("line", [
    b"", b"\n", b"{}", b" {}\r\n", b"{} {}", b"[]", b'{"a":NaN}', b'{"a":Infinity}',
    b'{"a":1e999}', b'{"a":1,"a":2}', b'{"a":"\xff"}', b'{"a":"\\ud800"}', b"{" * 300,
    b'{"a":' * 150 + b"1" + b"}" * 150, b"x" * 5_000_000, b'{"a":"' + b"y" * 5_000_000 + b'"}',
    b'{"a":"tab\there"}', b'\xef\xbb\xbf{"a":1}', b'{"a":' + b"9" * 5000 + b"}",
])  # fmt: skip
def test_parse_of_odd_lines(line: bytes) -> None:
    by_jq = Filter("object", "jsonl")(line.decode("utf-8", "replace"))
    got = records.parse(line)
    assert (got is None) == (by_jq is None)
    assert set(got or ()) == set(by_jq or ())


def test_cleaned() -> None:
    assert records.cleaned(b"\xef\xbb\xbfa\0b", first=True) == b"ab"
    assert records.cleaned(b"\xef\xbb\xbfa\0b") == b"\xef\xbb\xbfab"


def test_folding_by_buckets_is_folding_at_once(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = state / "a.jsonl", state / "b.jsonl"
    rows = [{"id": f"d-{n % 50:010x}", "rev": n // 50, "text": "x" * n} for n in range(200)]
    a.write_text("".join(json.dumps(row) + "\n" for row in rows[::2]))
    b.write_text("\ufeff" + "".join(json.dumps(row) + "\r\n" for row in rows[1::2]))
    at_once = list(records.folded((a, b, state / "absent"), lambda _: True, ["text"]))
    monkeypatch.setattr(records, "BUCKET_BYTES", 3000)
    by_buckets = list(records.folded((a, b), lambda _: True, ["text"]))
    assert len(at_once) == 50
    assert sorted(by_buckets, key=str) == sorted(at_once, key=str)


def test_seen_never_misses() -> None:
    seen = records.Seen()
    for n in range(20000):
        seen.add(f"d-{n:010x}")
    for n in range(0, 20000, 7):
        seen.add(f"d-{n:010x}")
    assert all(seen.once(f"d-{n:010x}") for n in range(20000))
    assert all(seen.again(f"d-{n:010x}") for n in range(0, 20000, 7))
    wrong = sum(seen.again(f"d-{n:010x}") for n in range(20000) if n % 7)
    assert wrong < 100
