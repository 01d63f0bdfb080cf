"""Training: the loop and its checkpoints, training data, the book's recipes, judging, tuning, distillation."""

from tutorial_lib import late

__getattr__, __dir__, __all__ = late(__name__, {
    "loop": "CHECKPOINT Progress Settings evaluate_next_tokens evaluate_next_tokens_of hidden_tokens next_tokens "
    "next_tokens_of train translated",
})
