"""The dependency tree of a sentence of the generated stories, by rules for just these sentences.

The convention is SUD's (Gerdes et al. 2018): the head of a word is the word that it depends on to be used. The head of
a noun is its preposition, of a clause its conjunction such as "because", of a predicate a form of "be" or "can", and of
an infinitive "to". Of two words joined by "and" the second depends on the first, and "and" on the second.
"""

from tutorial_lib.texts.grammar import grammar

NOMINAL = ("noun", "name", "pronoun")
DEGREES = ("very", "so", "really", "too")
MODALS = ("can", "could", "do", "does", "did", "not")
OF_A_NOUN = ("near", "against")  # a house near the lake, a race against Tom


def story_heads(words) -> list[int]:
    """Return the number of each word's head in a story's sentence, -1 for the root; marks are not counted.

    words: the `Word` objects of one sentence of `texts.generated`, including its marks.

    >>> from tutorial_lib.texts.generated import stories
    >>> from tutorial_lib.texts.marked import sentences_of
    >>> sentence = sentences_of(stories(1)[0])[1]
    >>> sentence.text, story_heads(sentence.words)
    ('Tom had a puzzle.', [1, -1, 3, 1])
    """
    return _Reader(words).heads


class _Reader:
    """Heads are set once, the surest first: inside noun phrases, between verbs, then all that is left."""

    def __init__(self, words):
        kept = [i for i, word in enumerate(words) if word.pos != "punctuation"]
        self.text = [words[i].text.lower() for i in kept]
        self.pos = [words[i].pos for i in kept]
        self.after_mark = [i > 0 and words[i - 1].text in ',!"' for i in kept]
        self.n = len(kept)
        self.heads = [None] * self.n
        self.starts = list(range(self.n))  # of a noun that is the head of a noun phrase
        self._noun_phrases()
        self._infinitives()
        self._joined()
        self._clauses()
        self._rest()

    def _noun_phrases(self):
        for i in reversed(range(self.n - 1)):
            if self.pos[i] in ("determiner", "adjective"):
                head = i + 1 if self.pos[i + 1] == "noun" else self.heads[i + 1]
                inside = self.pos[i + 1] in ("determiner", "adjective", "noun") and head is not None
                if inside and self.pos[head] == "noun":
                    self.heads[i] = head
                    self.starts[head] = i
                elif self.pos[i] == "determiner" or self.pos[i + 1] == "adverb" and self.text[i] == "little":
                    self.heads[i] = i + 1  # on its own; a little later

    def _infinitives(self):
        for i in range(1, self.n):
            if self.pos[i] == "verb" and self.text[i - 1] in ("to", *MODALS):
                self.heads[i] = i - 2 if self.text[i - 1] == "not" else i - 1

    def _joined(self):
        """Join names, nouns, adjectives and adverbs with "and" or "but" between them, unless a clause begins."""
        for i in range(1, self.n - 1):
            if self.text[i] not in ("and", "but") or self.after_mark[i]:
                continue
            second = i + 1
            if self.heads[second] is not None and self.pos[self.heads[second]] == "noun":
                second = self.heads[second]
            kinds = {self.pos[i - 1], self.pos[second]}
            if kinds <= set(NOMINAL) or kinds in ({"adjective"}, {"adverb"}):
                self.heads[i] = second
                self.heads[second] = i - 1

    def _clauses(self):
        """Attach each finite verb to the one before it, or to the conjunction of its clause."""
        finite = [i for i in range(self.n) if self.pos[i] == "verb" and self.heads[i] is None]
        if self.text[finite[0] : finite[0] + 2] == ["thank", "you"]:  # it is direct speech
            self.heads[finite[0]] = finite[1]
            finite = finite[1:]
        self.heads[finite[0]] = -1
        self.main = {finite[0]: finite[0]}  # the verb that "and" would continue from
        for last, verb in zip(finite, finite[1:]):
            links = [i for i in range(last, verb) if self.pos[i] == "conjunction" and self.heads[i] is None]
            link = links[-1] if links else None
            main = self.main[last]
            self.main[verb] = verb
            if link is None:
                self.heads[verb] = main
            elif self.text[link] in ("because", "that"):
                of_last = self.text[link] == "that" and self.pos[link - 1] in ("adjective", "adverb")
                self.heads[verb] = link
                self.heads[link] = link - 1 if of_last else last
                self.main[verb] = main
            else:
                self.heads[verb] = main
                self.heads[link] = verb

    def _rest(self):
        for i in range(self.n):
            if self.heads[i] is None:
                self.heads[i] = self._head(i)

    def _head(self, i):
        before = self.starts[i] - 1
        if self._carries(before) and (self.pos[i] in NOMINAL or (before == i - 1 and self.pos[i] != "preposition")):
            return before
        if self.pos[i] == "adverb" and i + 1 < self.n:
            if self.text[i] in DEGREES and self.pos[i + 1] in ("adjective", "adverb"):
                return i + 1
        if self.pos[i] == "preposition" and i and self._belongs_to_the_word_before(i):
            return i - 1
        return self._verb(i)

    def _carries(self, i):
        """Return whether this is a preposition that needs a noun: "put on" is a verb of two words."""
        return i >= 0 and (self.pos[i] == "preposition" or self.text[i] == "because") and not self._is_particle(i)

    def _is_particle(self, i):
        return self.text[i] == "on" and self.text[i - 1] in ("put", "puts")

    def _belongs_to_the_word_before(self, i):
        last = self.pos[i - 1]
        if self.text[i] == "of" or (last == "adjective" and self.heads[i - 1] != i):
            return True
        if last != "noun":
            return False
        feature = " ".join(word for word in self.text[i + 1 : i + 4] if word != "the")
        is_feature = self.text[i] == "with" and any(feature.startswith(one) for one in _features())
        a_day_for = self.text[i - 1 : i + 1] == ["day", "for"]
        of_the_subject = not self._carries(self.starts[i - 1] - 1) and not self._verbs_before(i)
        return self.text[i] in OF_A_NOUN or is_feature or a_day_for or of_the_subject

    def _verbs_before(self, i):
        """Return the verbs of the clause before a word."""
        start = max([k for k in range(i + 1) if self._begins_a_clause(k)], default=0)
        return [k for k in range(start, i) if self.pos[k] == "verb"]

    def _begins_a_clause(self, i):
        is_link = self.pos[i] == "conjunction" and self.heads[i] is not None and self.pos[self.heads[i]] == "verb"
        carries = self.text[i] in ("because", "that") and i in self.heads
        more = any(pos == "verb" for pos in self.pos[i:]) and any(pos == "verb" for pos in self.pos[:i])
        return more and (self.after_mark[i] or is_link or carries)

    def _verb(self, i):
        """Return the last verb of the clause before a word; if there is none, the first after it."""
        before = self._verbs_before(i)
        return before[-1] if before else next(k for k in range(i + 1, self.n) if self.pos[k] == "verb")


def _features():
    return {feature.partition("=")[0] for features in grammar().features.values() for feature in features}
