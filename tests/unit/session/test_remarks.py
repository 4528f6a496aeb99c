from vfnb.session.remarks import remarks_on
from vfnb.spec import Device, Warned

CPU, CUDA = Device("cpu", 0), Device("cuda", 0)


def test_usual_devices_make_no_remark() -> None:
    assert list(remarks_on([CPU], [CPU, CUDA], step=3)) == []


def test_a_shared_device_is_warned_of() -> None:
    (event,) = remarks_on([CUDA, CUDA], [CPU, CUDA], step=3)

    assert isinstance(event, Warned)
    assert event.step == 3


def test_kinds_that_round_differently_are_warned_of() -> None:
    (event,) = remarks_on([CPU, CUDA], [CPU, CUDA], step=0)

    assert isinstance(event, Warned)
    assert "cpu and cuda round differently" in event.message
