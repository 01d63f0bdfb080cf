import numpy as np

from tutorial_book import plots
from tutorial_book.plots.architectures import STACKS
from tutorial_lib import bert, encoder_decoder, gpt


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_drawing_says_what_the_classes_are():
    axes = dict(zip(STACKS, plots.architectures.stacks(), strict=True))
    base = encoder_decoder.Config()
    for title, config in (("2017: encoder", base), ("2017: decoder", base), ("BERT", bert.Config()),
                          ("GPT-2", gpt.Config())):  # fmt: skip
        said = texts(axes[title])
        assert f"{config.n_layers} times" in said
        assert any(text.lower().startswith(config.activation.split("_")[0]) for text in said)
        assert ("+, LayerNorm" in said) != getattr(config, "norm_first", False)
    layers = {title: sum("attention" in part for part, _ in layer) for title, (_, layer, *_) in STACKS.items()}
    assert layers == {"2017: encoder": 1, "2017: decoder": 2, "BERT": 1, "GPT-2": 1}
    masked = {title for title, (_, layer, *_) in STACKS.items() if any(part.startswith("masked") for part, _ in layer)}
    assert masked == {"2017: decoder", "GPT-2"}
    assert texts(axes["2017: decoder"]).count("memory") == 1 and "memory" not in texts(axes["GPT-2"])


def test_no_box_of_the_drawing_covers_another():
    for ax in plots.architectures.stacks():
        boxes = sorted((p.get_y(), p.get_y() + p.get_height()) for p in ax.patches if p.get_fill())
        assert all(end < start for (_, end), (start, _) in zip(boxes, boxes[1:], strict=False))


def test_learning_shows_each_step_and_each_judgment():
    loss, share = plots.architectures.learning([5.0, 3.0, 1.0], [[0, 0.0], [3, 0.9]], level=4.6)
    assert loss.lines[0].get_xydata().tolist() == [[1, 5], [2, 3], [3, 1]]
    assert set(loss.lines[1].get_ydata()) == {4.6}
    assert share.lines[0].get_xydata().tolist() == [[0, 0], [3, 0.9]]


def test_what_the_mask_forbids_stays_white_and_frames_stand_where_a_word_comes_from():
    own, crossing = np.full((3, 3), 0.5), np.full((3, 4), 0.25)
    names = ["ayer", "la", "casa"]
    first, second = plots.architectures.looks(own, crossing, names, ["[START]", *names[:2]], list("abcd"), [3, 0, 1])
    drawn = np.ma.filled(first.images[0].get_array(), np.nan)
    assert np.isnan(drawn[np.triu_indices(3, 1)]).all() and (drawn[np.tril_indices(3)] == 0.5).all()
    centers = [(p.get_y() + p.get_height() / 2, p.get_x() + p.get_width() / 2) for p in second.patches]
    assert np.allclose(centers, [(0, 3), (1, 0), (2, 1)])
    assert [label.get_text() for label in second.get_yticklabels()] == names


def test_losses_by_rate_average_seeds_and_tell_place_and_start_apart():
    names = [f"{place} {start}" for place in ("post-norm", "pre-norm") for start in ("with warmup", "without warmup")]
    ax = plots.architectures.losses_by_rate([0.01, 0.1], dict.fromkeys(names, [[4.0, 2.0], [0.0, 2.0]]))
    assert [line.get_label() for line in ax.lines] == names and ax.get_xscale() == "log"
    assert ax.lines[0].get_xydata().tolist() == [[0.01, 3], [0.1, 1]]
    band = ax.collections[0].get_paths()[0].vertices
    assert {tuple(place) for place in band} >= {(0.01, 2), (0.01, 4), (0.1, 0), (0.1, 2)}
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 4
    assert ax.lines[0].get_color() == ax.lines[1].get_color() != ax.lines[2].get_color()
