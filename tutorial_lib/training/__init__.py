"""Training: the loop and its checkpoints, what is learned from, the book's recipes, judging, tuning, distillation."""

from tutorial_lib.training.loop import (
    CHECKPOINT,
    Progress,
    Settings,
    evaluate_next_tokens,
    evaluate_next_tokens_of,
    hidden_tokens,
    next_tokens,
    next_tokens_of,
    train,
    translated,
)

__all__ = [
    "CHECKPOINT", "Progress", "Settings", "evaluate_next_tokens", "evaluate_next_tokens_of", "hidden_tokens",
    "next_tokens", "next_tokens_of", "train", "translated",
]
