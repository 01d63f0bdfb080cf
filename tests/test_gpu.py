"""The same parity on a GPU, where one is at hand."""

import pytest
import torch
from transformers import BertModel

from tutorial_lib.bert import Bert
from tutorial_lib.parity import compare

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device here")

BATCH = {
    "ids": torch.tensor([[101, 1996, 4562, 102, 2293, 5597, 102], [101, 7592, 102, 2088, 102, 0, 0]]),
    "attention_mask": torch.tensor([[1] * 7, [1] * 5 + [0] * 2]),
    "token_type_ids": torch.tensor([[0] * 4 + [1] * 3, [0] * 3 + [1] * 2 + [0] * 2]),
}


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_the_default_model_agrees_at_every_stop_on_a_gpu(default_folder, monkeypatch, dtype):
    monkeypatch.setattr(torch.backends.cuda.matmul, "allow_tf32", False)
    theirs = BertModel.from_pretrained(default_folder, attn_implementation="eager").eval().to("cuda", dtype)
    ours = Bert.from_hf(theirs)
    assert ours.embeddings.tokens.weight.is_cuda
    compare(ours, theirs, BATCH).check()


def test_auto_puts_the_model_on_the_gpu():
    assert Bert.from_pretrained().embeddings.tokens.weight.is_cuda
