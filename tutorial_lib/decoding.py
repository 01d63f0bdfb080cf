"""Text from left to right: what a decoder learns from one sentence. Source: L 3.2.7."""


def training_pairs(tokens):
    """Every prefix of a text with the token that comes next: [(prefix, token), ...], one pair for each token.

    Raises ValueError where there is no token to predict, TypeError where a text comes uncut.

    >>> training_pairs(["Karhut", "ovat"])
    [([], 'Karhut'), (['Karhut'], 'ovat')]
    """
    if isinstance(tokens, (str, bytes)):
        got = f"{type(tokens).__name__}, {tokens!r:.40}"
        raise TypeError(f"tokens must be a list of tokens, got one {got}; cut it first")
    if len(tokens) == 0:
        raise ValueError("tokens must hold at least one token to predict, got none")
    return [(list(tokens[:i]), token) for i, token in enumerate(tokens)]
