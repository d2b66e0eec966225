"""Each schema in each jq over the same cases, and what the fold promises."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from conftest import SCHEMA, schemas
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from memrc.jq import Filter

Engine = Callable[[str, Any], Any]
NOUNS = sorted(p.stem for p in SCHEMA.glob("*.jq") if f"def {p.stem}_shape" in p.read_text("utf-8"))
ID = "d-3fa91c0b77"
VALUES: list[Any] = [
    None, True, 0, 1.5, -3, "", "text", "ünï 界 \U0001f469", "d-3fa91c0b77", "op-017", "a/b", ".",
    "x" * 81, "ACTIVE", "SUPERSEDED", "failure", "user", "open", [], ["a"], ["a", 1], [[]], {},
    {"option": "a", "reason": "b"}, [{"option": "a", "reason": "b"}], [{"option": "a"}],
]  # fmt: skip


def test_nouns_are_found() -> None:
    assert {"decision", "fact", "operation", "progress", "trail"} <= set(NOUNS)


@pytest.mark.parametrize("noun", NOUNS)
def test_each_value_in_each_field(noun: str, engine: Engine) -> None:
    """conform and faults agree with what Python makes of the shape, in each jq."""
    program = (
        f"{noun}_shape as $shape | map({{faults: faults($shape), again: (conform($shape) | faults($shape))}})"
    )
    text = schemas("shape", noun) + program
    shape: dict[str, Any] = engine(schemas(noun) + f"{noun}_shape", None)
    cases = [{field: value} for field in shape for value in VALUES]
    results = engine(text, cases)
    needed = {field for field, want in shape.items() if want.get("needed")}
    for case, result in zip(cases, results):
        ((field, value),) = case.items()
        wrong = {fault["field"]: fault for fault in result["faults"]}
        assert set(wrong) - {field} == needed - {field}, case
        assert (field not in wrong) == fits(value, shape[field]["is"]), case
        if field in wrong:
            assert wrong[field]["why"].startswith("isn't "), case
            assert wrong[field]["default"] == shape[field]["or"], case
        # a default may itself be no id: what is needed has no good one
        assert {fault["field"] for fault in result["again"]} <= needed, case


def fits(value: Any, kind: Any) -> bool:
    """shape.jq's `fits`, said once more to compare with."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "flag":
        return isinstance(value, bool)
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind == "rejected":
        return value in ([], [{"option": "a", "reason": "b"}])
    if kind == "id":
        return value == ID
    if kind == "task":
        return isinstance(value, str) and value not in ("", "ünï 界 \U0001f469", "a/b", "x" * 81)
    return value in kind


@pytest.mark.parametrize("noun", NOUNS)
def test_a_record_from_a_command_line(noun: str, engine: Engine) -> None:
    program = f'record({noun}_shape; "2026-11-30T01:00:00Z")'
    given_ = ["id", ID, "v", "1", "tags", "a", "tags", "b"]
    got = engine(schemas("record", noun) + program, given_)
    expected = {"v": 1, "id": ID, "ts": "2026-11-30T01:00:00Z", "tags": ["a", "b"]}
    shape = engine(schemas(noun) + f"{noun}_shape", None)
    assert got == {field: value for field, value in expected.items() if field in shape}
    assert list(got) == [field for field in shape if field in got]


LINES = [
    '{"v":1,"id":"d-0000000001","rev":1,"ts":"2026-01-01T00:00:00Z","status":"ACTIVE","decision":"a"}',
    '{"id":"d-0000000001","rev":3,"ts":"2026-01-03T00:00:00Z","status":"INVALID"}',
    '{"id":"d-0000000001","rev":2,"ts":"2026-01-09T00:00:00Z","status":"SUPERSEDED","by":"user"}',
    '{"id":"d-0000000002","rev":2,"status":"ACTIVE"}',
    '{"id":"d-0000000002","rev":2,"status":"INVALID"}',
    '{"id":"d-0000000002","decision":"b"}',
    '{"id":7}', "", "\r", "no JSON", "[1]", "{} {}", "<<<<<<< HEAD", ' {"id":"d-0000000003"}\r',
    '{"id":"d-0000000004","rev":"x","ts":5}',
    '{"id":"d-0000000004","ts":"z","decision":"ü \\u0000 界"}',
    # out of force by each
    '{"id":"d-0000000005","rev":2,"status":"SUPERSEDED"}',
    '{"id":"d-0000000005","rev":2,"ts":"a","status":"INVALID"}',
]  # fmt: skip
FOLDED = {
    "rows": [
        {"v": 1, "id": "d-0000000001", "rev": 3, "ts": "2026-01-03T00:00:00Z", "status": "INVALID",
         "decision": "a", "recorded": {"by": None, "ts": "2026-01-01T00:00:00Z", "commit": None}},
        {"id": "d-0000000002", "rev": 2, "decision": "b", "status": "INVALID",
         "recorded": {"by": None, "ts": None, "commit": None}, "undecided": ["ACTIVE", "INVALID"]},
        {"id": "d-0000000003"},
        {"id": "d-0000000004", "rev": 1, "ts": "z", "decision": "ü \0 界",
         "recorded": {"by": None, "ts": 5, "commit": None}},
        {"id": "d-0000000005", "rev": 2, "ts": "a", "status": "SUPERSEDED",
         "recorded": {"by": None, "ts": "a", "commit": None}},
    ],
    "bad": 4,
}  # fmt: skip


def by_id(folded: Any) -> Any:
    return {**folded, "rows": sorted(folded["rows"], key=lambda row: row["id"])}


def test_folded_rows_come_in_the_order_of_their_last_lines(engine: Engine) -> None:
    lines = "".join(
        json.dumps({"id": f"d-000000000{n}", "rev": r}) + "\n" for n, r in ((3, 1), (2, 1), (1, 1), (2, 2))
    )
    assert [row["id"][-1] for row in engine(schemas("jsonl") + "folded", lines)["rows"]] == ["3", "1", "2"]


def test_folded_in_each_jq(engine: Engine) -> None:
    text = schemas("jsonl") + "folded"
    whole = "\n".join(LINES) + "\n"
    folded = engine(text, whole)
    assert by_id(folded) == FOLDED
    assert engine(text, "\ufeff" + whole.replace("ACTIVE", "ACT\0IVE")) == folded
    # a write in progress is neither a record nor a fault
    assert engine(text, whole + '{"id":"d-00') == folded
    assert engine(text, "") == {"rows": [], "bad": 0}


def test_folded_does_not_depend_on_the_order_of_lines(engine: Engine) -> None:
    lines = list(LINES)
    shuffle = random.Random(1)
    cases = []
    for _ in range(30):
        shuffle.shuffle(lines)
        cases.append("\n".join(lines) + "\n")
    assert [by_id(folded) for folded in engine(schemas("jsonl") + "map(folded)", cases)] == [FOLDED] * 30


PATCH = st.fixed_dictionaries(
    {"id": st.sampled_from(["a", "b", "c"])},
    optional={
        "rev": st.one_of(st.integers(-2, 3), st.none(), st.text(max_size=2)),
        "ts": st.sampled_from(["1", "2", 3, None, ""]),
        "status": st.sampled_from(["ACTIVE", "INVALID", "SUPERSEDED", 5, None]),
        "decision": st.text(max_size=3),
    },
)


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(patches=st.lists(PATCH, max_size=8), seed=st.randoms(use_true_random=False))
def test_any_records_in_any_order_fold_the_same(patches: list[Any], seed: random.Random) -> None:
    fold = Filter("folded", "jsonl")
    lines = [json.dumps(patch) + "\n" for patch in patches]
    straight = by_id(fold("".join(lines)))
    seed.shuffle(lines)
    assert by_id(fold("".join(lines))) == straight


def test_document_in_each_jq(engine: Engine) -> None:
    text = schemas("jsonl") + "document"
    assert engine(text, '\ufeff{"a":\n1}\n') == {"value": {"a": 1}, "bad": 0}
    for wrong in ("", "[]", "{} {}", "{", "null", "text"):
        assert engine(text, wrong) == {"value": None, "bad": 1}


def test_what_is_no_check_in_each_jq(engine: Engine) -> None:
    text = schemas("checks") + "map(check_fault == null)"
    cases = {
        "exists:a": True, "exists:": False, "a": False, 'json:a:.é.b[0]="x=y"': True, "json:a:.b=": False,
        "json:a:.b": False, "json:a:.b=x": False, "json:a:.b=1 2": False, "json:a:b=1": False,
        "sha256:a:0": False, "cmd:true": True,
    }  # fmt: skip
    assert engine(text, list(cases)) == list(cases.values())
    assert engine(schemas("checks") + "json_asked", '.é[0]="="')["value"] == "="


def test_show_in_each_jq(engine: Engine, request: pytest.FixtureRequest) -> None:
    if "1.5" in request.node.name:
        pytest.skip("not tested: show.jq in jq 1.5: it is the restore's alone (halt_error)")
    text = schemas("show")
    text += '[("abcdef" | clip(4)), ("a\\nb" | flat), ("a\\nb" | block), ("a" | sentence)]'
    assert engine(text, None) == ["abc…", "a b", "a\n    b", "a."]
    text = schemas("show") + "clashes as $c | map(short($c))"
    ids = ["d-abcd000001", "d-abcd0e0003", "d-1234567890"]
    assert engine(text, ids) == ["d-abcd00", "d-abcd0e", "d-1234"]


def test_a_real_memory_in_each_jq(engine: Engine) -> None:
    """The embedded example has no faults, in each jq."""
    for name, noun in (("decisions", "decision"), ("facts", "fact")):
        whole = (SCHEMA.parents[2] / "state" / f"{name}.jsonl").read_text("utf-8")
        text = schemas("jsonl", "shape", noun)
        text += f"folded | {noun}_shape as $s | {{bad, faults: [.rows[] | faults($s)[]]}}"
        assert engine(text, whole) == {"bad": 0, "faults": []}
