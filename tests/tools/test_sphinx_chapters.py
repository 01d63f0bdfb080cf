"""The front page's pictures: one for each chapter, in the page's own colors."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

sphinx_chapters = pytest.importorskip("sphinx_chapters")
ROOT = Path(sphinx_chapters.__file__).resolve().parents[1]
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
CHAPTERS = [Path(chapter["file"]).name for part in PARTS if part.get("numbered") for chapter in part["chapters"]]


def test_each_chapter_has_a_picture_and_no_other_page():
    assert sorted(sphinx_chapters.PICTURES) == sorted(CHAPTERS)


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_picture_is_a_drawing_inside_its_frame_in_colors_of_the_theme(name):
    drawing = ElementTree.fromstring(sphinx_chapters.picture(name))
    shapes = list(drawing)
    assert drawing.get("aria-hidden") == "true" and 1 <= len(shapes) <= 120
    assert all("var(--" in shape.get("style") and "#" not in shape.get("style") for shape in shapes)
    for shape in shapes:
        x, y = (float(shape.get(key, shape.get("c" + key, 0))) for key in "xy")
        assert 0 <= x <= sphinx_chapters.WIDTH and 0 <= y <= sphinx_chapters.HEIGHT
