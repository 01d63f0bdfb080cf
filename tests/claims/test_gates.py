"""G's claims by other means: the lists as they stand in the summary, the rest by SciPy and torch."""

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.linalg import subspace_angles
from torch import nn

from tutorial_book.claims import gates, readings
from tutorial_book.claims.tools import bert


@pytest.mark.parametrize(
    ("heading", "end"),
    [
        ("What are the key results?", "More in Key Results"),
        ("2 Results", "3 Significance"),
        ("4 Technical Contributions", "5 Novelty"),
    ],
)
@pytest.mark.parametrize("id", ["G-0-patterns", "G-4-patterns"])
def test_the_seven_names_stand_in_each_list_in_this_order(documents, heading, end, id):
    (item,) = [item for item in readings("gates") if item.id == id]
    names = item.text.rstrip(".").split(": ")[1].split(", ")
    text = documents["G"].split(heading)[1].split(end)[0]
    assert len(names) == 7
    places = [text.index(f"{name} {'heads' if name == 'cluster' else 'gates'}") for name in names]
    assert places == sorted(places) and text.count(" gates") == 6


def test_lower_layers_choose_more_and_upper_ones_hand_on_less_by_scipy_and_torch():
    maps, vectors = gates.read_texts()
    evenness = np.mean([stats.entropy(A, axis=-1).mean((1, 2)) / np.log(A.shape[-1]) for A in maps], axis=0)
    assert [evenness[:3].mean(), evenness[3:].mean()] == pytest.approx([0.57, 0.60], abs=0.005)
    assert evenness.argmax() == 0 and evenness[0] == pytest.approx(0.78, abs=0.005)
    kept = np.mean([torch.cosine_similarity(*map(torch.tensor, (X[1:], X[:-1])), dim=-1).mean(-1).numpy()
                    for X in vectors], axis=0)  # fmt: skip
    assert kept[:3].mean() == pytest.approx(0.88, abs=0.01) and kept[3:].mean() == pytest.approx(0.77, abs=0.01)


def test_vectors_of_a_text_align_and_the_texts_part_by_torch():
    _, vectors = gates.read_texts()

    def mean_cosine(layer, left_out):
        units = [nn.functional.normalize(torch.tensor(np.delete(X[layer], left_out, axis=-1))) for X in vectors]
        return np.mean([((U @ U.T).sum() - len(U)) / (len(U) * (len(U) - 1)) for U in units])

    for left_out, ends in (([], [0.06, 0.34]), (gates.LOUD, [0.06, 0.36])):
        assert [mean_cosine(layer, left_out) for layer in (0, -1)] == pytest.approx(ends, abs=0.006)
    text = torch.arange(len(vectors)).repeat_interleave(torch.tensor([X.shape[1] for X in vectors]))
    apart = text[:, None] != text
    for layer, cosine in ((0, 0.06), (-2, 0.23), (-1, 0.04)):
        U = nn.functional.normalize(torch.tensor(np.concatenate([X[layer] for X in vectors])))
        assert float((U @ U.T)[apart].mean()) == pytest.approx(cosine, abs=0.006)
        assert gates.cosine_across([X[layer] for X in vectors]) == pytest.approx(cosine, abs=0.006)


def test_a_head_s_queries_and_keys_overlap_by_scipy():
    attention = bert().layer[0].attention
    angles = [subspace_angles(*(factor.detach().numpy() for factor in (down, up.T)))
              for down, up in (attention.score_map(h) for h in range(12))]  # fmt: skip
    assert np.square(np.cos(angles)).mean() > 2 * 32 / 384
