"""The counter of translated English: it finds its phrases in prose, and nowhere else."""

import pytest

from tests import english

CODE = '''"""What stands here is told."""

# the text of ours
raise ValueError("Refuse what is no text")
x = "it stands"  # one a line
'''
PAGE = """---
title: it stands
---

It stands here, and `stands` there.

```{code-cell} python3
---
mystnb:
  figure:
    caption: "It stands in a caption."
---
"it stands"
```

```{guesses}
```

It stands after an empty block.

```python
it stands
```
"""


@pytest.fixture
def counted(tmp_path):
    def count(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        prose = english.prose(path)
        return {kind: [int(hit.split(":")[0]) for hit in english.hits(prose[kind])] for kind in prose}

    return count


def test_docstrings_comments_and_messages_are_counted_by_line(counted):
    assert counted("code.py", CODE) == {"text": [4], "code": [1, 1, 1, 3, 5]}


def test_code_in_a_page_is_skipped_but_not_its_captions(counted):
    assert counted("page.md", PAGE) == {"text": [5, 11, 19]}


def test_plain_english_passes(counted):
    assert counted("page.md", "A test checks each module. The model returns one vector per token.\n") == {"text": []}


def test_a_count_above_its_limit_fails_and_shows_the_hits(monkeypatch, capsys):
    monkeypatch.setattr(english, "LIMITS", {"text": -1, "code": 10**6})
    assert english.main([]) == 1
    out = capsys.readouterr().out
    assert "limit -1; rewrite as many as you added" in out and "; lower the limit" in out
