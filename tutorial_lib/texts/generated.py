"""Small stories from a seeded generator, with labels for every word: part of speech, sense, relations, antecedent.

It plays plots of the grammar, ``data/story-grammar.txt``, sentence by sentence, and keeps a world: who is where, who
has what, who feels what and why. A pronoun is used only if its antecedent is unambiguous: no other entity in this
sentence, or in it and the one before, fits in gender and number. `checked` reads texts by the same rules. Used to train
decoders and to test which tokens heads attend to (L 3.2.7, R 10; N 2).
"""

import random
import re
from dataclasses import dataclass

from tutorial_lib.arguments import check_has, check_seed, one_of, whole_number
from tutorial_lib.texts.grammar import GIVEN, MANY, OBJECT, PLACES, POSSESSIVE, SUBJECT, article, grammar, literal
from tutorial_lib.texts.world import World, both, is_plural, members, number

SHARE_PLURAL = {"flier": 0.7, "flower": 0.9, "boxes": 0.0, "food": 0.4}  # of nouns with a plural; others: a quarter
N_SENTENCES = 9  # at most
N_TRIES = 20  # of casts: one may have no unambiguous sentence for a step of its plot
P_PRONOUN = 0.7  # of a pronoun wherever one is possible
P_OPENER = 0.2  # that a sentence begins with "then" or the like
P_MAYBE = 0.5  # of telling an optional part
P_PAIR = 0.2  # of two actors in the first role
P_PRESENT = 0.4  # of the present tense
P_WHERE = 0.35  # of a noun repeating what its entity has or where it is


@dataclass(slots=True)
class Word:
    """A word of a story: its text, part of speech, and labels; those that do not apply are None.

    start: its first character in the story's text. sense: which of a homonym's senses. antecedent: for a pronoun, the
    word that it refers to (for a pair of names, the first). subject, object: for a verb. determiner: for a noun. These
    four are positions in `Story.words`.
    """

    text: str
    pos: str
    sense: str | None = None
    start: int = 0
    antecedent: int | None = None
    subject: int | None = None
    object: int | None = None
    determiner: int | None = None


@dataclass
class Story:
    """A story: its words, its sentences as texts, and the whole text."""

    words: list[Word]
    sentences: list[str]
    text: str

    def word_of(self, tokens) -> list[int | None]:
        """Return, for each token of a WordPiece or BPE tokenizer, the word that it belongs to: a position in `words`.

        tokens: those of the whole text, with or without special tokens, which belong to no word: None. A token of two
        words, such as GPT-2's ',"', belongs to the first. Raises ValueError if the tokens are not this text's.

        >>> story = stories(1, seed=0)[0]
        >>> story.word_of(["[CLS]", *story.text.lower().replace(".", " .").split()[:3]])
        [None, 0, 1, 2]
        """
        check_has("tokens", tokens, "the tokens of the text", "__iter__")
        lower = self.text.lower()
        places = []
        at = 0  # in the text
        word = 0
        for token in tokens:
            piece = token.removeprefix("##").replace("Ġ", " ").lower().strip()
            start = at + len(lower[at:]) - len(lower[at:].lstrip())
            if re.fullmatch(r"\[(CLS|SEP|PAD|MASK)\]|<.*>|", token) or not piece:
                places.append(None)
                continue
            while word + 1 < len(self.words) and self.words[word + 1].start <= start:
                word += 1
            places.append(word)
            if token == "[UNK]" or token == "[unk]":
                piece = self.words[word].text.lower()
            if not lower.startswith(piece, start):
                raise ValueError(f"tokens must be those of the text, got {token!r} at {self.text[start:][:20]!r}")
            at = start + len(piece)
        return places

    def pairs(self, relation: str) -> list[tuple[int, int]]:
        """Return pairs of words (dependent, head): relation is "subject", "object", "determiner" or "antecedent".

        >>> story = stories(1, seed=0)[0]
        >>> [(story.words[i].text, story.words[j].text) for i, j in story.pairs("subject")][:2]
        [('Grandpa', 'were'), ('Tom', 'had')]
        """
        one_of("relation", relation, ("subject", "object", "determiner", "antecedent"))
        links = [(getattr(word, relation), i) for i, word in enumerate(self.words)]
        pairs = [(other, i) for other, i in links if other is not None]
        return [(i, other) for other, i in pairs] if relation == "antecedent" else pairs


def stories(n: int, seed: int = 0) -> list[Story]:
    """Return n stories of 5 to 9 sentences; the same seed gives the same stories, and a larger n only adds more.

    Raises ValueError if n is not a whole number, 0 or more.

    >>> print(stories(1, seed=0)[0].text)
    Grandpa and Tom were the best friends. Tom had a puzzle. One day, ...
    """
    seed = check_seed("seed", seed)
    whole_number("n", n, 0, "a number of stories, 0 or more")
    rng = random.Random(seed)
    return [_story(rng) for _ in range(n)]


class _Cannot(Exception):
    """A sentence that cannot be told now, because a pronoun in it would be ambiguous."""


def _story(rng):
    plot = rng.choice(grammar().plots)
    for tries in range(N_TRIES):
        cast = _cast(plot, rng, pair=tries == 0 and rng.random() < P_PAIR)
        try:
            return _Teller(rng, cast).tell(plot)
        except _Cannot:
            continue
    raise RuntimeError(f"none of {N_TRIES} casts could play {plot}: its forms need a sentence without pronouns")


def _cast(plot, rng, pair):
    """Choose letter -> entity, all with different words."""
    letters = dict.fromkeys(letter for step in plot for one in step for letter in one.lstrip("?").split()[1:])
    words = set()

    def draw(letter):
        kinds = grammar().letters[letter]
        plural = kinds != ("worker",) and rng.random() < SHARE_PLURAL.get(kinds[0], 0.25)
        some = grammar().of_kinds(kinds, plural) or grammar().of_kinds(kinds, not plural)
        while True:
            key = rng.choice(some)
            word = grammar().nouns[key].single
            if word not in words:  # no mouse with mice, and no bat with a bat
                words.add(word)
                return key

    cast = {letter: draw(letter) for letter in letters}
    if pair:
        cast["X"] = (cast.get("X") or draw("X"), draw("X"))
    return cast


class _Teller:
    """The state of a story that is being told: the words so far, and the world."""

    def __init__(self, rng, cast):
        self.rng = rng
        self.cast = cast
        self.words = []
        self.world = World(past=rng.random() >= P_PRESENT)

    def tell(self, plot):
        sentences = []
        text = ""
        for step in self._chosen(plot):
            name, *letters = self.rng.choice(step).lstrip("?").split()
            form = grammar().forms[name]
            binding = {own: self.cast[given] for own, given in zip(form.letters, letters, strict=True)}
            if any(self.world.fault(need, binding) for need in form.needs):
                if step[0][0] == "?":
                    continue
                raise _Cannot(f"{name}: {[self.world.fault(need, binding) for need in form.needs]}")
            start = len(self.words)
            self._sentence(form, binding)
            for fact in form.makes:
                self.world.make(fact, binding)
            self.world.next_sentence()
            sentences.append(join(self.words[start:], len(text) + 1 if text else 0))
            text += (" " if text else "") + sentences[-1]
        return Story(self.words, sentences, text)

    def _chosen(self, plot):
        """Return the steps of the plot without some of the optional ones."""
        some = [i for i, step in enumerate(plot) if step[0][0] == "?"]
        room = min(sum(self.rng.random() < P_MAYBE for _ in some), N_SENTENCES - (len(plot) - len(some)))
        kept = self.rng.sample(some, room)
        return [step for i, step in enumerate(plot) if i in kept or i not in some]

    def _sentence(self, form, binding):
        """Return one of the form's sentences, the first in random order that is possible now."""
        start = len(self.words)
        known = dict(self.world.known)
        facts = dict(self.world.facts)
        for pattern in self.rng.sample(form.patterns, len(form.patterns)):
            try:
                self.heads = {}
                if form.event and start and pattern[0].what == "who" and self.rng.random() < P_OPENER:
                    self._literal(self.rng.choice(grammar().openers))
                self._parts(pattern, binding)
                self.words.append(Word(".", "punctuation"))
                first = next(word for word in self.words[start:] if word.pos != "punctuation")
                first.text = first.text[0].upper() + first.text[1:]
                return
            except _Cannot:
                del self.words[start:]
                self.world.known = dict(known)
                self.world.facts = dict(facts)
                self.world.now = []
        raise _Cannot(form.name)

    def _parts(self, parts, binding):
        for part in parts:
            if part.what == "maybe":
                if self.rng.random() < P_MAYBE:
                    self._parts(part.value, binding)
                continue
            if part.what == "who":
                head = self._noun(binding[part.value], part.case)
            elif part.what == "both":
                pair = both(binding, part.value)
                if len(pair) > 2:
                    raise _Cannot
                head = self._noun(pair, part.case)
            elif part.what == "place":
                place = binding[part.value]
                self.words.append(Word(grammar().nouns[place].preposition, "preposition"))
                head = self._noun(place, 1)
            elif part.what == "own":
                head = self._own(binding[part.value])
            elif part.what == "words":
                head = self._literal(self.rng.choice(part.value))
            else:
                lemma, sense = self.rng.choice(part.value)
                plural = is_plural(part.plural, binding)
                text = lemma if part.what == "base" else grammar().verb(lemma, self.world.past, plural)
                self.words.append(Word(text, "verb", sense or None))
                head = len(self.words) - 1
            self.heads[part.number] = head
        for part in parts:  # "there is a dog": the subject comes after its verb, so it is known only now
            if part.number not in self.heads:
                continue
            word = self.words[self.heads[part.number]]
            if part.what in ("verb", "base"):
                word.subject = self.heads.get(part.subject)
            if part.object is not None:
                self.words[self.heads[part.object]].object = self.heads[part.number]
            if part.holder is not None and word.pos == "noun":
                word.determiner = self.heads.get(part.holder, word.determiner)

    def _literal(self, choice):
        """Add words as they are in the form; the last one is the head, and a determiner among them belongs to it."""
        start = len(self.words)
        self.words += [Word(*word) for word in choice]
        nouns = [i for i in range(start, len(self.words)) if self.words[i].pos == "noun"]
        head = nouns[-1] if nouns else len(self.words) - 1
        determiners = [i for i in range(start, head) if self.words[i].pos == "determiner"]
        if self.words[head].pos == "noun" and determiners:
            self.words[head].determiner = determiners[-1]
        return head

    def _pronoun(self, entity):
        """Return the number of the only pronoun that can refer to an entity here, None if it is ambiguous."""
        one = number(entity)
        now = entity in self.world.now  # then entities of the sentence before do not compete
        return one if one is not None and self.world.fits(one, True, now) == [entity] else None

    def _own(self, entity):
        """Return his, her, its or their."""
        one = self._pronoun(entity)
        if one is None or entity not in self.world.now:
            raise _Cannot
        self.words.append(Word(POSSESSIVE[one], "determiner", antecedent=self.world.known[entity]))
        return len(self.words) - 1

    def _noun(self, entity, case):
        """Add a name, a pronoun, or a noun phrase; return the position of its head."""
        world = self.world
        words = self.words
        nouns = grammar().nouns
        pronoun = self._pronoun(entity)
        now = entity in world.now
        place = number(entity) == 2 and nouns[entity].kind in PLACES
        if pronoun is not None and not place and case != GIVEN and (now or self.rng.random() < P_PRONOUN):
            words.append(Word((SUBJECT, OBJECT)[case][pronoun], "pronoun", antecedent=world.known[entity]))
            world.now.append(entity)
            return len(words) - 1
        if isinstance(entity, tuple) or nouns[entity].kind in ("girl", "boy"):
            head = len(words)
            for one in members(entity):
                words += [Word("and", "conjunction")] if len(words) > head else []
                world.known[one] = len(words)
                words.append(Word(one, "name"))
        else:
            head = self._described(entity, case)
        world.known[entity] = head
        world.now.append(entity)
        return head

    def _described(self, entity, case):
        """Add a determiner, maybe an adjective, the noun, and maybe what it has or where it is."""
        rng = self.rng
        world = self.world
        words = self.words
        noun = grammar().nouns[entity]
        new = entity not in world.known and noun.kind not in PLACES
        look = self._look(entity, new)
        owner = world.facts.get(("own", entity))
        start = len(words)
        if new:
            determiner = rng.choice(MANY) if noun.plural else article(look or noun.word)
            words.append(Word(determiner, "determiner"))
        elif owner in world.now and self._pronoun(owner) is not None and rng.random() < P_MAYBE:
            self._own(owner)
        else:
            words.append(Word("the", "determiner"))
        words += [Word(look, "adjective")] if look else []
        words.append(Word(noun.word, "noun", noun.sense, determiner=start))
        head = len(words) - 1
        if new and rng.random() < 0.2 and noun.kind in grammar().features:
            feature = world.facts["feature", entity] = rng.choice(grammar().features[noun.kind])
            self._feature("with " + feature)
        elif not new and case == 0 and words[start].text == "the" and rng.random() < P_WHERE:
            self._again(entity)
        return head

    def _look(self, entity, new):
        """Choose an adjective for an entity, the one that it has or a new one; None for no adjective."""
        noun = grammar().nouns[entity]
        look = self.world.facts.get(("look", entity))
        if look is None and self.rng.random() < (P_MAYBE if new else 0.1):
            kind = "place" if noun.kind in PLACES else noun.kind
            look = self.world.facts["look", entity] = self.rng.choice(grammar().adjectives[kind])
        elif self.rng.random() < 0.75:
            look = None
        return look

    def _again(self, entity):
        """Return what a known entity has, or else where it is."""
        feature = self.world.facts.get(("feature", entity))
        place = self.world.value("at", entity)
        kind = grammar().nouns[entity].kind
        if feature:
            self._feature("with the " + feature)
        elif place and kind in ("animal", "beast", "flier", "crowd", "boxes") and place not in self.world.now:
            self.words.append(Word(grammar().nouns[place].preposition, "preposition"))
            self._noun(place, 1)

    def _feature(self, text):
        self._literal([literal(word, grammar()) for word in text.split()])


def join(words, start=0):
    """Return words as they are printed, each with its position in the text, whose first character is number `start`."""
    text = ""
    quotes = 0
    for i, word in enumerate(words):
        closes = word.text in ".,!?" or (word.text == '"' and quotes % 2)
        text += "" if not text or closes or (words[i - 1].text == '"' and quotes % 2) else " "
        word.start = start + len(text)
        text += word.text
        quotes += word.text == '"'
    return text
