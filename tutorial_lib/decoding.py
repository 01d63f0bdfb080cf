"""Text from left to right: what a decoder learns from one sentence. Its mask is `attention.causal_mask`. L 3.2.7."""

def training_pairs(tokens):
    """Every prefix of a text with the token that comes next: [(prefix, token), ...], one pair for each token.

    Raises ValueError where there is no token to predict, or a text comes uncut.

    >>> training_pairs(["Karhut", "ovat"])
    [([], 'Karhut'), (['Karhut'], 'ovat')]
    """
    if isinstance(tokens, str) or not len(tokens):
        raise ValueError(f"tokens must be a list of one token or more to predict, got {tokens!r:.40}")
    return [(list(tokens[:i]), token) for i, token in enumerate(tokens)]
