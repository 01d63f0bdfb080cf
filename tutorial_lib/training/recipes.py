"""The models trained for this book: their training texts, their shapes, how they were trained, and what was kept.

A recipe trains its model from scratch and writes it in Hugging Face's format: the shipped folders in weights/models are
copies of what `Recipe.make` wrote. The texts come from `texts.generated`. Sources: L 3.2.7, 3.3.3; N 2; A 2.1.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch

from tutorial_lib import bert, gpt
from tutorial_lib.arguments import check_has, check_path, positive
from tutorial_lib.atomic import write_text
from tutorial_lib.texts.generated import Story, stories
from tutorial_lib.tokenization import BPE, WordPiece
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.training import judge
from tutorial_lib.training.card import lines_of_decoder, lines_of_encoder, story_card
from tutorial_lib.training.loop import Settings, evaluate_next_tokens_of, hidden_tokens, next_tokens_of, train
from tutorial_lib.training.save import begin, save

VOCABULARY = 1_500  # larger than the stories' vocabulary, so nearly every word is one token
HELD_OUT = 1  # the seed of the evaluation stories; the models read those of seed 0
N_HELD_OUT = 200
SHARE_WHOLE = 0.25  # of an encoder's steps: on parts of whole stories; the others are on short texts


@dataclass(frozen=True)
class Prepared:
    """A recipe with its texts: tokenizer, an untrained model, and the functions that `training.train` takes.

    told, others: the stories that it reads, and those that it is evaluated on. text, held_out: the ids of each of them,
    between two <|endoftext|> (decoders).
    """

    tokenizer: BPE | WordPiece
    model: torch.nn.Module
    loss: Callable
    evaluate: Callable
    told: list
    others: list
    text: list[list[int]] | None = None
    held_out: list[list[int]] | None = None


@dataclass(frozen=True)
class Recipe:
    """How a model is made: the common part of all recipes. Subclasses say how it is prepared, measured and described.

    config: the vocabulary's size in it is filled in from the tokenizer. kept: after how many steps the weights are
    kept, besides the last ones. std: the standard deviation of the initial weights. BERT and GPT-2 have 0.02 at d_model
    768; narrow models learn faster with more (1 / √d_model keeps a vector's length through a matrix).
    """

    config: gpt.Config | bert.Config
    settings: Settings
    kept: tuple[int, ...] = ()
    std: float = 0.06

    def make(self, name: str, folder, tell=None) -> dict:
        """Train the model, and write it into folder/NAME, with its vocabulary, curve and card.

        Intermediate weights go into folder/NAME-STEP. An interrupted run continues from its checkpoint, in
        folder/NAME-run. tell: called with a `training.Progress` after each step. It runs on one thread, so that the
        results are identical on the same kind of processor. Returns the content of curves.json.

        Raises ValueError for a folder with a run of another recipe, OSError if the folder cannot be written or the disk
        is full, before any training.
        """
        folder = check_path("folder", folder)
        threads = torch.get_num_threads()
        run = begin(folder, name, self)  # fails before the stories are generated
        torch.set_num_threads(1)
        try:
            ready = self.prepare()

            def keep(progress):
                if progress.step in self.kept:
                    self.save(ready.model, ready.tokenizer, folder / f"{name}-{progress.step}")
                if tell is not None:
                    tell(progress)

            curve = train(ready.model, ready.loss, self.settings, run, ready.evaluate, keep)
            self.save(ready.model, ready.tokenizer, folder / name)
            model = type(ready.model).from_pretrained(folder / name, device="cpu")  # measure the rounded weights
            with torch.no_grad():
                measured = {"held_out": float(ready.evaluate(model)), **self.measured(model, ready)}
        finally:
            torch.set_num_threads(threads)
        about = rounded(measured | curve)
        write_text(folder / name / "curves.json", json.dumps(about) + "\n")
        write_text(folder / name / "README.md", self.card(name, about, folder))
        return about

    def save(self, model, tokenizer, folder) -> None:
        """Write the model with its tokenizer, in half precision."""
        save(model, tokenizer, folder, torch.float16)


@dataclass(frozen=True)
class StoryRecipe(Recipe):
    """How a model that reads stories is made. n_stories: how many, of seed 0."""

    n_stories: int = 20_000
    batch_size: int = 24

    def told(self) -> tuple[list[Story], list[Story]]:
        """Return the stories that it reads, and those that it is evaluated on."""
        return stories(self.n_stories), stories(N_HELD_OUT, seed=HELD_OUT)

    def card(self, name, about, folder) -> str:
        """Return the README.md; about: the content of curves.json."""
        return story_card(name, self, about, folder)


@dataclass(frozen=True)
class DecoderRecipe(StoryRecipe):
    """A decoder that learns next tokens. batch_size: stories in a step."""

    kind = "decoder of GPT-2's kind"
    vocabulary = "byte-level BPE"
    added = ""
    measured_lines = staticmethod(lines_of_decoder)

    @property
    def batch(self) -> str:
        return f"{self.batch_size} stories"

    def new_model(self, vocab_size) -> gpt.GPT:
        """Return the model before its first step, with random weights: the same ones each time.

        >>> shipped = gpt.GPT.from_pretrained("book-gpt", device="cpu")
        >>> shipped.config == RECIPES["book-gpt"].new_model(shipped.config.vocab_size).config
        True
        """
        torch.manual_seed(self.settings.seed)
        return spread(gpt.GPT(replace(self.config, vocab_size=vocab_size)), self.std).eval()

    def prepare(self) -> Prepared:
        """Generate the stories, learn the vocabulary, and set up a model with random weights and its loss.

        >>> ready = replace(RECIPES["book-gpt-small"], n_stories=50).prepare()
        >>> ready.tokenizer.decode(ready.text[0])[:37]
        '<|endoftext|>Grandpa and Tom were the'
        """
        told, others = self.told()
        tokenizer = BPE.train([story.text for story in told], VOCABULARY)
        text = [tokenizer.encode(END + story.text + END).ids for story in told]
        held_out = [tokenizer.encode(END + story.text + END).ids for story in others]
        loss = next_tokens_of(text, self.batch_size)
        evaluate = partial(evaluate_next_tokens_of, texts=held_out)
        return Prepared(tokenizer, self.new_model(len(tokenizer)), loss, evaluate, told, others, text, held_out)

    def measured(self, model, ready) -> dict:
        """Measure the loss of counting, and judge the model's stories."""
        read = [story.text for story in ready.told]
        counted = judge.baselines(ready.text, ready.held_out, len(ready.tokenizer))
        return counted | {"samples": judge.judge(model, ready.tokenizer, read)}


@dataclass(frozen=True)
class EncoderRecipe(StoryRecipe):
    """An encoder that learns hidden tokens and pairs. rate: the share of tokens that are hidden.

    batch_size: pairs of parts of whole stories in a step; three of four steps take twice as many pairs of two or three
    sentences in all.
    """

    rate: float = 0.3

    kind = "encoder of BERT's kind, with its two heads (MLM, NSP)"
    vocabulary = "WordPiece, lower case"
    added = " (hidden tokens and pairs, added)"
    measured_lines = staticmethod(lines_of_encoder)

    @property
    def batch(self) -> str:
        n = self.batch_size
        return f"{n} pairs of whole stories' parts or {2 * n} short ones, {self.rate:.0%} of their tokens hidden"

    def new_model(self, vocab_size) -> bert.Bert:
        """Return the model before its first step, with random weights: the same ones each time."""
        torch.manual_seed(self.settings.seed)
        return bert.initialize(bert.Bert(replace(self.config, vocab_size=vocab_size), mlm=True, nsp=True), self.std)

    def prepare(self) -> Prepared:
        """Generate the stories, learn the vocabulary, and set up a model with random weights and its loss."""
        told, others = self.told()
        tokenizer = WordPiece.train([story.text for story in told], VOCABULARY)

        def pairs(documents, size):
            return hidden_tokens(documents, tokenizer, self.config.n_positions, size, self.rate)

        short, whole = parts_of(told)
        of_short = pairs(short, 2 * self.batch_size)
        of_whole = pairs(whole, self.batch_size)
        judged = [pairs(documents, N_HELD_OUT // 2) for documents in parts_of(others)]

        def loss(model, generator):
            chosen = of_whole if torch.rand((), generator=generator) < SHARE_WHOLE else of_short
            return chosen(model, generator)

        def evaluate(model):
            return sum(one(model, torch.Generator().manual_seed(0)) for one in judged) / len(judged)

        return Prepared(tokenizer, self.new_model(len(tokenizer)), loss, evaluate, told, others)

    def measured(self, model, ready) -> dict:
        """Measure loss and share of right guesses, of hidden tokens and pairs, of short texts and whole ones."""
        short, whole = parts_of(ready.others)
        judged = {"short": short[::5], "whole": whole}
        return {name: judge.judge_encoder(model, ready.tokenizer, documents) for name, documents in judged.items()}


_SHAPE = dict(vocab_size=VOCABULARY, d_model=128, n_layers=4, n_heads=4, d_ff=512, n_positions=128)
_SMALL = dict(vocab_size=VOCABULARY, d_model=64, n_layers=2, n_heads=4, d_ff=256, n_positions=128)
RECIPES = {
    "book-gpt": DecoderRecipe(gpt.Config(**_SHAPE), Settings(1_600, lr=4e-3, warmup=100), kept=(20, 100, 400)),
    "book-bert": EncoderRecipe(
        bert.Config(**_SHAPE), Settings(1_500, lr=3e-3, warmup=100, evaluate_every=100), kept=(200,)
    ),
    "book-gpt-small": DecoderRecipe(
        gpt.Config(**_SMALL), Settings(500, lr=1.2e-2, warmup=30, evaluate_every=20), n_stories=3_000, batch_size=16
    ),
}


def parts_of(told) -> tuple[list[list[str]], list[list[str]]]:
    """Return the documents for an encoder's pairs: every two or three consecutive sentences, and the whole stories.

    From short texts, a model learns earlier that neighbors matter; BERT, too, was trained on short ones first.

    >>> short, whole = parts_of(stories(1))
    >>> len(whole[0]), len(short), short[0] == whole[0][:2]
    (8, 13, True)
    """
    check_has("told", told, "a list of stories", "__len__")
    whole = [story.sentences for story in told]
    return [text[i : i + n] for text in whole for n in (2, 3) for i in range(len(text) - n + 1)], whole


@torch.no_grad()
def spread(model, std):
    """Rescale the weights of a new decoder from GPT-2's standard deviation of 0.02. Returns the model.

    Smaller models learn faster from larger weights: at d_model 128, from 0.06.

    >>> model = spread(gpt.GPT(gpt.Config(vocab_size=1000, d_model=64, n_layers=1, n_heads=2, d_ff=16)), 0.06)
    >>> abs(model.embeddings.tokens.weight.std() - 0.06) < 0.003
    tensor(True)
    """
    check_has("model", model, "a model", "parameters")
    positive("std", std)
    for weight in [parameter for parameter in model.parameters() if parameter.ndim == 2]:
        weight *= std / 0.02  # smaller in proportion for weights whose outputs are summed over the layers
    return model


def rounded(value):
    """Round a number, or a dictionary or list of numbers, to four places.

    >>> rounded({"loss": [1.23456, 1.0]})
    {'loss': [1.2346, 1.0]}
    """
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return [rounded(one) for one in value] if isinstance(value, list) else round(value, 4)
