"""A sweep over played runs: what is trained, kept, gone on with, refused and shown."""

from functools import partial
from pathlib import Path

import pandas as pd
import pytest
import torch
from session_doubles import Net
from sweep_doubles import LONG, PlayedEngine, done, measured_task, swept

import vfnb
from vfnb.ground import StateError
from vfnb.spec import Options, VirtualCluster

# -- what is trained -----------------------------------------------------------------------------------------


def test_every_batch_and_seed_is_a_run_with_a_row_and_a_record(tmp_path: Path) -> None:
    engine = PlayedEngine()

    sweep = done(engine)

    assert engine.trained == [(4, 0), (8, 0), (4, 1), (8, 1)]
    assert sweep.table[["batch", "seed", "state", "steps", "nodes"]].to_numpy().tolist() == [
        [4, 0, "done", 6, 1],
        [8, 0, "done", 6, 1],
        [4, 1, "done", 6, 1],
        [8, 1, "done", 6, 1],
    ]
    assert sweep.table.accuracy[0] == pytest.approx(1 - 1 / (1 + 6 / 4))
    assert set(vfnb.runs("vfnb-runs/sweep").name) == set(sweep.table.run)
    assert sweep.run_dir == tmp_path / "vfnb-runs" / "sweep"
    assert pd.read_csv(sweep.run_dir / "table.csv").accuracy.tolist() == pytest.approx(sweep.table.accuracy.tolist())


def test_a_factory_is_called_with_what_it_takes_under_the_runs_seed() -> None:
    engine, called = PlayedEngine(), []

    def task(batch: int, lr: float) -> vfnb.Task:
        called.append((batch, lr))
        return measured_task(model=Net(), optimizer=partial(torch.optim.SGD, lr=lr))

    torch.default_generator.manual_seed(0)
    done(engine, task, batches=[4, 8], grid={"lr": [0.1, 0.2]}, name="one")
    torch.default_generator.manual_seed(1)
    done(engine, task, batches=[4, 8], grid={"lr": [0.1, 0.2]}, name="other")

    first = [run.learned["parameters"]["head.weight"] for run in engine.runs]
    assert set(called) == {(4, 0.1), (8, 0.1), (4, 0.2), (8, 0.2)}
    assert all(torch.equal(one, other) for one, other in zip(first[:8], first[8:], strict=True))
    assert not torch.equal(first[0], first[4]), "another seed, other weights"


def test_the_users_generators_stay_as_they_were() -> None:
    torch.default_generator.manual_seed(3)
    before = torch.default_generator.get_state()

    done(task=lambda: measured_task(model=Net()))

    assert torch.equal(torch.default_generator.get_state(), before)


def test_another_threads_draws_do_not_get_into_a_runs_weights() -> None:
    quiet, calls = PlayedEngine(), [0]
    done(quiet, lambda: measured_task(model=Net()), batches=[8], seeds=[0], name="quiet")

    def disturbed() -> vfnb.Task:
        calls[0] += 1
        if calls[0] in (2, 5):
            torch.rand(1)  # what a cell may do just then
        return measured_task(model=Net())

    noisy = PlayedEngine()
    done(noisy, disturbed, batches=[8], seeds=[0], name="noisy")

    weights = [run.learned["parameters"]["head.weight"] for run in (quiet.runs[0], noisy.runs[0])]
    assert torch.equal(*weights)


def test_virtual_nodes_length_and_options_may_follow_the_batch() -> None:
    engine = PlayedEngine()

    done(
        engine,
        batches=[32, 64, 256],
        seeds=[0],
        nodes=lambda batch: VirtualCluster(accelerator="V100", count=batch // 16, global_batch=batch),
        steps=lambda batch: 256 // batch,
        options=lambda batch: Options(check=False, keep=batch // 32),
    )

    assert [run.program.layout.nodes for run in engine.runs] == [2, 4, 16]
    assert [run.program.steps for run in engine.runs] == [8, 4, 1]
    assert [run.program.options.keep for run in engine.runs] == [1, 2, 8]


def test_a_node_has_at_most_32_samples_where_nothing_is_said() -> None:
    engine = PlayedEngine()

    done(engine, batches=[32, 33, 512], seeds=[0])

    assert [run.program.layout.nodes for run in engine.runs] == [1, 2, 16]


def test_runs_side_by_side_share_the_devices_out_and_use_no_more_than_their_blocks() -> None:
    engine = PlayedEngine(holding=True)

    sweep = swept(engine, batches=[32, 64], seeds=[0, 1], devices=["cpu:0", "cpu:1", "cpu:2"], at_once=2)
    first = {run.program.global_batch: run for run in engine.begun(2)}

    assert {str(device) for run in first.values() for device in run.devices} <= {"cpu:0", "cpu:1", "cpu:2"}
    assert set(first[32].devices).isdisjoint(first[64].devices)
    assert len(first[32].devices) == 1, "one block"
    assert len(sweep.jobs) == 2
    for place in range(4):
        engine.begun(place + 1)[place].end()
    sweep.wait(LONG)
    assert not sweep.running


# -- going on ------------------------------------------------------------------------------------------------


def test_the_same_call_trains_nothing_again_and_more_values_the_new_ones_alone() -> None:
    engine = PlayedEngine()
    before = done(engine).table

    again = done(engine)
    assert len(engine.runs) == 4
    pd.testing.assert_frame_equal(again.table, before)

    more = done(engine, batches=[4, 8, 16], seeds=range(3))
    assert engine.trained[4:] == [(16, 0), (16, 1), (4, 2), (8, 2), (16, 2)]
    assert (more.table.state == "done").all()


def test_a_stopped_sweep_goes_on_with_the_bits_of_one_that_was_never_stopped() -> None:
    straight = done("inline", name="straight", batches=[8], seeds=[0])
    cut = done("inline", batches=[8], seeds=[0], options=Options(check=False, stop_when=lambda row: row.step == 3))
    assert cut.table.state.tolist() == ["stopped"]
    assert cut.table.steps.tolist() == [3]

    on = done("inline", batches=[8], seeds=[0])

    assert on.table.fingerprint.tolist() == straight.table.fingerprint.tolist()
    assert on.table.run.tolist() == ["batch-8-seed-0~2"]
    assert vfnb.open_run(on.run_dir / "batch-8-seed-0~2").history.step.tolist() == [4, 5, 6]
    assert on.curves("loss", over="step").table.index.tolist() == [1, 2, 3, 4, 5, 6], "both attempts are one curve"


def test_a_run_that_its_stop_when_ended_is_done() -> None:
    enough = Options(check=False, stop_when=lambda row: row.step == 3)
    engine_runs = done("inline", batches=[8], seeds=[0], options=enough).table.run.tolist()

    again = done("inline", batches=[8], seeds=[0], options=enough)

    assert again.table.run.tolist() == engine_runs == ["batch-8-seed-0"]
    assert "1 done" in repr(again)


def test_stop_begins_no_more_and_the_same_call_makes_the_rest() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)

    sweep.stop()
    sweep.wait(LONG)

    assert sweep.table.state.tolist() == ["stopped", "waiting", "waiting", "waiting"]
    engine.holding = False
    assert (done(engine).table.state == "done").all()


def test_a_call_while_it_trains_gives_the_sweep_at_work() -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)

    assert swept(engine) is sweep
    with pytest.raises(StateError, match="trains with other batches"):
        swept(engine, seeds=range(5))

    sweep.stop()
    sweep.wait(LONG)


def test_another_kernel_keeps_its_sweep(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = PlayedEngine(holding=True)
    sweep = swept(engine)
    engine.begun(1)
    monkeypatch.setattr("vfnb.session.sweeps.begin._LIVE", {})  # as another process would see it

    with pytest.raises(StateError, match="is trained by another kernel"):
        swept(engine)

    sweep.stop()
    sweep.wait(LONG)
