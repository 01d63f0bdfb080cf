"""BERT's parameters as Hugging Face's models have them, and its residual connections."""

import pytest
import torch

from tutorial_book.claims.tools import bear_trace
from tutorial_lib.weights.catalog import KNOWN


def parameters(model_class, config):
    with torch.device("meta"):
        return {name: value.numel() for name, value in model_class(config).named_parameters()}


def test_the_parameter_counts_of_bert_base_cased(computed):
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


def test_the_parameter_counts_of_r_2_2(computed):
    from transformers import BertConfig, BertForPreTraining, DistilBertConfig, DistilBertModel

    assert computed("R-2.2-bert-parameters") == sum(parameters(BertForPreTraining, BertConfig()).values())
    assert computed("R-2.2-distilbert-parameters") == sum(parameters(DistilBertModel, DistilBertConfig()).values())


def test_the_file_size_that_l_3_3_2_implies_fits_the_known_one(computed):
    """bert-base-uncased differs from bert-base-cased in its vocabulary only, and the size of its file is known."""
    cased = computed("L-3.3.2-megabytes") * 2**20
    uncased = cased + 4 * (30_522 - 28_996) * (768 + 1)  # a row of embeddings and an output bias for each token
    assert 0 < KNOWN["bert-base-uncased"].size - uncased < 100_000, "the rest is the file's header"


def test_one_residual_connection_is_right_and_two_are_not(computed, hf_bert):
    with torch.no_grad():
        layer, trace = hf_bert.encoder.layer[0].attention.output, bear_trace()
        E, update = trace["embeddings.output"], trace["layer.0.attention.output"]
        once = (layer.LayerNorm(E + update) - trace["layer.0.attention_norm"]).abs().max().item()
        twice = (layer.LayerNorm(E + E + update) - trace["layer.0.attention_norm"]).abs().max().item()
    assert once < 1e-5 and min(twice, computed("L-3.2.1-residual")) > 0.1


def test_the_shares_of_l_3_3_3_are_those_of_transformers_and_the_answer_is_the_word_itself(computed, default_folder):
    from transformers import BertTokenizer, DataCollatorForLanguageModeling

    tok = BertTokenizer.from_pretrained(default_folder)
    ids = torch.full((1, 200_000), tok.convert_tokens_to_ids("bear"))
    torch.manual_seed(0)
    inputs, labels = DataCollatorForLanguageModeling(tok).torch_mask_tokens(ids.clone())
    of_selected = inputs[labels != -100]
    masked, same = (of_selected == tok.mask_token_id).double().mean(), (of_selected == ids[0, 0]).double().mean()
    shares = len(of_selected) / ids.numel(), masked, 1 - masked - same, same
    assert computed("L-3.3.3-shares") == pytest.approx([100 * float(share) for share in shares], abs=0.8)
    assert (labels[labels != -100] == ids[0, 0]).all() and computed("L-3.3.3-guess-all")
