from base64 import b64decode

from vfnb.figures import draw_curve, grid, image, snapshot


def test_a_snapshot_has_its_facts_and_its_curve_and_says_nothing_of_nothing() -> None:
    page = snapshot({"run": "a<b", "remarks": ""}, [1, 2], [1.0, 0.5], [])

    assert "<img" in page
    assert "a&lt;b" in page
    assert "remarks" not in page


def test_a_snapshot_of_a_long_run_is_far_below_200_kb() -> None:
    steps = range(1, 200_001)

    assert len(snapshot({"run": "a"}, steps, [1 / step for step in steps], [])) < 60_000


def test_an_image_holds_the_drawing_and_says_in_words_what_it_shows() -> None:
    drawing = draw_curve([1, 2], [1.0, 0.5], [])

    page = image(drawing)

    data = page.partition("base64,")[2].partition('"')[0]
    assert b64decode(data).decode() == drawing
    assert 'alt="loss over steps 1 to 2' in page


def test_a_page_needs_no_script_and_no_style_sheet() -> None:
    page = snapshot({"run": "a"}, [1, 2], [1.0, 0.5], []) + grid(["a"], [["<script>"]])

    assert "<script" not in page
    assert "<style" not in page
    assert "class=" not in page
