import pandas as pd
import pytest

from vfnb.ground import SpecError
from vfnb.session.sweeps.target import target_of

HISTORY = pd.DataFrame(
    {"step": [1, 2, 3, 4], "loss": [4.0, 2.0, 3.0, 1.0], "accuracy": [float("nan"), 0.5, float("nan"), 0.9]}
)


@pytest.mark.parametrize(
    ("given", "step"),
    [
        (("accuracy", 0.5), 2),
        (("accuracy", 0.8), 4),
        (("accuracy", 0.95), None),
        (("loss", 2.5), 2),
        (("-loss", 1.0), 4),
        (("recall", 0.5), None),
    ],
)
def test_a_target_is_reached_at_the_first_step_that_meets_it(given: tuple[str, float], step: int | None) -> None:
    target = target_of(given)

    assert target is not None
    assert target.first_step(HISTORY) == step


@pytest.mark.parametrize("given", ["accuracy", ("accuracy",), ("accuracy", "0.8"), (0.8, "accuracy"), ("-", 1)])
def test_what_is_no_target_is_refused(given: object) -> None:
    with pytest.raises(SpecError, match=r"give such as \('accuracy', 0\.8\)"):
        target_of(given)
