"""The wire: strict JSON with a version, and what is refused."""

import json
import math

import pytest

from vfnb.ground import PlanError, SpecError
from vfnb.spec import (
    Device,
    Evaluated,
    Layout,
    Mapping,
    Options,
    Row,
    VirtualCluster,
    Weighted,
    accelerators,
    from_json,
    to_json,
)

ROW = Row(step=1, epoch=0, loss=0.5, lr=0.1, samples=8, samples_per_second=80.0, workers=2)


def test_the_text_is_plain_to_any_reader() -> None:
    written = json.loads(to_json(Mapping(Layout(4, 2), ((0, (1,)), (5, (0,))))))

    assert written == {
        "version": 1,
        "type": "Mapping",
        "layout": {"$type": "Layout", "nodes": 4, "blocks": 2, "later": [], "samples": []},
        "blocks": [[0, [1]], [5, [0]]],
    }


def test_a_text_is_one_line_of_strict_json() -> None:
    text = to_json(Evaluated(step=1, metrics={"a\nb": math.nan, "c": math.inf, "d": -math.inf}))

    def refuse(word: str) -> None:
        raise AssertionError(word)

    assert "\n" not in text
    assert json.loads(text, parse_constant=refuse)["type"] == "Evaluated"


def test_numbers_that_are_not_finite_survive() -> None:
    back = from_json(to_json(Evaluated(step=1, metrics={"a": math.nan, "c": math.inf, "d": -math.inf})))

    assert isinstance(back, Evaluated)
    assert math.isnan(back.metrics["a"])
    assert (back.metrics["c"], back.metrics["d"]) == (math.inf, -math.inf)


def test_a_metric_may_be_called_like_a_mark_of_ours() -> None:
    event = Evaluated(step=1, metrics={"$type": 1.0, "$float": 2.0, "$$": 3.0, "type": 4.0, "version": 5.0})

    assert from_json(to_json(event)) == event


def test_functions_are_left_out_of_options() -> None:
    options = Options(collate=list, stop_when=bool, on_event=print, clip_norm=1.0, keep_best="-loss")

    assert from_json(to_json(options)) == Options(clip_norm=1.0, keep_best="-loss")


def test_the_catalogues_rows_travel_too() -> None:
    assert [from_json(to_json(row)) for row in accelerators()] == list(accelerators())


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"step": 1}, "dict is no record"),
        (None, "NoneType is no record"),
        (Weighted(object(), 1), "cannot be written as JSON"),
        (Evaluated(step=1, metrics={3: 1.0}), "key 3 cannot be written"),  # type: ignore[dict-item]
    ],
)
def test_refuses_to_write_what_json_cannot_say(value: object, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        to_json(value)  # type: ignore[arg-type]


def changed(**changes: object) -> str:
    return json.dumps(json.loads(to_json(ROW)) | changes)


def test_an_unchanged_text_is_read() -> None:
    assert from_json(changed()) == ROW


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        (to_json(ROW)[:-9], "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("3", "no JSON object"),
        ("[]", "no JSON object"),
        ("{}", "version=None cannot be read, only 1"),
        (changed(version=2), "version=2 cannot be read, only 1"),
        (changed(version="1"), "version='1' cannot be read"),
        (changed(version=True), "version=True cannot be read"),
        (changed(type="Line"), "type='Line' is unknown; known are Accelerator, CallbackFailed"),
        (changed(type=None), "type=None is unknown"),
        (changed(type=["Row"]), r"type=\['Row'\] is unknown"),
        (changed(colour=1), r"Row has unknown fields \['colour'\] and lacks \[\]"),
        ('{"version": 1, "type": "Paused"}', r"Paused has unknown fields \[\] and lacks \['step'\]"),
        (changed(loss={"$float": "big"}), "'big' is unknown"),
        (changed(metrics={"$type": "Lie"}), "type='Lie' is unknown"),
        ('{"version": 1, "type": "Layout", "nodes": 4, "blocks": 9}', "blocks=9"),
        ('{"version": 1, "type": "Device", "kind": "toaster", "index": 0}', "kind='toaster'"),
        ('{"version": 1, "type": "Device", "kind": [], "index": 0}', r"kind=\(\)"),
        ('{"version": 1, "type": "Mapping", "layout": 3, "blocks": [[0, [0]]]}', "a Mapping cannot hold"),
        ('{"version": 1, "type": "Mapping", "layout": 3, "blocks": [[0, 0]]}', "a Mapping cannot hold"),
        ('{"version": 1, "type": "Mapping", "layout": 3, "blocks": [1, 2]}', "a Mapping cannot hold"),
    ],
)
def test_refuses_a_text_that_is_not_ours(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        from_json(text)


def test_a_mapping_that_cannot_be_is_a_plan_error_here_too() -> None:
    text = to_json(Mapping(Layout(4, 2), ((0, (0, 1)),))).replace("[0, 1]", "[0, 0]")

    with pytest.raises(PlanError, match="mapped twice"):
        from_json(text)


def test_fields_with_defaults_may_be_missing() -> None:
    assert from_json('{"version": 1, "type": "Device", "kind": "cpu", "index": 2}') == Device("cpu", 2)
    assert from_json('{"version": 1, "type": "Options"}') == Options()


def test_a_cluster_is_checked_when_it_is_read() -> None:
    text = to_json(VirtualCluster.parse("8xV100", global_batch=64)).replace("V100 SXM2 16GB", "V9000")

    with pytest.raises(SpecError, match="accelerator 'V9000' is unknown"):
        from_json(text)
