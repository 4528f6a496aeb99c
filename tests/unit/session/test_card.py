from vfnb.runtime import Status, Worker
from vfnb.session.card import line, table
from vfnb.spec import Device, Row

ROW = Row(step=3, epoch=0, loss=0.43219, lr=0.1, samples=8, samples_per_second=1.0, workers=1)
WORKER = Worker(id=0, pid=1, device=Device("cpu", 0), virtual_nodes=64)


def test_a_new_job_in_a_line() -> None:
    said = line("base", Status(state="new", step=0), None, 1000, "8 x V100, batch 32")

    assert said == "<Job 'base', new: step 0 of 1,000, 8 x V100, batch 32>"


def test_a_running_job_in_a_line() -> None:
    status = Status(state="running", step=3, workers=(WORKER,))

    assert line("base", status, ROW, 10, "8 x V100") == (
        "<Job 'base', running: step 3 of 10, loss 0.4322, 1 worker, 8 x V100>"
    )


def test_a_table_has_what_is_known_and_no_script() -> None:
    status = Status(state="failed", step=3, workers=(WORKER,), failure=ValueError("<b>bad</b> & worse"))

    drawn = table("base", status, ROW, 10, "8 x V100", "0123456789abcdef")

    for said in ("base", "failed", "3 of 10", "0.4322", "cpu:0 (64 virtual nodes)", "0123456789ab..."):
        assert said in drawn
    assert "&lt;b&gt;bad&lt;/b&gt; &amp; worse" in drawn
    assert "<script" not in drawn


def test_a_table_leaves_out_what_is_not_known() -> None:
    drawn = table("base", Status(state="new", step=0), None, 10, "8 x V100", None)

    for absent in ("loss", "workers", "fingerprint", "failure"):
        assert absent not in drawn
