"""The design of G's authors on simulated genomes: sizes, sets, words, and what is stored of it."""

from collections import Counter
from dataclasses import replace
from datetime import date

import numpy as np
import pytest

measure_unequal = pytest.importorskip("measure_unequal")

from tutorial_book.experiments.virus import differences, unequal  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")

# As the tool has it, with a shorter region, and fewer of everything.
SMALL = replace(measure_unequal.EVOLUTION, n_sites=400, sublineages=6, outbreaks=3, samples=6)


@pytest.fixture(scope="module")
def small():
    return measure_unequal.design(0, SMALL, scale=400)


def test_the_rarest_variant_is_a_hundred_times_as_rare_and_no_set_shares_what_it_must_not(small):
    learned, sizes, sets = small
    assert list(sizes.values()) == [0, 0, 1, 3, 4, 5, 6, 6]  # a 400th of the counts
    assert Counter(genome.variant for genome in learned) == {name: n for name, n in sizes.items() if n}
    counts = measure_unequal.COUNTS
    assert sum(counts) == 9_881 and 90 < counts[-1] / counts[0] < 110
    names = {genome.name for genome in learned}
    for kind, some in sets.items():
        assert len(set(Counter(genome.variant for genome in some).values())) == 1, "as many of each variant"
        assert max(Counter(genome.outbreak for genome in some).values()) <= 4
        assert not names & {genome.name for genome in some}
        assert ({g.outbreak for g in some} & {g.outbreak for g in learned} == set()) == (kind != "copies")
        assert ({g.lineage for g in some} & {g.lineage for g in learned} == set()) == (kind == "lineages")


def test_which_variant_is_rare_is_drawn_by_the_tree(small):
    others = [list(measure_unequal.design(tree, SMALL, scale=400)[1]) for tree in (0, 1)]
    assert others[0] == list(small[1]) != others[1] and set(others[0]) == set(others[1])


def test_words_have_twelve_bases_and_two_neighbors_share_three():
    read = "ACGUUGCAAUCG" * 318
    words = measure_unequal.words(read[:3_822])
    assert len(words) == 424 and set(map(len, words)) == {12} and words[0][-3:] == words[1][:3]
    assert measure_unequal.words(read[:3_000])[-1] == "N" * 12 and len(measure_unequal.words(read[:3_000])) == 424
    vocabulary = {word: 5 + i for i, word in enumerate(dict.fromkeys(words))}
    ids = measure_unequal.as_ids([read[:3_822], "G" * 3_822], vocabulary)
    assert ids.shape == (2, 426) and ids[0, 1] == 5 and set(ids[1, 1:-1].tolist()) == {1}
    held = measure_unequal.held_words([read[:3_822]], vocabulary)
    assert set(held.indices) == {2, 3, *vocabulary.values()} and held.max() == 1


def test_the_nearest_site_counts_and_the_shares_by_sub_lineage_are_as_by_hand(small):
    learned, sizes, sets = small
    some = sets["copies"][:3]
    by_hand = [min(len(differences(one.aligned, other.aligned)) for other in learned) for one in some]
    assert measure_unequal.nearest_sites(some, learned).tolist() == by_hand
    variants = list(sizes)
    truth = [variants.index(genome.variant) for genome in sets["lineages"]]
    shares = np.array(measure_unequal.by_sublineage(sets["lineages"], variants, truth))
    assert shares.shape == (8, 4) and (shares == 1).all()
    shares = np.array(measure_unequal.by_sublineage(sets["lineages"], variants, [7] * len(truth)))
    assert shares.sum(1).tolist() == [0] * 7 + [4]


def test_a_small_run_has_what_the_chapter_reads(monkeypatch, capsys):
    monkeypatch.setattr(measure_unequal, "EVOLUTION", SMALL)  # for the words' number
    found = measure_unequal.record((0,), scale=300, evolution=SMALL)
    stored = unequal()
    assert found["date"] == date.today().isoformat() and found["counts"] == measure_unequal.COUNTS
    assert found.keys() == stored.keys()
    for tree in stored["trees"]:
        assert tree.keys() == found["trees"][0].keys()
        assert tree["right"].keys() == found["trees"][0]["right"].keys()
        shapes = {kind: np.shape(shares) for kind, shares in tree["right"]["BERT, 2 passes, seed 1"].items()}
        assert shapes == {"copies": (8, 6), "outbreaks": (8, 6), "lineages": (8, 4)}
    assert [tree["tree"] for tree in stored["trees"]] == list(measure_unequal.TREES)
    assert "most frequent: {'copies': 0.125" in capsys.readouterr().out


@pytest.mark.long
def test_the_stored_numbers_of_the_simple_classifiers_come_out_again():
    kept = unequal()["trees"][0]
    found = measure_unequal.measured(0, (), measure_unequal.EVOLUTION, measure_unequal.SCALE)
    for name in ("variants", "sizes", "words", "sites"):
        assert found[name] == kept[name]
    for name, right in found["right"].items():
        for kind, shares in right.items():
            assert np.allclose(shares, kept["right"][name][kind], atol=0.05), (name, kind)
