"""Simulated genomes match their settings; k-mers, files and splits keep their input."""

import gzip
import hashlib
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutorial_book.experiments import virus
from tutorial_book.experiments.virus import Evolution, Record, kmers, simulate
from tutorial_book.experiments.virus.simulator import AMBIGUOUS, CODES

FOUR = (("a", "b"), ("c", "d"), ("e", "f"), ("g", "h"))
bases = st.text("ACGUNRY", max_size=40)


@pytest.fixture(scope="module")
def genomes():
    return simulate().genomes


# --- The simulator ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("evolution, seed, digest", [
    (Evolution(), 0, "b31f26246ddd54d3"),
    (Evolution(), 1, "a01868f484dc7007"),
    (Evolution(n_sites=200, deleted=(3, 6, 9, 3), sisters=FOUR, outbreaks=2, samples=1), 0, "afa72980741293d6"),
])  # fmt: skip
def test_seed_draws_the_tree_of_the_shipped_models(evolution, seed, digest):
    found = simulate(evolution, seed)
    assert hashlib.sha256(repr((found, found.genomes)).encode()).hexdigest()[:16] == digest


def read(true, seed=0, **changes):
    return virus.sequenced(true, np.random.default_rng(seed), **dict(errors=0, ambiguous=0, gap=0) | changes)


def test_machine_errs_as_often_as_told():
    true = "ACGU" * 5_000
    assert read(true) == true
    wrong = read(true, errors=0.05)
    assert len(wrong) == len(true) and set(wrong) == set("ACGU")
    assert np.mean([a != b for a, b in zip(wrong, true, strict=True)]) == pytest.approx(0.05, abs=0.005)
    unsure = [(a, b) for a, b in zip(read(true, ambiguous=0.05), true, strict=True) if a != b]
    assert len(unsure) / len(true) == pytest.approx(0.05, abs=0.005)
    assert all(b in AMBIGUOUS[a] and len(AMBIGUOUS[a]) == 2 for a, b in unsure)
    gaps = [read(true, seed, gap=0.5) for seed in range(40)]
    unread = [one.count("N") for one in gaps if "N" in one]
    assert 10 < len(unread) < 30 and 20 <= min(unread) < 60 and 160 < max(unread) <= 200
    assert all("N" * one.count("N") in one for one in gaps)
    slipped = read(true, slips=0.05)
    assert abs(len(slipped) - len(true)) < 200 and slipped != true


def test_uncertain_bases_stay():
    unsure = read("ACGUNRYK" * 500, errors=0.5, ambiguous=1)
    assert all(unsure[i::8] == code * 500 for i, code in enumerate("ACGUNRYK") if code in AMBIGUOUS)
    assert all(set(unsure[i::8]) <= set(AMBIGUOUS) for i in range(4))
    assert CODES[frozenset("AG")] == "R" and CODES[frozenset("ACGU")] == "N" and len(CODES) == 11


# --- K-mers -----------------------------------------------------------------------------------------------------------


@given(bases, st.integers(1, 5), st.integers(1, 4), st.integers(0, 4))
def test_kmers_are_pieces_at_regular_places(sequence, k, step, start):
    found = kmers(sequence, k, step, start)
    assert found == [sequence[i:][:k] for i in range(start, len(sequence), step) if len(sequence[i:]) >= k]


@given(st.lists(bases, min_size=1, max_size=3), st.integers(1, 3))
def test_counts_follow_the_order_of_the_vocabulary(texts, k):
    vocabulary = virus.kmer_tokenizer(k).tokens[5:]
    assert vocabulary == sorted(vocabulary) and len(vocabulary) == 4**k
    for row, text in zip(virus.kmer_counts(texts, k), texts, strict=True):
        counted = Counter(kmers(text, k, step=1))
        assert row.tolist() == [counted[kmer] for kmer in vocabulary]


def test_ids_are_those_of_transformers(tmp_path):
    from transformers import BertTokenizerFast

    tok = virus.kmer_tokenizer(2)
    tok.save(tmp_path)
    theirs = BertTokenizerFast.from_pretrained(tmp_path)
    for start, cut in ((0, None), (1, None), (0, 4)):
        text = " ".join(kmers("ACGUNNRGAC", 2, start=start))
        ids = theirs(text, max_length=cut, truncation=cut is not None).input_ids
        assert virus.kmer_ids(["ACGUNNRGAC"], tok, 2, n_positions=cut, start=start) == [ids]
    assert tok.tokenize("AC NA RG ac") == ["AC", "[UNK]", "[UNK]", "[UNK]"]


@given(st.lists(st.sampled_from("ACGU-"), min_size=1, max_size=30).map("".join), st.integers(1, 4), st.data())
def test_sites_are_in_the_kmer_of_their_base(aligned, k, data):
    site = data.draw(st.integers(0, len(aligned) - 1))
    marked = aligned[:site] + "X" + aligned[site + 1 :]
    holding = [i for i, piece in enumerate(kmers(marked.replace("-", ""), k)) if "X" in piece]
    if aligned[site] != "-":
        assert virus.kmers_at(aligned, [site, site], k) == holding


def test_lost_sites_count_for_the_base_before():
    assert virus.kmers_at("ACG---UAC", [3, 4], 3) == [0] and virus.kmers_at("---ACG", [0], 3) == []


# --- Files ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """Call it with the content of a FASTA file to get the path."""

    def write(content):
        path = tmp_path / ("genomes.fasta.gz" if content[:2] == b"\x1f\x8b" else "genomes.fasta")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_written_records_are_read(genomes, tmp_path):
    path = tmp_path / "genomes.fasta"
    records = [Record("simulated|Ash.1.1|1 more words", "ACGU" * 50), Record("two", "NRY")]
    virus.write_fasta(path, records)
    assert max(map(len, path.read_text().splitlines())) == 70
    assert virus.read_fasta(str(path)) == records
    whole = [genome for genome in genomes if "-" not in genome.aligned][::20]
    virus.write_fasta(path, [(genome.name, genome.sequence) for genome in whole])
    assert virus.labeled_genomes(virus.read_fasta(path)) == whole


@pytest.mark.parametrize("content, expected", [
    (">one\nacgt\nNNac\n", "ACGUNNAC"),  # lower case, T, lines
    (">one\r\nAC\r\nGT\r\n", "ACGU"),  # of Windows
    (">one\nAC--GT\n\n", "ACGU"),  # gaps of an alignment, an empty line
    (">one\nRYSWKMBDHVN", "RYSWKMBDHVN"),  # IUPAC, and no end of line
    (gzip.compress(b">one\nACGT\n", mtime=0), "ACGU"),
])  # fmt: skip
def test_files_differ_in_known_ways(file, content, expected):
    assert virus.read_fasta(file(content)) == [Record("one", expected)]


@pytest.mark.parametrize("content, message", [
    ("", "must have a line that begins with >"),
    ("ACGU\n", "is not a readable FASTA file"),
    ("@one\nACGU\n+\nIIII\n", "is not a readable FASTA file"),  # FASTQ
    (">one\n>two\nACGU\n", r"record 1 \('one'\) must have a sequence"),
    (">one\nACGU\n>two\nACXU\n", r"record 2 \('two'\) must have only letters .*, got 'X' at base 3"),
    (b">one\n\xff\xfe\n", "is not a readable FASTA file"),
    (gzip.compress(b">one\n" + b"ACGGT" * 4000, mtime=0)[:40], "is not a readable FASTA file"),  # cut off
])  # fmt: skip
def test_bad_files_are_named_with_the_fault(file, content, message):
    path = file(content)
    with pytest.raises(ValueError, match=message) as error:
        virus.read_fasta(path)
    assert str(path) in str(error.value)
    with pytest.raises(FileNotFoundError, match="must be a FASTA file"):
        virus.read_fasta(path.parent)


# --- Splits -----------------------------------------------------------------------------------------------------------


def test_sets_lie_further_and_further_away(genomes):
    split = virus.split_genomes(genomes)
    assert sorted(genome.name for part in split for genome in part) == sorted(genome.name for genome in genomes)
    known = {kind: {getattr(genome, kind) for genome in split.train} for kind in ("outbreak", "lineage", "variant")}
    assert {genome.outbreak for genome in split.copies} == known["outbreak"]
    assert not {genome.outbreak for genome in split.outbreaks} & known["outbreak"]
    assert {genome.lineage for genome in split.outbreaks} == known["lineage"]
    assert not {genome.lineage for genome in split.lineages} & known["lineage"]
    assert {genome.variant for genome in split.lineages} == known["variant"]
    split = virus.split_genomes(genomes, n_lineages=1, n_outbreaks=0, n_copies=1)
    assert not split.outbreaks and len({genome.lineage for genome in split.lineages}) == 6
    assert len(split.copies) == len({genome.outbreak for genome in split.train})


def test_containment_is_that_of_sets(genomes):
    some = [genome.sequence for genome in genomes[::400]]
    held = [set(kmers(text, step=1)) for text in some]
    for row, a in zip(virus.containment(some, some), held, strict=True):
        assert row == pytest.approx([len(a & b) / min(len(a), len(b)) for b in held], abs=1e-6)
    unread = some[0][:300] + "N" * 60 + some[0][360:]  # sets nothing apart
    assert virus.containment([unread, "NNN"], some[:1]).tolist() == [[1], [0]]


def test_groups_are_chains_of_near_ones():
    """Each text shares two thirds of its k-mers with the next one, and few with those behind that."""
    bases = "".join(np.random.default_rng(0).choice(list("ACGU"), 500))
    texts = [bases[100 * i :][:300] for i in (0, 2, 1)]
    assert virus.similar_groups(texts, least=0.6).tolist() == [0, 0, 0]
    assert virus.similar_groups(texts, least=0.7).tolist() == [0, 1, 2]
    assert virus.similar_groups(texts[:2], least=0.6).tolist() == [0, 1]


@pytest.mark.parametrize("call, says", [
    (lambda: read("ACGU", errors=2), "errors must be a share from 0 to 1, got 2"),
    (lambda: simulate(Evolution(sisters=FOUR)), "zip"),
    (lambda: kmers("ACGU", k=0), "k must be a number of bases, 1 or more, got 0"),
    (lambda: kmers("ACGU", step=0), "step must be"),
    (lambda: kmers("ACGU", start=-1), "start must be"),
    (lambda: virus.labeled_genomes([("EPI_1", "A")]), "names such as 'variant.lineage.outbreak.sample', got 'EPI_1'"),
    (lambda: virus.labeled_genomes([("A||A.1.1|one", "A")]), "names such as"),
    (lambda: virus.labeled_genomes([("a|b|c|d", "A")] * 2), "different names, got 'a.b.c.d' twice"),
    (lambda: virus.similar_groups(["ACGU"], least=0), "least must be a share above 0, at most 1, got 0"),
])  # fmt: skip
def test_impossible_input_is_rejected(call, says):
    with pytest.raises(ValueError, match=says):
        call()
