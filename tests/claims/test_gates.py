"""G's claims by other means: the lists as they stand in the summary, angles and entropies by SciPy."""

import numpy as np
import pytest
import torch
from scipy import stats
from scipy.linalg import subspace_angles

from tutorial_book.claims import gates
from tutorial_book.claims.tools import bert


@pytest.mark.parametrize(
    ("heading", "end", "names"),
    [
        ("What are the key results?", "More in Key Results", gates.IN_QUICK_ANSWERS),
        ("2 Results", "3 Significance", gates.IN_RESULTS),
        ("4 Technical Contributions", "5 Novelty", gates.IN_CONTRIBUTIONS),
    ],
)
def test_the_seven_names_stand_in_each_list_in_this_order(documents, heading, end, names):
    text = documents["G"].split(heading)[1].split(end)[0]
    places = [text.index(f"{name} {'heads' if name == 'cluster' else 'gates'}") for name in names]
    assert places == sorted(places) and text.count(" gates") == 6


def test_lower_layers_choose_more_and_upper_ones_hand_on_less_by_scipy_and_torch():
    maps, vectors = gates.read_texts()
    evenness = np.mean([stats.entropy(A, axis=-1).mean((1, 2)) / np.log(A.shape[-1]) for A in maps], axis=0)
    assert evenness[:3].mean() == pytest.approx(0.56, abs=0.02) and evenness[3:].mean() == pytest.approx(0.61, abs=0.02)
    assert evenness.argmax() == 0 and evenness[0] == pytest.approx(0.77, abs=0.02)
    kept = np.mean([torch.cosine_similarity(*map(torch.tensor, (X[1:], X[:-1])), dim=-1).mean(-1).numpy()
                    for X in vectors], axis=0)  # fmt: skip
    assert kept[:3].mean() == pytest.approx(0.88, abs=0.01) and kept[3:].mean() == pytest.approx(0.77, abs=0.01)


def test_a_head_s_queries_and_keys_overlap_by_scipy():
    attention = bert().layer[0].attention
    angles = [subspace_angles(*(factor.detach().numpy() for factor in (down, up.T)))
              for down, up in (attention.score_map(h) for h in range(12))]  # fmt: skip
    assert np.square(np.cos(angles)).mean() > 2 * 32 / 384
