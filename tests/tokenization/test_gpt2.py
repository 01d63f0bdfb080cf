"""GPT-2's own vocabulary, read from a package's files: our ids are Hugging Face's, and those that are known."""

import shutil

import pytest

from tutorial_lib import weights
from tutorial_lib.tokenization import BPE, tokenizer_of
from tutorial_lib.tokenization.bpe import END
from tutorial_lib.tokenization.saved import OF_OPENAI

NEXT = {" next": [1306], "next": [19545], " Next": [7406], "Next": [10019], " NEXT": [39726], "NEXT": [45, 13918]}


@pytest.fixture(scope="module")
def gpt2(gpt2_folder):
    return BPE.from_pretrained("gpt2")


@pytest.fixture(scope="module")
def hf_gpt2(gpt2_folder, tmp_path_factory):
    """Hugging Face's tokenizer from the same two files, under the names that it knows."""
    from transformers import GPT2TokenizerFast

    folder = tmp_path_factory.mktemp("gpt2")
    names = ("vocab.json", "merges.txt")
    places = [gpt2_folder / name for name in (OF_OPENAI if (gpt2_folder / OF_OPENAI[1]).is_file() else names)]
    for place, name in zip(places, names, strict=True):
        shutil.copy(place, folder / name)
    return GPT2TokenizerFast.from_pretrained(folder)


def test_vocabulary_has_the_published_size(gpt2):
    assert len(gpt2) == 50_257 and len(gpt2.merges) == 50_000
    assert gpt2.vocab[END] == 50_256 and type(tokenizer_of("gpt2")) is BPE


@pytest.mark.parametrize(("text", "ids"), NEXT.items())
def test_forms_of_next_have_the_known_ids(gpt2, text, ids):
    assert gpt2.encode(text).ids == ids


def test_ids_equal_hugging_faces(gpt2, hf_gpt2, strings):
    texts = [*strings[:4000], *lines_of_the_book()]
    theirs = hf_gpt2(texts)["input_ids"]
    assert [text for text, row in zip(texts, theirs, strict=True) if gpt2.encode(text).ids != row] == []
    assert all(gpt2.decode(row) == text for text, row in zip(texts, theirs, strict=True))


def lines_of_the_book():
    from tutorial_lib.texts import load_texts

    return [*load_texts("documents"), *load_texts("stories"), " SolidGoldMagikarp", "SolidGoldMagikarp", *NEXT]


def test_folder_with_openais_file_names_loads(tmp_path):
    """Files with the names of GPT-2's authors, of any vocabulary; damage is reported with the same name."""
    tok = BPE.train(["the bear sat", "the bear ran"], vocab_size=264)
    tok.save(tmp_path)
    for name, first in zip(("vocab.json", "merges.txt"), OF_OPENAI, strict=True):
        (tmp_path / name).rename(tmp_path / first)
    assert BPE.from_pretrained(tmp_path).merges == tok.merges
    assert tokenizer_of(tmp_path).tokens == tok.tokens
    (tmp_path / "encoder.json").unlink()
    with pytest.raises(ValueError, match="has no encoder.json"):
        BPE.from_pretrained(tmp_path)


def test_weights_are_not_taken_to_be_there(gpt2_folder):
    assert "gpt2" in weights.available() or not list(gpt2_folder.glob("*.safetensors"))
