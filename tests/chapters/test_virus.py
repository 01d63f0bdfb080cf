"""What the case study says of the simulated virus and of those that tell its variants apart."""

import re

import numpy as np
import pytest

from tutorial_book.experiments.virus import (
    Evolution,
    kmer_counts,
    simulate,
    split_genomes,
    trained_again,
    write_fasta,
)
from tutorial_book.experiments.virus.simulator import VARIANTS
from tutorial_lib.geometry import gate_of

pytestmark = pytest.mark.usefixtures("one_thread_for_a_file")


@pytest.fixture(scope="module")
def virus():
    return simulate()


@pytest.fixture(scope="module")
def page(chapter, virus):
    return chapter(virus=virus, genomes=virus.genomes, split=split_genomes(virus.genomes))


def test_the_numbers_of_the_tree(page):
    e = Evolution()
    assert (e.n_sites, e.sublineages, e.later, e.outbreaks, e.samples) == (1_200, 10, 8, 5, 6)
    train, new = page.split.train, page.split.lineages
    assert len({genome.outbreak for genome in train}) == 108
    assert len({genome.lineage for genome in train}) == 36 and len({genome.lineage for genome in new}) == 24
    lost = {name: list(page.virus.defining[name].values()).count("-") for name in VARIANTS}
    assert lost == {"Ash": 3, "Birch": 0, "Cedar": 6, "Elm": 0, "Fir": 9, "Oak": 0}


def test_a_loss_changes_all_tokens_behind_it_and_hardly_a_kmer_at_any_place(page):
    assert page.differ > 140
    before, after = page.counted[0], page.counted[1 + list(page.changed).index("3 bases lost")]
    assert before.sum() == 1_195 and np.minimum(before, after).sum() / before.sum() > 0.99


def test_a_coin_is_remembered_and_not_known(page):
    copies, outbreaks, lineages = (share for share, *_ in page.coin_right.values())
    assert copies == pytest.approx(0.88, abs=0.05)
    assert abs(outbreaks - 0.5) < 0.1 and abs(lineages - 0.5) < 0.1


def test_on_known_sublineages_all_are_right_and_on_new_ones_bert_and_the_linear_model_cannot_be_told_apart(page):
    for name in ("BERT", "k-mer counts, linear"):
        assert page.accuracy(page.clean[name]["copies"]) > 0.98 and page.accuracy(page.clean[name]["outbreaks"]) > 0.98
    assert page.after["BERT, all frames"][0] > 0.98
    assert page.accuracy(page.confusions("outbreaks", page.four["BERT, all frames"], every=6)) > 0.98
    new = {name: matrices["lineages"] for name, matrices in page.clean.items()}
    for name, share in {"BERT": 0.95, "k-mer counts, linear": 0.96, "BERT, all frames": 0.84}.items():
        assert page.accuracy(new[name]) == pytest.approx(share, abs=0.02)
    _, low, high = page.lead(new["BERT"], new["k-mer counts, linear"])
    assert low < 0 < high


def test_a_skipped_base_ruins_the_one_that_knows_one_frame(page):
    skipped = {name: share for name, (_, share) in page.after.items()}
    assert skipped["BERT"] < 0.25 and min(skipped["k-mer counts, linear"], skipped["BERT, all frames"]) > 0.97


def test_a_copied_loss_outvotes_all_substitutions(page):
    assert min(page.taken["BERT"]) > 0.99 and max(page.taken["k-mer counts, linear"]) < 0.01
    assert min(page.taken["BERT, all frames"]) > 0.7


def test_among_wrong_bases_the_nearest_reference_is_best_on_what_it_knows_and_worst_on_what_is_new(page):
    noisy = page.noisy
    for other in ("BERT", "k-mer counts, linear"):
        _, ahead, _ = page.lead(noisy["nearest reference"]["outbreaks"], noisy[other]["outbreaks"])
        _, _, behind = page.lead(noisy["nearest reference"]["lineages"], noisy[other]["lineages"])
        assert ahead > 0 > behind
    bert, linear = noisy["BERT"]["lineages"], noisy["k-mer counts, linear"]["lineages"]
    _, low, high = page.lead(bert, linear)
    assert low < 0 < high
    lost = page.lost  # Ash, Cedar and Fir have lost bases
    assert lost.tolist() == [True] * 4 + [False] * 4 + [True] * 4 + [False] * 4 + [True] * 4 + [False] * 4
    assert page.lead(bert[lost], linear[lost])[1] > 10 and page.lead(bert[~lost], linear[~lost])[0] < 0


def test_sets_lie_further_away_and_near_copies_need_no_label(page):
    assert page.contained == pytest.approx([0.996, 0.982, 0.926], abs=0.004)


def test_where_bert_is_wrong_it_is_sure_and_the_linear_model_doubts(page):
    assert 0.85 < page.wrong["BERT"] < 1 and 0.4 < page.wrong["k-mer counts, linear"] < 0.65
    linear = page.surety["k-mer counts, linear"]["new sub-lineages"]
    more_often_right_than_sure = (linear.accuracy - linear.confidence) @ linear.count / linear.count.sum()
    assert more_often_right_than_sure > 0.05
    assert page.surety["BERT"]["new outbreaks"].error < 0.01


def test_attention_finds_defining_kmers_and_none_of_them_matters_alone(page):
    found = {name: np.mean([page.share_found(seen[-1], marked) for seen, _, marked in genomes])
             for name, genomes in page.looked.items()}  # fmt: skip
    assert found["trained"] == pytest.approx(0.39, abs=0.06) and found["untrained"] < 0.05
    assert page.largest < 0.1


def test_known_sublineages_are_told_without_what_defines_the_variant_and_new_ones_are_not(page):
    right = {kind: shares.mean() for kind, shares in page.left["no defining k-mer read"].items()}
    assert right["new outbreaks"] > 0.9 and right["new sub-lineages"] == pytest.approx(1 / 3, abs=0.1)


def test_what_the_page_says_of_all_trainings():
    found = {run: numbers for run, numbers in trained_again().items() if run.name == "book-virus"}
    assert len(found) == 8
    for one in found.values():
        assert one["outbreaks"] > 0.995 and one["skipped"] < 0.35 and one["cut"] > 0.9 and one["sure"] > 0.8
        assert one["found"] > 0.1 and one["known"] > one["new"] + 0.35 and 1 <= one["cls_0"] < 4.5
        assert one["cone_0"] < one["cone_1"] < one["cone_2"] and one["low"] < 0
    five = [numbers["lineages"] for run, numbers in found.items() if not run.tree]
    assert max(five) - min(five) == pytest.approx(0.097, abs=0.005)
    assert min(numbers["lineages"] for run, numbers in found.items() if run.tree) < min(five)
    assert len({numbers["open"] for numbers in found.values()}) > 2
    assert {numbers["row_0"] > numbers["row_1"] for numbers in found.values()} == {True, False}
    framed = [numbers["lineages"] for run, numbers in trained_again().items() if run.name == "book-virus-frames"]
    assert np.mean(framed) < np.mean(five)


def test_with_a_hundred_to_one_a_very_high_accuracy_hides_the_rarest_variant(page):
    def right(name, kind, way):
        return page.weighted(way, page.strata(name, kind))

    drawn, alike, rarest = page.by_way
    assert right("most frequent", "copies", drawn) == pytest.approx(23.6, abs=0.1)
    assert right("most frequent", "copies", alike) == pytest.approx(12.5)
    assert right("BERT, 2 passes", "copies", drawn) == pytest.approx(99, abs=0.5)
    two, six = ([numbers for (_, name), numbers in page.trained.items() if f"{n} passes" in name] for n in (2, 6))
    assert [rarest for _, rarest in two] == [0] * 4 and sorted(rarest for _, rarest in six) == [0, 100]
    new = [numbers[0] for numbers in two]
    assert [min(new), max(new)] == pytest.approx([81, 99], abs=0.6) and np.mean([numbers[0] for numbers in six]) < 91
    for way in (drawn, alike):
        ahead = [a - b for a, b in zip(*(page.strata(name, "lineages") for name in ("BERT, 2", "BERT's")), strict=True)]
        _, high = map(float, page.with_span(way, ahead).partition("[")[2].strip("]").split(", "))
        assert high < 0
    assert right("BERT's words, linear", "copies", alike) > right("BERT, 2 passes", "copies", alike) + 10
    for tree in page.design["trees"]:
        assert 90 < page.design["counts"][-1] / page.design["counts"][0] < 110
        assert [tree["sizes"][0], tree["sizes"][-1], sum(tree["sizes"])] == [6, 582, 2_471]
        assert [round(tree["sites"][kind]) for kind in ("copies", "lineages")] == [2, 21]


def test_the_cells_on_splits_and_simple_classifiers_run_on_a_readers_genomes(tmp_path, prose):
    """Variants of other names, uncertain bases, lengths that differ: the page's own cells, as a reader changes them."""
    other = simulate(Evolution(n_sites=300, sublineages=6, samples=4), seed=9).genomes
    rename = {name: f"lineage {name[0]}" for name in VARIANTS[:4]}
    records = [(g.name.replace(g.variant, rename[g.variant]), g.sequence.replace("GA", "NR", 1).lower())
               for g in other if g.variant in rename]  # fmt: skip
    write_fasta(tmp_path / "yours.fasta", records)
    cell = r"```{code-cell} python3\n(?:---\n.*?\n---\n)?(?::[^\n]*\n)*(.*?)```"
    cells = dict(enumerate(re.findall(cell, prose, re.DOTALL)))
    own = next(i for i, cell in cells.items() if "# genomes = labeled_genomes" in cell)
    first = next(i for i, cell in cells.items() if "split = split_genomes(genomes)" in cell)
    last = next(i for i, cell in cells.items() if "similar_groups([" in cell)
    names = {}
    mine = re.sub("genomes, machine = .*\n", "", cells[own]).replace("# ", "")
    mine = mine.replace("yours.fasta.gz", str(tmp_path / "yours.fasta"))
    exec(cells[0].partition("torch.set_grad_enabled")[0], names)  # its imports
    for cell in (mine, *(cells[i] for i in range(first, last + 1))):
        exec(cell, names)
    assert names["variants"] == [f"lineage {letter}" for letter in "ABCE"]
    new, true = names["read"](names["split"].lineages)
    assert (names["nearest"](new).argmax(1) == true).mean() > 0.5 < names["linear"].score(kmer_counts(new), true)
    assert all(set(read) & set("NR") for read in new)


def test_of_gates_cones_and_subspaces_training_changes_the_cone(page):
    trained, untrained = page.facts["trained"], page.facts["untrained"]
    assert np.allclose(trained["cones"].mean(0), [0.42, 0.65, 0.89], atol=0.03)
    assert np.ptp(untrained["cones"].mean(0)) < 0.05
    assert trained["less"].mean(0)[-1] > 0.85  # without the largest coordinate
    assert np.allclose(trained["rows"].mean(0), 160, atol=4)
    assert (untrained["rows"].mean(0) > 195).all()  # of 201 tokens
    assert 2 < trained["cls"].mean(0)[0] < 3 and untrained["cls"].mean(0)[0] > 195
    assert all((gate_of(facts["gates"].mean(0)) == "open").all() for facts in page.facts.values())
    assert trained["spread"].mean(0)[0] < 0.1 < 1.5 < untrained["spread"].mean(0)[0]
    for one_genome, of_class, _, looked_at, defining in page.shown_by.values():
        assert of_class < one_genome and defining < looked_at < 10 and defining >= 1
    assert trained["seen"].mean() == pytest.approx(0.25, abs=0.03)


def test_the_solutions_of_the_exercises(page):
    share = page.right_by_k
    assert share[3] < 0.75 < 0.85 < share[4] < share[6]
    all_learned, spread, single = page.right_by_choice.values()
    assert all_learned == pytest.approx(share[6])
    assert share[6] - spread < 0.02 < 0.15 < share[6] - single
    outbreaks, lineages = ({T: errors[i] for T, errors in page.errors_at.items()} for i in (0, 1))
    assert outbreaks[0.5] < outbreaks[1] < outbreaks[2]
    assert lineages[0.5] > lineages[1]
