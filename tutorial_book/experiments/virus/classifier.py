"""A small BERT with a head that recognizes a virus's variants by their k-mers. Source: L 3.3.1, 3.3.3; G."""

import json
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from tutorial_book.experiments.virus.simulator import sequenced
from tutorial_book.experiments.virus.words import K, kmer_ids
from tutorial_lib.atomic import write_text
from tutorial_lib.attention import padded
from tutorial_lib.bert import Bert
from tutorial_lib.training.save import spelled, stored
from tutorial_lib.weights import checkpoints


class VariantBert(nn.Module):
    """A BERT with a linear head on the pooler's output, one score for each variant: logits (B, n_variants).

    In files it is transformers' `BertForSequenceClassification`.

    >>> from tutorial_lib.bert import Config
    >>> bert = Bert(Config(vocab_size=69, d_model=8, n_layers=1, n_heads=2, d_ff=16))
    >>> VariantBert(bert, ["Ash", "Birch"])([[2, 6, 16, 3]]).shape
    torch.Size([1, 2])
    """

    def __init__(self, bert, variants):
        super().__init__()
        self.bert, self.variants = bert, list(variants)
        self.head = nn.Linear(bert.config.d_model, len(self.variants))

    def forward(self, ids, attention_mask=None, fused=False):
        X = self.bert(ids, attention_mask, fused=fused)  # (B, n, d_model)
        return self.head(self.bert.pooler(X))  # (B, n_variants)

    @classmethod
    def from_pretrained(cls, name="book-virus", device="auto"):
        """Load a trained model by name or folder. Raises `ModelNotAvailable`, or ValueError if it lacks the head."""
        device = checkpoints.pick_device(device)
        settings, state = checkpoints.read(name)
        if "classifier.weight" not in state:
            raise ValueError(f"name must be a model with a classifier, got {name!r}, which has none")
        names = [settings["id2label"][str(i)] for i in range(len(state["classifier.bias"]))]
        model = cls(Bert.from_checkpoint(settings, state), names)
        model.head.load_state_dict({"weight": state["classifier.weight"], "bias": state["classifier.bias"]})
        return model.eval().to(device)

    def save(self, tokenizer, folder) -> None:
        """Write it with its tokenizer in transformers' format, in half precision (float16)."""
        settings, state = spelled(self.bert)
        labels = {str(i): name for i, name in enumerate(self.variants)}
        settings |= {"architectures": ["BertForSequenceClassification"], "id2label": labels,
                     "label2id": {name: int(i) for i, name in labels.items()}}  # fmt: skip
        state |= {f"classifier.{name}": p.detach() for name, p in self.head.named_parameters()}
        Path(folder).mkdir(parents=True, exist_ok=True)
        tokenizer.save(folder)
        write_text(Path(folder) / "config.json", json.dumps(settings, indent=2) + "\n")
        checkpoints.write(Path(folder) / "model.safetensors", stored(state, torch.float16), {"format": "pt"})


def variant_loss(genomes, tokenizer, k=K, batch_size=32, n_frames=1, **noise):
    """Return a loss for `training.train`: the variant's cross-entropy, over random genomes, each sequenced again.

    So no two batches contain the same errors. n_frames: the first k-mer begins at one of this many bases, at random.
    noise: as for `sequenced`.
    """
    labels = None

    def loss(model, generator):
        nonlocal labels
        if labels is None:
            labels = torch.tensor([model.variants.index(genome.variant) for genome in genomes])
        drawn = torch.randint(len(genomes), (batch_size,), generator=generator)
        rng = np.random.default_rng(int(torch.randint(2**31, (), generator=generator)))
        texts = [sequenced(genomes[i].sequence, rng, **noise)[int(rng.integers(n_frames)) :] for i in drawn]
        logits = model(*padded(kmer_ids(texts, tokenizer, k, model.bert.config.n_positions)), fused=True)
        return F.cross_entropy(logits, labels[drawn].to(logits.device))

    return loss


@torch.no_grad()
def probabilities(model, sequences, tokenizer, k=K, batch_size=48) -> np.ndarray:
    """Return the probability of each variant, for each sequence: (n, n_variants), rows that sum to 1."""
    ids = kmer_ids(sequences, tokenizer, k, model.bert.config.n_positions)
    batches = [ids[i : i + batch_size] for i in range(0, len(ids), batch_size)]
    return torch.cat([model(*padded(batch), fused=True).softmax(-1) for batch in batches]).cpu().numpy()


@torch.no_grad()
def unread_drops(model, ids, tokenizer) -> np.ndarray:
    """Return how much log p of the likeliest variant falls with each k-mer replaced by [UNK]: (n,), in nats.

    ids: of one sequence, including [CLS] and [SEP], which stay, with a drop of 0.
    """
    ids = torch.as_tensor(ids)
    rows = ids.repeat(len(ids), 1)  # (n, n)
    rows[range(1, len(ids) - 1), range(1, len(ids) - 1)] = tokenizer.vocab["[UNK]"]
    log_p = torch.cat([model(part, fused=True).log_softmax(-1) for part in rows.split(48)])  # (n, n_variants)
    best = log_p[0].argmax()  # row 0 is the unchanged sequence
    return (log_p[0, best] - log_p[:, best]).cpu().numpy()
