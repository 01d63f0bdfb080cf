"""K-mers as tokens and as counts: both by hand, and the tokenizer as transformers has it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments.virus import kmer_counts, kmer_ids, kmer_tokenizer, kmers, kmers_at

sequences = st.text("ACGUNRY", max_size=40)


@given(sequences, st.integers(1, 5), st.integers(1, 4), st.integers(0, 4))
def test_kmers_are_pieces_at_regular_places(sequence, k, step, start):
    found = kmers(sequence, k, step, start)
    assert found == [sequence[i:][:k] for i in range(start, len(sequence), step) if len(sequence[i:]) >= k]


@given(st.lists(sequences, min_size=1, max_size=3), st.integers(1, 3))
def test_counts_are_those_of_counting(texts, k):
    rows = kmer_counts(texts, k)
    for row, text in zip(rows, texts, strict=True):
        counted = Counter(piece for piece in kmers(text, k, step=1) if set(piece) <= set("ACGU"))
        assert row.sum() == counted.total()
        for piece, n in counted.items():
            place = sum("ACGU".index(base) * 4 ** (k - 1 - i) for i, base in enumerate(piece))
            assert row[place] == n


def test_the_vocabulary_is_all_kmers_in_order_and_the_counts_have_the_same_order():
    tok = kmer_tokenizer(3)
    assert len(tok) == 64 + 5 and tok.tokens[5:8] == ["AAA", "AAC", "AAG"]
    assert kmer_counts(["AAG"], 3)[0].argmax() == tok.vocab["AAG"] - 5


def test_a_kmer_with_an_uncertain_base_is_unknown_and_lower_case_is_too():
    tok = kmer_tokenizer(2)
    assert tok.tokenize("AC NA RG ac") == ["AC", "[UNK]", "[UNK]", "[UNK]"]


def test_ids_begin_with_cls_end_with_sep_and_are_cut():
    tok = kmer_tokenizer(2)
    [ids] = kmer_ids(["ACGUNN"], tok, k=2)
    assert ids == [2, tok.vocab["AC"], tok.vocab["GU"], 1, 3]
    assert kmer_ids(["ACGUNN"], tok, 2, n_positions=4) == [ids[:3] + [3]]
    assert kmer_ids(["ACGUNN"], tok, 2, start=1) == [[2, tok.vocab["CG"], 1, 3]]


def test_the_tokenizer_is_transformers_own(tmp_path):
    from transformers import BertTokenizerFast

    tok = kmer_tokenizer(3)
    tok.save(tmp_path)
    theirs = BertTokenizerFast.from_pretrained(tmp_path)
    rng = np.random.default_rng(0)
    for _ in range(20):
        text = " ".join(kmers("".join(rng.choice(list("ACGUN"), 60)), 3))
        assert theirs(text).input_ids == tok.encode(text).ids


@pytest.mark.parametrize("wrong, message", [
    ({"k": 0}, "k must be a number of bases, 1 or more, got 0"),
    ({"step": 0}, "step must be"),
    ({"start": -1}, "start must be"),
])  # fmt: skip
def test_what_is_no_number_of_bases_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        kmers("ACGU", **wrong)


@given(st.lists(st.sampled_from("ACGU-"), min_size=1, max_size=30).map("".join), st.integers(1, 4), st.data())
def test_a_site_is_in_the_kmer_that_holds_its_base(aligned, k, data):
    site = data.draw(st.integers(0, len(aligned) - 1))
    marked = aligned[:site] + "X" + aligned[site + 1 :]
    holding = [i for i, piece in enumerate(kmers(marked.replace("-", ""), k)) if "X" in piece]
    if aligned[site] != "-":
        assert kmers_at(aligned, [site], k) == holding


def test_sites_in_one_kmer_name_it_once_and_a_lost_one_the_base_before():
    assert kmers_at("ACGUAC", [0, 1, 2], 3) == [0]
    assert kmers_at("ACG---UAC", [3, 4], 3) == [0] and kmers_at("---ACG", [0], 3) == []
    assert kmers_at("ACGUA", [4], 3) == []  # what is left at the end is no k-mer
