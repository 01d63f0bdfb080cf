"""Genomes from FASTA files, real ones or simulated: `dnaio` reads the format, this module checks the result."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from tutorial_book.experiments.virus.simulator import Genome
from tutorial_lib.arguments import needed
from tutorial_lib.atomic import write_text

LETTERS = "ACGURYSWKMBDHVN"  # bases, and IUPAC's codes of uncertain bases


class Record(NamedTuple):
    """A sequence of a FASTA file: the text after ">", and the RNA, in capital letters, U for T."""

    name: str
    sequence: str


def read_fasta(path) -> list[Record]:
    """Return the sequences of a FASTA file, plain or compressed (.gz): as RNA in capital letters, with U for T.

    Lower case (which marks repeats in some files) becomes upper case, and gaps of an alignment ("-") are removed;
    IUPAC's codes stay. Raises FileNotFoundError, and ValueError that names the file and the record if the file is empty
    or malformed, or if a record has no letters or a letter that is not one of IUPAC's.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "two.fasta")
    >>> write_fasta(path, [("one", "ACGU"), ("two", "ggtn")])
    >>> read_fasta(path)
    [Record(name='one', sequence='ACGU'), Record(name='two', sequence='GGUN')]
    """
    with needed("dnaio", "reading FASTA"):
        import dnaio

    path = Path(os.fspath(path)).expanduser()
    if not path.is_file():
        raise FileNotFoundError(f"path must be a FASTA file, got {path}, which does not exist")
    try:
        with dnaio.open(path, fileformat="fasta") as file:
            records = [Record(record.name, _rna(record.sequence)) for record in file]
    except (dnaio.FileFormatError, UnicodeDecodeError, EOFError, OSError, ValueError) as error:
        raise ValueError(f"{path} is not a readable FASTA file: {error}") from error
    if not records:
        raise ValueError(f"{path} must have a line that begins with > for each sequence, got none")
    for number, record in enumerate(records, 1):
        which = f"{path}, record {number} ({record.name!r:.40})"
        if not record.sequence:
            raise ValueError(f"{which} must have a sequence")
        if strange := re.search(f"[^{LETTERS}]", record.sequence):
            where = f"{strange[0]!r} at base {strange.start() + 1}"
            raise ValueError(f"{which} must have only letters of {LETTERS}, or T, got {where}")
    return records


def write_fasta(path, records, width=70) -> None:
    """Write (name, sequence) pairs as a FASTA file, in lines of a fixed number of bases."""
    lines = []
    for name, sequence in records:
        lines += [f">{name}", *(sequence[i : i + width] for i in range(0, len(sequence), width))]
    write_text(Path(path), "\n".join(lines) + "\n")


def labeled_genomes(records) -> list[Genome]:
    """Return genomes from records with names such as "Ash|Ash.1|Ash.1.1|sample 1": variant, lineage, outbreak, sample.

    So real genomes can be used wherever simulated ones can: `split_genomes`, `read_genomes`, `variant_loss`. Raises
    ValueError for a name of another form, or a repeated one.

    >>> labeled_genomes([("A|A.1|A.1.1|one", "ACGU")])
    [Genome(name='A|A.1|A.1.1|one', variant='A', lineage='A.1', outbreak='A.1.1', aligned='ACGU')]
    """
    genomes = {}
    for name, sequence in records:
        parts = name.split("|")
        if len(parts) != 4 or not all(parts):
            raise ValueError(f"records must have names such as 'variant|lineage|outbreak|sample', got {name!r:.60}")
        if name in genomes:
            raise ValueError(f"records must have different names, got {name!r:.60} twice")
        genomes[name] = Genome(name, *parts[:3], sequence)
    return list(genomes.values())


def _rna(sequence):
    return sequence.upper().replace("-", "").replace("T", "U")
