"""A 3.3: the decoders that A looks at, by their sizes, recomputed."""

from tutorial_book.claims.claim import ROUND, claims_of
from tutorial_book.claims.tools import count, published_decoder

claim = claims_of("architectures")

claim("A-3.3-opt-125m", "OPT has 125M parameters in its smallest size.", 125e6,
      lambda: count(published_decoder("opt-125m")), tolerance=ROUND)

claim("A-3.3-opt-13b", "OPT has 13B parameters in the largest size that is looked at.", 13e9,
      lambda: count(published_decoder("opt-13b")), tolerance=ROUND)
