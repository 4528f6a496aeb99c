import random
import re

from vfnb.session.names import unique_name


def test_a_name_is_two_words_and_a_number() -> None:
    assert re.fullmatch(r"[a-z]+-[a-z]+-\d{3}", unique_name(lambda _: False))


def test_a_taken_name_is_not_given() -> None:
    refused: list[str] = []

    def taken(name: str) -> bool:
        refused.append(name)
        return len(refused) < 5

    assert unique_name(taken) == refused[-1]
    assert len(refused) == 5


def test_the_users_generator_is_left_alone() -> None:
    before = random.getstate()

    unique_name(lambda _: False)

    assert random.getstate() == before
