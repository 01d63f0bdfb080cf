"""What changed between two sources: the lines are theirs, signs say whose, and nothing else is shown."""

import inspect

import pytest

from tutorial_book.page.changed import show_change
from tutorial_lib import bert, gpt, llama


def test_each_line_stands_in_one_of_the_sources(capsys):
    show_change(bert.layer_norm, llama.rms_norm)
    head, *lines = capsys.readouterr().out.splitlines()
    assert head == "# tutorial_lib/bert.py, then tutorial_lib/llama.py"
    old, new = (inspect.getsource(one).splitlines() for one in (bert.layer_norm, llama.rms_norm))
    for line in lines:
        assert line[0] in "-+ " and (line == " ..." or line[1:] in {"-": old, "+": new, " ": old}[line[0]])
    assert "-    return centered * torch.rsqrt(variance + eps) * gamma + beta" in lines
    assert not any('"""' in line for line in lines)


def test_methods_are_named_and_begin_at_the_left(capsys):
    show_change(bert.FeedForward.forward, llama.GatedFeedForward.forward)
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.endswith("bert.py: FeedForward.forward, then tutorial_lib/llama.py: GatedFeedForward.forward")
    assert first == " def forward(self, X, keep=nothing):"


def test_lines_that_are_left_out_leave_a_mark(capsys):
    show_change(gpt.CachedAttention.forward, llama.GroupedAttention.forward)
    _, *lines = capsys.readouterr().out.splitlines()
    assert all(line[0] in "-+ " for line in lines) and " ..." not in lines  # all lines stand near a change
    show_change(gpt.GPT.__init__, llama.Llama.__init__)
    assert " ..." in capsys.readouterr().out.splitlines()
    show_change(llama.Llama.hidden, llama.Llama.hidden)
    assert capsys.readouterr().out.endswith("hidden, then tutorial_lib/llama.py: Llama.hidden\n\n")  # nothing changed


def test_what_has_no_source_is_told_of():
    with pytest.raises(TypeError, match="obj must be"):
        show_change(len, 3)
