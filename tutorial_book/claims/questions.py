"""L 2.2 and 5.2: pruning, and the premises of the open questions. The questions themselves print no numbers."""

import numpy as np

from tutorial_book.claims.claim import claims_of
from tutorial_book.claims.tools import bert, token_vectors, tokenizer
from tutorial_book.experiments.questions import prune
from tutorial_lib.bert import Bert
from tutorial_lib.geometry import average_cosine
from tutorial_lib.texts.generated import stories
from tutorial_lib.training.judge import judge_encoder

claim = claims_of("questions")


@claim("L-2.2-many", "Many of BERT's weights can be removed with very little effect (here, the smallest 30 % of "
       "book-bert's: what it loses on hidden tokens, beside what it loses with as many drawn at random).", True,
       expected=[True, True], note="0.08 nats; at random, 2.8. No training afterwards. L's 30 to 40 % is BERT's.")
def _():
    own, told = Bert.from_pretrained("book-bert", device="cpu").eval(), [one.sentences for one in stories(20, seed=1)]
    losses = [judge_encoder(model, tokenizer("book-bert"), told)["hidden"]
              for model in (own, prune(own, 0.3), prune(own, 0.3, seed=0))]
    return [losses[1] - losses[0] < 0.15, losses[2] - losses[0] > 1]


claim("L-5.2-not-around-zero",
      "The cosines between context-free embeddings do not average around zero: their mean is above 0.07.", True,
      lambda: average_cosine(bert("bert-base-cased").embeddings.tokens.weight.detach()) > 0.07, needs="bert-base-cased",
      note="L's Table 3 has a mean vector of length 0.5 and norms of about 1.3, which implies about 0.15. The default "
           "model has 0.02.")

claim("L-5.2-context-aware", "The cosines between context-aware embeddings do not average around zero (here, of the "
      "default model's tokens after layer 3: their mean is above 0.07).", True,
      lambda: average_cosine(np.concatenate(token_vectors(20))) > 0.07,
      note="0.19, part of it from outliers; 0.14 to 0.26 after the first five layers, 0.08 after the last. Random "
           "weights have 0.36. Before any layer the same tokens have 0.06, since words recur.")
