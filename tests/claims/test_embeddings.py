"""What R 11.6 says of Hugging Face's output, asked of Hugging Face."""

import torch


def test_hidden_states_of_all_layers_come_only_when_asked_for(hf_bert):
    assert hf_bert(torch.tensor([[101, 102]])).hidden_states is None
