"""Distillation: a small encoder learns a larger one's predictions of each hidden token, as in DistilBERT.

Sources: Hinton et al. (2015); Sanh et al. (2019); R 2.2.
"""

from dataclasses import replace

import torch
from torch.nn import functional as F

from tutorial_lib.arguments import check_has, check_tensors, positive
from tutorial_lib.bert import Bert
from tutorial_lib.training.pretraining import IGNORE, make_pair, mask_tokens


def halved(teacher):
    """Return a student initialized as DistilBERT was: every second layer of its teacher, starting with the first.

    Tables and MLM head are also copied. Segments, pooler and the head for pairs are left out. Raises ValueError if the
    teacher has no MLM head. Source: Sanh et al. (2019), section 2.

    >>> student = halved(Bert.from_pretrained("book-bert", device="cpu"))
    >>> student.config.n_layers, student.embeddings.segments, student.pooler
    (2, None, None)
    """
    check_has("teacher", teacher, "a Bert with its MLM head", "mlm", "embeddings")
    if teacher.mlm is None:
        raise ValueError("teacher must have an MLM head (teacher.mlm), got a model without one")
    config = replace(teacher.config, n_layers=(teacher.config.n_layers + 1) // 2, n_segments=0)
    student = Bert(config, pooler=False, mlm=True)
    for part in ("tokens", "positions", "norm"):
        getattr(student.embeddings, part).load_state_dict(getattr(teacher.embeddings, part).state_dict())
    for ours, theirs in zip(student.layer, teacher.layer[::2], strict=True):
        ours.load_state_dict(theirs.state_dict())
    student.mlm.load_state_dict(teacher.mlm.state_dict())
    return student.to(teacher.embeddings.tokens.weight.device)


def soft_loss(student, teacher, T=1.0):
    """Return how far the student's probabilities are from the teacher's, in nats: T² · mean of sum p log(p / p').

    student, teacher: scores, (n, vocab_size); a softmax with temperature T turns them into p' and p. It is 0 if they
    agree. A high T gives weight to the teacher's small probabilities; T² keeps the gradient's size.
    Source: Hinton et al. (2015), section 2.

    >>> z = torch.tensor([[2.0, 0.0, 0.0]])
    >>> [round(soft_loss(student, z).item(), 3) for student in (z, torch.zeros(1, 3))]
    [0.0, 0.433]
    """
    check_tensors(student=student, teacher=teacher)
    positive("T", T)
    p = torch.softmax(teacher / T, dim=-1)
    return T**2 * F.kl_div(torch.log_softmax(student / T, dim=-1), p, reduction="batchmean")


def distilled(documents, tokenizer, teacher, length, batch_size, soft=1.0, T=2.0, rate=0.15):
    """Return a loss for `train`: soft · `soft_loss` + (1 - soft) · the usual loss of hidden tokens (MLM).

    soft=1: only the teacher's answers; soft=0: only the text's. documents, length, batch_size and rate are those of
    `training.hidden_tokens`. The teacher sees the same hidden tokens, and the same order of a pair. (DistilBERT adds a
    third term, for the cosine of the student's and the teacher's vectors.) Source: Sanh et al. (2019).
    """

    def loss(model, generator):
        pairs = [make_pair(documents, generator) for _ in range(batch_size)]
        batch = tokenizer.batch([pair.first for pair in pairs], [pair.second for pair in pairs], max_length=length)
        inputs, labels = mask_tokens(batch.ids, tokenizer, generator, rate)
        chosen = labels != IGNORE
        z = model.mlm(model(inputs, batch.attention_mask, fused=True)[chosen])  # (hidden tokens, vocab_size)
        hard = F.cross_entropy(z, labels[chosen].to(z.device))
        if not soft:
            return hard
        with torch.no_grad():
            X = teacher(inputs, batch.attention_mask, batch.token_type_ids, fused=True)
            answers = teacher.mlm(X[chosen])
        return soft * soft_loss(z, answers, T) + (1 - soft) * hard

    return loss
