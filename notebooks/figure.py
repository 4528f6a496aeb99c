"""Draw docs/figures/quickstart.svg from the executed quickstart: its curve and the two equal fingerprints."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Take the curve out of the executed notebook and write the fingerprints under it."""
    notebook = nbformat.read(ROOT / "build" / "01_quickstart.executed.ipynb", as_version=4)
    pages = [
        output.get("data", {}).get("text/html", "") for cell in notebook.cells for output in cell.get("outputs", ())
    ]
    curve = next(found[0] for page in pages if (found := re.search(r"<svg.*?</svg>", page, re.DOTALL)))
    cells = re.findall(r"<td>([0-9a-f]{16})</td>", pages[-1])
    lines = zip(("this run", "undisturbed, one device"), cells, strict=True)
    text = "".join(
        f'<text x="66" y="{312 + 16 * place}">fingerprint, {name}: {digits}</text>'
        for place, (name, digits) in enumerate(lines)
    )
    curve = curve.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1) if "xmlns" not in curve else curve
    figure = curve.replace("0 0 720 300", "0 0 720 340").replace("</svg>", f"{text}</svg>")
    (ROOT / "docs" / "figures" / "quickstart.svg").write_text(figure + "\n")


if __name__ == "__main__":
    main()
