"""The models that were trained for this book: what they read, their shapes, how they were trained, and what was kept.

`make` trains one from nothing and writes it as Hugging Face would: the shipped folders in ``data/models`` are what it
wrote, copied. The texts are those of `texts.generated`. Sources: L 3.2.7, 3.3.3; N 2; A 2.1.
"""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from tutorial_lib import bert, gpt, model_cards
from tutorial_lib.saving import begin, save
from tutorial_lib.texts.generated import Story, stories
from tutorial_lib.tokenization import WordPiece
from tutorial_lib.tokenization.bpe import BPE, END
from tutorial_lib.tokenization.files import write_text
from tutorial_lib.training import Settings, evaluate_next_tokens_of, hidden_tokens, next_tokens_of, train

VOCABULARY = 1_500  # more than the stories' words, so nearly every word is one token
HELD_OUT = 1  # the seed of the stories that are kept for evaluation; the models read those of seed 0
N_HELD_OUT = 200
SHARE_WHOLE = 0.25  # of an encoder's steps: on parts of whole stories; the others are on short texts


@dataclass(frozen=True)
class Recipe:
    """How a model is made. The vocabulary's size in `config` is filled in from the tokenizer.

    config: of `gpt`, a decoder that learns next tokens, or of `bert`, an encoder that learns hidden tokens and pairs.
    n_stories: how many it reads, of seed 0. batch_size: stories in a step (encoders: pairs of parts of whole stories;
    three of four steps take twice as many pairs of two or three sentences in all). kept: after how many steps the
    weights are kept, besides the last ones (those before the first step are `new_model`'s). rate: the share of tokens
    that are hidden (encoders). std: the spread of the first weights. 0.02 is what BERT and GPT-2 have at d_model 768;
    narrow models learn sooner with more (1 / √d_model keeps a vector's length through a matrix).
    """

    config: gpt.Config | bert.Config
    settings: Settings
    n_stories: int = 20_000
    batch_size: int = 24
    kept: tuple[int, ...] = ()
    rate: float = 0.3
    std: float = 0.06

    @property
    def decodes(self) -> bool:
        return isinstance(self.config, gpt.Config)


_SHAPE = dict(vocab_size=VOCABULARY, d_model=128, n_layers=4, n_heads=4, d_ff=512, n_positions=128)
_SMALL = dict(vocab_size=VOCABULARY, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=128)
RECIPES = {
    "book-gpt": Recipe(gpt.Config(**_SHAPE), Settings(1_600, lr=4e-3, warmup=100), kept=(20, 100, 400)),
    "book-bert": Recipe(bert.Config(**_SHAPE), Settings(1_500, lr=3e-3, warmup=100, evaluate_every=100), kept=(200,)),
    "book-gpt-small": Recipe(
        gpt.Config(**_SMALL), Settings(500, lr=1.2e-2, warmup=30, evaluate_every=20), n_stories=3_000, batch_size=16
    ),
}


VIRUSES = ("book-virus", "book-virus-frames")  # made by another kind of recipe, in `genomics.recipe`


def recipe_of(name: str):
    """The recipe of this name: a `Recipe`, or the `VirusRecipe`. Raises ValueError with the names that there are.

    >>> recipe_of("book-gpt").config.d_model
    128
    """
    if name in VIRUSES:
        from tutorial_lib.genomics import recipe  # loads what only these need

        return recipe.VIRUSES[name]
    if name not in RECIPES:
        raise ValueError(f"name must be one of {', '.join([*RECIPES, *VIRUSES])}, got {name!r}")
    return RECIPES[name]


def new_model(recipe: Recipe, vocab_size: int):
    """The model of a recipe before its first step, with random weights: the same ones each time.

    >>> shipped = gpt.GPT.from_pretrained("book-gpt", device="cpu")
    >>> shipped.config == new_model(RECIPES["book-gpt"], shipped.config.vocab_size).config
    True
    """
    config = replace(recipe.config, vocab_size=vocab_size)
    torch.manual_seed(recipe.settings.seed)
    if not recipe.decodes:
        return bert.initialize(bert.Bert(config, mlm=True, nsp=True), recipe.std)
    return spread(gpt.GPT(config), recipe.std).eval()


@torch.no_grad()
def spread(model, std):
    """Give the weights of a new decoder another spread than GPT-2's 0.02, in proportion. Returns the model.

    Smaller models learn faster from larger weights: at d_model 128, from 0.06.

    >>> model = spread(gpt.GPT(gpt.Config(vocab_size=1000, d_model=64, n_layers=1, n_heads=2, d_ff=16)), 0.06)
    >>> abs(model.embeddings.tokens.weight.std() - 0.06) < 0.003
    tensor(True)
    """
    for weight in [parameter for parameter in model.parameters() if parameter.ndim == 2]:
        weight *= std / 0.02  # in proportion: less for what is added up in each layer
    return model


@dataclass(frozen=True)
class Prepared:
    """A recipe with its texts told: tokenizer, an untrained model, and the functions that `training.train` takes.

    told, others: the stories that it reads, and those that it is evaluated on. text, held_out: the ids of each of them,
    between two <|endoftext|> (decoders).
    """

    tokenizer: BPE | WordPiece
    model: gpt.GPT | bert.Bert
    loss: object
    evaluate: object
    told: list[Story]
    others: list[Story]
    text: list[list[int]] | None = None
    held_out: list[list[int]] | None = None


def prepare(recipe: Recipe) -> Prepared:
    """Tell the stories, learn the vocabulary, and set up a model with random weights (seed 0) and its loss.

    >>> ready = prepare(replace(RECIPES["book-gpt-small"], n_stories=50))
    >>> ready.tokenizer.decode(ready.text[0])[:37]
    '<|endoftext|>Grandpa and Tom were the'
    """
    told, others = stories(recipe.n_stories), stories(N_HELD_OUT, seed=HELD_OUT)
    kind = BPE if recipe.decodes else WordPiece
    tokenizer = kind.train([story.text for story in told], VOCABULARY)
    model, length = new_model(recipe, len(tokenizer)), recipe.config.n_positions
    if recipe.decodes:
        text, held_out = ([tokenizer.encode(END + story.text + END).ids for story in some] for some in (told, others))
        loss, same = next_tokens_of(text, recipe.batch_size), lambda model: evaluate_next_tokens_of(model, held_out)
        return Prepared(tokenizer, model, loss, same, told, others, text, held_out)
    read, kept = (parts_of(some) for some in (told, others))
    n = recipe.batch_size

    def pairs(documents, sizes=(2 * n, n)):
        settings = tokenizer, length
        return [hidden_tokens(d, *settings, size, recipe.rate) for d, size in zip(documents, sizes, strict=True)]

    short, whole = pairs(read)
    same = pairs(kept, (N_HELD_OUT // 2, N_HELD_OUT // 2))
    return Prepared(
        tokenizer,
        model,
        lambda model, rng: (whole if torch.rand((), generator=rng) < SHARE_WHOLE else short)(model, rng),
        lambda model: sum(loss(model, torch.Generator().manual_seed(0)) for loss in same) / 2,
        told,
        others,
    )


def parts_of(told) -> tuple[list[list[str]], list[list[str]]]:
    """What an encoder's pairs are cut from: every two or three sentences in a row, and the whole stories.

    A model finds out sooner from short texts that neighbors matter; BERT, too, was trained on short ones first.

    >>> short, whole = parts_of(stories(1))
    >>> len(whole[0]), len(short), short[0] == whole[0][:2]
    (8, 13, True)
    """
    whole = [story.sentences for story in told]
    return [text[i : i + n] for text in whole for n in (2, 3) for i in range(len(text) - n + 1)], whole


def make(name: str, folder, tell=None, recipe=None) -> dict:
    """Train the model of a recipe, and write it into folder/NAME, with its vocabulary, curve and card.

    The weights on the way go into folder/NAME-STEP. A run that was cut off goes on from its checkpoint, in
    folder/NAME-run. tell: called with a `training.Progress` after each step. recipe: another than that of this name.
    One thread, so that the same numbers come out again on the same kind of processor. Returns what curves.json holds.

    Raises ValueError for a name that is not known or a folder with a run of another recipe, OSError where the folder
    cannot be written or the disk is full: all before anything is trained.
    """
    recipe, folder, threads = recipe or recipe_of(name), Path(folder), torch.get_num_threads()
    if not isinstance(recipe, Recipe):
        from tutorial_lib.genomics.recipe import make_virus

        return make_virus(name, folder, tell, recipe)
    run = begin(folder, name, recipe)  # complains before the stories are told
    torch.set_num_threads(1)
    try:
        ready = prepare(recipe)

        def kept(progress):
            if progress.step in recipe.kept:
                save(ready.model, ready.tokenizer, folder / f"{name}-{progress.step}")
            if tell is not None:
                tell(progress)

        curve = train(ready.model, ready.loss, recipe.settings, run, ready.evaluate, kept)
        save(ready.model, ready.tokenizer, folder / name)
        model = type(ready.model).from_pretrained(folder / name, device="cpu")  # what was rounded is what is measured
        measured = _measured(model, ready)
    finally:
        torch.set_num_threads(threads)
    about = {**measured, **model_cards.rounded(curve)}
    write_text(folder / name / "curves.json", json.dumps(about) + "\n")
    write_text(folder / name / "README.md", model_cards.card(name, recipe, about, folder))
    return about


@torch.no_grad()
def _measured(model, ready):
    found = {"held_out": float(ready.evaluate(model))}
    if ready.text is None:
        short, whole = parts_of(ready.others)
        judged = {"short": short[::5], "whole": whole}
        return found | {name: model_cards.judge_encoder(model, ready.tokenizer, d) for name, d in judged.items()}
    found |= model_cards.baselines(ready.text, ready.held_out, len(ready.tokenizer))
    read = [story.text for story in ready.told]
    return found | {"samples": model_cards.judge(model, ready.tokenizer, read)}
