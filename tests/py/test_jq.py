"""memrc.jq: whichever binding is here, the same answers."""

import importlib.util
import sys

import pytest
from memrc.errors import StopError
from memrc.jq import BINDINGS, Filter


@pytest.fixture(params=BINDINGS)
def use(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if not importlib.util.find_spec(name):
        pytest.skip(f"not tested: {name}: it isn't installed")
    return name


def test_values_come_back_as_they_are(use: str) -> None:
    same = Filter(".", use=use)
    texts = ["", 'ü 界 \U0001f469\n\t"\\', "x" * 5_000_000, "a\0b"]
    for value in (None, True, 0, -1.5, [], [1, [2]], {"a": {"b": None}}, *texts):
        assert same(value) == value


def test_no_output_is_none(use: str) -> None:
    assert Filter("empty", use=use)(1) is None
    assert Filter("1, 2", use=use)(None) == 1


def test_schemas_are_there(use: str) -> None:
    ids = ["d-0123456789", "d-012345678g"]
    assert Filter('[.[] | fits("id")]', "shape", use=use)(ids) == [True, False]
    assert Filter("object", "jsonl", use=use)('{"a":1}') == {"a": 1}
    assert Filter("object", "jsonl", use=use)('{"a":') is None


def test_neither_is_69(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in BINDINGS:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StopError, match="make tools") as stop:
        Filter(".")
    assert stop.value.code == 69


def test_a_missing_schema_is_69() -> None:
    with pytest.raises(StopError) as stop:
        Filter(".", "nonsense")
    assert stop.value.code == 69
