"""Settings by name: the command line's, with its words."""

import json

import numpy as np
import pytest
from support import T3, succeeds

import ketbra


def test_settings_are_what_the_command_line_sets() -> None:
    found = ketbra.interpret(T3, task="T3", settings={"code.read": 0.95, "code.writings": (64, 2), "methods": ["code", "dual"]})
    line = ["interpret", T3, "--task", "T3", "--json", "--set", "code.read=0.95", "--set", "code.writings=64,2"]
    document = json.loads(succeeds(*line, "--set", "methods=code,dual"))
    assert found.to_dict() == document
    assert document["params"]["code"]["read"] == 0.95 and document["params"]["code"]["writings"] == [64, 2]


def test_keywords_are_settings_by_another_name() -> None:
    by_keyword = ketbra.interpret(T3, task="T3", seed=3, matching="greedy", horizon=12)
    matching = {"origin_spectrum.matching": "greedy", "orbit_spectrum.matching": "greedy"}
    by_name = ketbra.interpret(T3, task="T3", settings={"observe.seed": 3, "observe.ends_after": 12, **matching})
    assert by_keyword.to_json() == by_name.to_json()
    numpy = {"code.read": np.float64(0.99), "code.folds": np.int64(4), "readings": np.bool_(False)}
    assert ketbra.interpret(T3, task="T3", settings=numpy).to_json() == ketbra.interpret(T3, task="T3").to_json()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"code.raed": 0.9}, "there is no setting 'code.raed'; did you mean 'code.read'"),
        ({"code.read": 2}, "code.read is 2, but must be from 0 to 1"),
        ({"code.folds": 4.0}, r"code.folds is 4.0, but must be a whole number"),
        ({"readings": None}, "readings is none, but must be true or false"),
        ({"method": "magic"}, "there is no method 'magic'"),
        ({"code.read": float("nan")}, "must hold plain values by name"),
        ({"code.read": object()}, "must hold plain values by name"),
        ("code.read", "must hold plain values by name"),
    ],
)
def test_what_cannot_be_meant_is_refused(settings: object, message: str) -> None:
    with pytest.raises(ketbra.InterpretError, match=message):
        ketbra.interpret(T3, task="T3", settings=settings)


def test_every_stage_takes_its_own() -> None:
    assert ketbra.compare(T3, T3, s=8, settings={"compare.dsa.delays": 3}).document["params"]["dsa"]["delays"] == 3
    with pytest.raises(ketbra.InterpretError, match="compare.outputs is 7, but must be from 0 to 1"):
        ketbra.compare(T3, T3, s=8, settings={"compare.outputs": 7})
    with pytest.raises(ketbra.LinearizeError, match="fixed_points.push is -1, but must be at least 0"):
        ketbra.linearize(T3, settings={"fixed_points.push": -1})
    with pytest.raises(ketbra.EditError, match="edit.held is 7, but must be from 0 to 1"):
        ketbra.interpret(T3, task="T3").edit(negate=1, settings={"edit.held": 7})


def test_the_list_is_the_command_lines() -> None:
    assert ketbra.settings("claims") == json.loads(succeeds("settings", "claims", "--json"))
    assert {"name", "default", "takes", "unit", "says"} == ketbra.settings("code.read")[0].keys()
