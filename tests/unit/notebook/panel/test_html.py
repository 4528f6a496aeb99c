"""The panel's words as markup."""

from telling import told

from vfnb.notebook.panel import html
from vfnb.notebook.panel.scene import Notice, View, scene


def test_the_state_is_announced_and_the_bar_has_its_number() -> None:
    head = scene(told(20), View()).head

    assert '<span role="status" class="vfnb-state vfnb-running">training</span>' in html.state("running", head.state)
    assert 'role="progressbar"' in html.progress(head)
    assert 'aria-valuenow="20.0"' in html.progress(head)
    assert "<b>2 workers</b> here: cpu:0, cpu:1" in html.facts(head, told().workers)


def test_what_users_wrote_is_escaped() -> None:
    assert "<script>" not in html.name("<script>") + html.log(["<script>"]) + html.notices(
        [Notice(kind="error", text="<script>")]
    )


def test_errors_are_announced_and_notes_are_not() -> None:
    assert 'role="alert"' in html.notices([Notice(kind="error", text="boom")])
    assert 'role="alert"' not in html.notices([Notice(kind="note", text="saved")])


def test_the_log_has_its_newest_line_first() -> None:
    assert html.log(["one", "two"]).index("two") < html.log(["one", "two"]).index("one")
    assert "nothing yet" in html.log([])


def test_a_fingerprint_that_was_not_asked_for_is_said_to_be_so() -> None:
    assert "not read yet" in html.fingerprint("", ())
    assert "abc" in html.fingerprint("abc", ("mixed kinds",))
    assert "mixed kinds" in html.fingerprint("abc", ("mixed kinds",))
