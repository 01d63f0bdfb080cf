"""FASTA files as they come: good ones, odd ones, and bad ones with an error that says what is wrong."""

import gzip

import pytest

from tutorial_book.experiments.virus import Record, labeled_genomes, read_fasta, simulate, split_genomes, write_fasta


@pytest.fixture
def file(tmp_path):
    """Call it with a text (or bytes) for a FASTA file that holds it."""

    def write(content, name="genomes.fasta"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_what_was_written_is_read(tmp_path):
    records = [Record("simulated|Ash.1.1|1 more words", "ACGU" * 50), Record("two", "NRY")]
    write_fasta(tmp_path / "two.fasta", records)
    assert max(map(len, (tmp_path / "two.fasta").read_text().splitlines())) == 70
    assert read_fasta(tmp_path / "two.fasta") == records
    assert read_fasta(str(tmp_path / "two.fasta")) == records


@pytest.mark.parametrize("content, expected", [
    (">one\nacgt\nNNac\n", "ACGUNNAC"),  # lower case, T, lines
    (">one\r\nAC\r\nGT\r\n", "ACGU"),  # of Windows
    (">one\nAC--GT\n\n", "ACGU"),  # gaps of an alignment, an empty line
    (">one\nRYSWKMBDHVN", "RYSWKMBDHVN"),  # IUPAC, and no end of line
])  # fmt: skip
def test_the_ways_in_which_files_differ(file, content, expected):
    assert read_fasta(file(content)) == [Record("one", expected)]


def test_a_compressed_file(file):
    assert read_fasta(file(gzip.compress(b">one\nACGT\n"), "genomes.fasta.gz")) == [Record("one", "ACGU")]


@pytest.mark.parametrize("content, message", [
    ("", "is empty"),
    ("ACGU\n", "is not a readable FASTA file"),
    ("@one\nACGU\n+\nIIII\n", "is not a readable FASTA file"),  # FASTQ
    (">one\n>two\nACGU\n", r"record 1 \('one'\) has no sequence"),
    (">one\nACGU\n>two\nACXU\n", r"record 2 \('two'\) has 'X' at base 3"),
    (">one\nAC GU\n", "has ' ' at base 3"),
    (b">one\n\xff\xfe\n", "is not a readable FASTA file"),
])  # fmt: skip
def test_a_bad_file_is_named_and_so_is_the_fault(file, content, message):
    path = file(content)
    with pytest.raises(ValueError, match=message) as error:
        read_fasta(path)
    assert str(path) in str(error.value)


def test_a_compressed_file_that_was_cut_off(file):
    whole = gzip.compress(b">one\n" + b"ACGGT" * 4000 + b"\n")
    with pytest.raises(ValueError, match="is not a readable FASTA file"):
        read_fasta(file(whole[: len(whole) // 2], "cut.fasta.gz"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="must be a FASTA file"):
        read_fasta(tmp_path / "none.fasta")
    with pytest.raises(FileNotFoundError):
        read_fasta(tmp_path)


def test_simulated_genomes_come_back_from_a_file_as_they_were(tmp_path):
    genomes = [genome for genome in simulate().genomes if "-" not in genome.aligned][::7]
    write_fasta(tmp_path / "virus.fasta", [(genome.name, genome.sequence) for genome in genomes])
    again = labeled_genomes(read_fasta(tmp_path / "virus.fasta"))
    assert again == genomes and split_genomes(again) == split_genomes(genomes)


def test_names_that_do_not_say_what_a_genome_is_are_refused():
    with pytest.raises(ValueError, match="names such as 'variant.lineage.outbreak.sample', got 'EPI_1'"):
        labeled_genomes([("EPI_1", "ACGU")])
    with pytest.raises(ValueError, match="names such as"):
        labeled_genomes([("A||A.1.1|one", "ACGU")])
    with pytest.raises(ValueError, match="different names, got 'a.b.c.d' twice"):
        labeled_genomes([("a|b|c|d", "ACGU"), ("a|b|c|d", "ACGU")])
