"""What the claims compute is computed a second time: in NumPy, exact decimals, by hand, or by Hugging Face."""

from decimal import Decimal
from math import cos, pi, sin

import numpy as np
import pytest

from tutorial_lib.claims import check, claims

CLAIMS = {claim.id: claim for claim in claims()}

X = np.array(
    [
        [1.0, 0.2, 0.3, 0.1],
        [0.3, 0.9, 0.2, 0.4],
        [0.2, 0.1, 0.8, 0.3],
        [0.4, 0.3, 0.2, 0.9],
        [0.1, 0.7, 0.4, 0.2],
        [0.5, 0.2, 0.6, 0.3],
        [0.8, 0.1, 0.2, 0.5],
    ]
)
W_Q = np.arange(1, 17).reshape(4, 4) / 10
Q, K, V = X @ W_Q, X @ (W_Q + 0.1), X @ (W_Q + 0.2)
SCALED = ["2.716", "3.062", "4.615", "5.078", "3.446", "4.373", "2.839"]
EXPONENTIALS = [Decimal(z).exp() for z in SCALED]


def computed(id):
    return check(CLAIMS[id]).computed


def softmax(z):
    return np.exp(z) / np.exp(z).sum()


@pytest.mark.parametrize(
    ("id", "expected"),
    [
        ("R-5.4-q-painted", Q[3]),
        ("R-5.5-k-artist", K[2]),
        ("R-5.6-v-artist", V[2]),
        ("R-7.3-scores", Q[3] @ K.T),
        ("R-7.4-scaled", Q[3] @ K.T / 2),
        ("R-8.2-weights", softmax(Q[3] @ K.T / 2)),
        ("R-8.2-exponentials", EXPONENTIALS),
        ("R-8.2-sum-of-true-exponentials", sum(EXPONENTIALS)),
        ("R-8.2-softmax", [e / sum(EXPONENTIALS) for e in EXPONENTIALS]),
        ("R-7.1-e-10", Decimal(10).exp()),
        ("R-7.1-e-20", Decimal(20).exp()),
        ("R-3.4-longest-wavelength", 2 * pi * 10000 ** (510 / 512)),
        ("L-4.2-segment-distance", np.hypot(0.70 - 0.72 * -0.065, 0.72 * np.sqrt(1 - 0.065**2))),
    ],
)
def test_a_number_is_what_another_way_gives(id, expected):
    np.testing.assert_allclose(computed(id), np.array(expected, dtype=float), rtol=1e-7)


def test_the_notes_on_the_worked_example():
    scores = Q @ K.T
    weights = np.array([softmax(row / 2) for row in scores])
    assert len({tuple(np.argsort(-row)) for row in scores}) == 1, "every query gives the same order"
    np.testing.assert_allclose(weights[3] @ V, [1.6789, 1.8498, 2.0207, 2.1915], atol=5e-5)
    printed = np.array([0.0355, 0.0502, 0.2372, 0.3770, 0.0736, 0.1862, 0.0401])
    np.testing.assert_allclose(printed @ V, [1.577, 1.740, 1.902, 2.064], atol=5e-4)
    assert np.array([1.41, 1.53, 1.65, 1.77]) @ K[3] == pytest.approx(12.764, abs=5e-4)
    assert [np.linalg.matrix_rank(W_Q + step) for step in (0, 0.1, 0.2)] == [2, 2, 2]
    cosines = scores[3] / np.linalg.norm(K, axis=1) / np.linalg.norm(Q[3])
    assert cosines.min() > 0.99775 and cosines.argmax() == 4 and np.linalg.norm(K, axis=1).argmax() == 3
    assert softmax(scores[3]).max() == pytest.approx(0.868, abs=5e-4)
    off = np.array([15.130, 21.384, 101.019, 160.588, 31.346, 79.315, 17.087]) - np.array(EXPONENTIALS, dtype=float)
    assert (off > 0).sum() == 5 and abs(off).min() > 0.01 and abs(off).max() < 0.14


def test_the_plane_of_figure_2():
    values, vectors = np.linalg.eigh(np.cov(X.T))
    plane = (X - X.mean(0)) @ vectors[:, -2:]
    distance = np.linalg.norm(plane[:, None] - plane, axis=-1)
    assert values[-2:].sum() / values.sum() == pytest.approx(0.772, abs=5e-4)
    assert (distance[3].argsort()[1:3] == [6, 1]).all()
    assert (distance[np.triu_indices(7, 1)] < distance[3, 5]).sum() == 7, "the 8th closest of the 21 pairs"


def test_the_encoding_of_position_1():
    angles = [10000 ** (-2 * i / 6) for i in range(3)]
    np.testing.assert_allclose(computed("R-3.6-vector"), [f(a) for a in angles for f in (sin, cos)], atol=1e-6)


def test_the_formula_of_l_3_2_4_is_not_the_original_one():
    def encode(exponents):
        angles = np.arange(128)[:, None] / 10000.0**exponents
        return np.where(np.arange(512) % 2 == 0, np.sin(angles), np.cos(angles))

    def norms(PE):
        return np.linalg.norm(PE, axis=1)

    k = np.arange(512)
    printed, original = encode(2 * k / 512), encode(2 * (k // 2) / 512)
    assert np.ptp(norms(original)) < 1e-9 < 0.2 < np.ptp(norms(printed))
    assert (np.ptp(printed, axis=0) < 0.01).sum() > 256 > (np.ptp(original, axis=0) < 0.01).sum()


# --- Hugging Face's tokenizer --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hf_tokenizer(default_folder):
    from transformers import BertTokenizer

    return BertTokenizer.from_pretrained(default_folder)


LOVE, ALGEBRA = "I love mathematics!", "Linear algebra is at the core of machine learning"


@pytest.mark.parametrize(
    ("id", "texts", "field"),
    [
        ("R-11.4-ids", [LOVE], "input_ids"),
        ("R-11.4-mask", [LOVE], "attention_mask"),
        ("R-11.4-types", [LOVE], "token_type_ids"),
        ("R-11.5-ids", [LOVE, ALGEBRA], "input_ids"),
        ("R-11.5-mask", [LOVE, ALGEBRA], "attention_mask"),
        ("R-11.5-types", [LOVE, ALGEBRA], "token_type_ids"),
    ],
)
def test_hugging_face_prints_the_lists_of_r_11_with_20_entries(hf_tokenizer, id, texts, field):
    encoding = hf_tokenizer(*texts, max_length=20, padding="max_length", truncation=True, return_token_type_ids=True)
    assert computed(id) == encoding[field] and len(encoding[field]) == 20


@pytest.mark.parametrize(
    ("id", "text"),
    [
        ("R-2.1-learning", "learning"),
        ("R-3.3-order", "the cat is black"),
        ("R-11.3-tokens", LOVE),
        ("L-3.2.2-bearness", "bearness"),
        ("L-3.2.2-every-character", "🐻"),
    ],
)
def test_hugging_face_cuts_the_words_alike(hf_tokenizer, id, text):
    assert computed(id) == hf_tokenizer.tokenize(text)


@pytest.mark.parametrize(
    ("id", "text"),
    [("R-11.1-what-is-ai", "What is AI?"), ("R-11.1-how-does", "How does machine learning work?")],
)
def test_hugging_face_counts_the_same_tokens(hf_tokenizer, id, text):
    assert computed(id) == len(hf_tokenizer.tokenize(text))


def test_ids_beyond_the_vocabulary_have_no_token(hf_tokenizer):
    assert hf_tokenizer.convert_ids_to_tokens([len(hf_tokenizer)]) == [None]


def test_encode_plus_left_with_transformers_5(hf_tokenizer):
    import transformers

    assert hasattr(hf_tokenizer, "encode_plus") == (int(transformers.__version__.split(".")[0]) < 5)


def test_hidden_states_of_all_layers_come_only_when_asked_for(hf_bert):
    import torch

    assert hf_bert(torch.tensor([[101, 102]])).hidden_states is None


# --- Hugging Face's model ------------------------------------------------------------------------------------------


def parameters(model_class, config):
    import torch

    with torch.device("meta"):
        return {name: value.numel() for name, value in model_class(config).named_parameters()}


def test_the_parameter_counts_of_bert_base_cased():
    from transformers import BertConfig, BertModel

    counts = parameters(BertModel, BertConfig(vocab_size=28_996))

    def total(prefix):
        return sum(count for name, count in counts.items() if name.startswith(prefix))

    layer = "encoder.layer.0."
    assert computed("L-3.3.2-total") == total("")
    assert computed("L-3.3.2-layer") == [total(f"encoder.layer.{i}.") for i in range(12)]
    assert computed("L-3.3.2-attention") == total(layer + "attention.")
    assert computed("L-3.3.2-intermediate") == total(layer + "intermediate.")
    assert computed("L-3.3.2-output") == total(layer + "output.")
    assert computed("L-3.3.2-pooler") == total("pooler.")
    assert computed("L-3.3.2-attention-lines") == [n for name, n in counts.items() if name.startswith(layer + "att")]


def test_the_parameter_counts_of_r_2_2():
    from transformers import BertConfig, BertForPreTraining, DistilBertConfig, DistilBertModel

    assert computed("R-2.2-bert-parameters") == sum(parameters(BertForPreTraining, BertConfig()).values())
    assert computed("R-2.2-distilbert-parameters") == sum(parameters(DistilBertModel, DistilBertConfig()).values())


def test_the_file_size_that_l_3_3_2_implies_fits_the_known_one():
    """bert-base-uncased differs from bert-base-cased in its vocabulary only, and the size of its file is known."""
    from tutorial_lib.catalog import KNOWN

    cased = computed("L-3.3.2-megabytes") * 2**20
    uncased = cased + 4 * (30_522 - 28_996) * (768 + 1)  # a row of embeddings and an output bias for each token
    assert 0 < KNOWN["bert-base-uncased"].size - uncased < 100_000, "the rest is the file's header"


def test_one_residual_connection_is_right_and_two_are_not(hf_bert):
    import torch

    from tutorial_lib.claims.tools import bear_trace

    with torch.no_grad():
        layer, trace = hf_bert.encoder.layer[0].attention.output, bear_trace()
        E, update = trace["embeddings.output"], trace["layer.0.attention.output"]
        once = (layer.LayerNorm(E + update) - trace["layer.0.attention_norm"]).abs().max().item()
        twice = (layer.LayerNorm(E + E + update) - trace["layer.0.attention_norm"]).abs().max().item()
    assert once < 1e-5 and twice == pytest.approx(computed("L-3.2.1-residual"), abs=1e-4)


# --- When the model is there ---------------------------------------------------------------------------------------


@pytest.fixture
def cased_vocabulary(tmp_path, monkeypatch):
    """A vocabulary built by L 4.2.1's table and L 3.2.1's ids, standing in for bert-base-cased's."""
    from tutorial_lib.claims import claim, luisto_overview, luisto_vocabulary
    from tutorial_lib.claims.quotes import IDS, TOKENS
    from tutorial_lib.tokenization import WordPiece

    tokens = [f"[unused{i}]" for i in range(28_996)]
    tokens[0], tokens[100:104] = "[PAD]", ["[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokens[106:200] = [chr(code) for code in range(33, 127)]
    tokens[200:1103] = [chr(code) for code in range(0x4E00, 0x4E00 + 903)]
    tokens[1103:1106] = ["the", "of", "and"]
    for token, i in zip(TOKENS, IDS, strict=True):
        tokens[i] = "an" if i == 1126 else token
    (tmp_path / "vocab.txt").write_text("\n".join(tokens) + "\n", encoding="utf-8")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    tokenizer = WordPiece.from_pretrained(tmp_path)
    for module in (luisto_overview, luisto_vocabulary):
        monkeypatch.setattr(module, "tokenizer", lambda name: tokenizer)
    monkeypatch.setattr(claim, "_on_this_machine", lambda name: True)


@pytest.mark.parametrize(
    ("id", "verdict"),
    [
        ("L-3.2.1-tokens", "holds"),
        ("L-3.2.1-ids", "does not hold"),
        ("L-4.2.1-ids", "holds"),
        ("L-4.2.1-single-characters", "holds"),
        ("L-4.2.1-continuations", "does not hold"),
    ],
)
def test_with_a_cased_vocabulary_at_hand_the_claims_about_it_are_computed(cased_vocabulary, id, verdict):
    result = check(CLAIMS[id])
    assert result.verdict == verdict
    assert id != "L-3.2.1-ids" or result.computed[10] == 170
