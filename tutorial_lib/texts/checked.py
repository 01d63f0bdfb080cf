"""Check whether a text could come from `generated`: grammatical by the same forms, consistent with the same world.

Used to judge the output of a trained decoder (N 2): a share of grammatical and consistent stories, and the reasons.
"""

import functools
import re
from dataclasses import dataclass, replace

from tutorial_lib.arguments import check_text
from tutorial_lib.texts.grammar import GIVEN, MANY, OBJECT, POSSESSIVE, SUBJECT, article, grammar
from tutorial_lib.texts.world import World, is_a, is_plural, members, name

GRAMMAR = "grammatical"  # the two kinds of faults
SENSE = "consistent"


@dataclass(frozen=True)
class Judged:
    """A sentence with its verdict; why: the reasons if it is not grammatical or not consistent."""

    text: str
    grammatical: bool
    consistent: bool
    why: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The verdicts of a text's sentences; the text is grammatical and consistent if all of them are."""

    sentences: list[Judged]

    @property
    def grammatical(self) -> bool:
        return all(sentence.grammatical for sentence in self.sentences)

    @property
    def consistent(self) -> bool:
        return all(sentence.consistent for sentence in self.sentences)

    @property
    def why(self) -> list[str]:
        return [reason for sentence in self.sentences for reason in sentence.why]


def check(text: str) -> Verdict:
    """Check whether a text is a story by the generator's rules, sentence by sentence, and say why not.

    Grammatical: the sentence fits a form, with its verbs in agreement and in the story's tense. Consistent: the text
    does not contradict its preconditions, and each pronoun and "the" has its antecedent. A sentence that fits no form
    is neither. Raises ValueError if the text has no word.

    >>> check("Mia had a red ball. She lost it in the park.").consistent
    True
    >>> check("Tom is sick. They are hungry. Mia was hungry.").why
    ["pronoun: 'they' has no antecedent that fits", "form or tense: 'was' must be 'is'"]
    """
    if not re.search(r"\w", check_text("text", text)):
        raise ValueError(f"text must be a story of at least one sentence, got {text[:40]!r}")
    world = World(past=_is_past(text))
    # punctuation after the end of a sentence is its own sentence, which fits no form
    sentences = re.findall(r"(?:[^.!?]|[!?](?= ?\"))+[.!?]?|[.!?]+", text.strip())
    return Verdict([_judge(sentence.strip(), world) for sentence in sentences if sentence.strip()])


@dataclass(frozen=True)
class _Reading:
    """A sentence read so far. binding: letter -> entity; now: entities in order; facts: those in noun phrases; verbs:
    each as written, with its lemma and its part of the form; faults: (kind, reason)."""

    binding: dict
    now: tuple = ()
    facts: tuple = ()
    verbs: tuple = ()
    faults: tuple = ()

    def but(self, kind, reason):
        return replace(self, faults=(*self.faults, (kind, reason)))


def _is_past(text):
    """Return the tense of most verbs of a text. A word that may be a noun ("park") is not counted."""
    tokens = [token for token in re.findall("[a-z]+", text.lower()) if token not in grammar().surfaces]
    return sum(token in grammar().past for token in tokens) >= sum(token in grammar().present for token in tokens)


def _judge(sentence, world):
    """Return the verdict of the reading with the fewest faults, which then updates the world. A pronoun without an
    antecedent counts most: a giver who does not have the gift is the smaller fault."""
    tokens = tuple(re.findall(r"[a-z']+|[^a-z' ]", sentence.lower()))
    form, reading = _best_reading(tokens, world)
    world.now = []
    if reading is None:
        unknown = ", ".join(repr(token) for token in tokens if token not in grammar().vocabulary)
        world.next_sentence()
        return Judged(sentence, False, False, (f"unknown word: {unknown}" if unknown else "fits no form",))
    world.now = list(reading.now)
    world.facts.update(reading.facts)
    world.known.update((one, 0) for entity in reading.now for one in (entity, *members(entity)))
    for fact in form.makes:
        if not _open(fact, reading.binding):
            world.make(fact, reading.binding)
    world.next_sentence()
    kinds = [kind for kind, _ in reading.faults]
    return Judged(sentence, GRAMMAR not in kinds, SENSE not in kinds, tuple(reason for _, reason in reading.faults))


def _best_reading(tokens, world):
    """Return (form, reading) with the fewest faults, the first of equals; (None, None) if no form fits."""
    best = None, None
    least = None
    words = set(tokens)
    for form in grammar().forms.values():
        for reading in _readings(form, tokens, words, world):
            weights = [(kind, 3 if reason.startswith("pronoun") else 1) for kind, reason in reading.faults]
            badness = [sum(weight for kind, weight in weights if kind == one) for one in (GRAMMAR, SENSE)]
            if least is None or badness < least:
                best = form, reading
                least = badness
    return best


def _open(fact, binding):
    """Return whether a fact is about an unknown entity."""
    return any(letter.isupper() and binding.get(letter, "?")[0] == "?" for letter in fact[2:])


def _readings(form, tokens, words, world):
    """Yield all readings of a sentence by a form, with their faults. words: the set of its tokens."""
    starts = [0]
    for number, pattern in enumerate(form.patterns):
        if any(words.isdisjoint(asked) for asked in _asked(form.name)[number]):
            continue
        if form.event and len(starts) == 1:
            openers = (tuple(word[0].lower() for word in opener) for opener in grammar().openers)
            starts += [len(opener) for opener in openers if tokens[: len(opener)] == opener]
        for start in starts:
            for end, reading in _match(pattern, tokens, start, _Reading({}), world):
                if tokens[end:] not in ((".",), ()):
                    continue
                if not tokens[end:]:
                    reading = reading.but(GRAMMAR, "the sentence does not end")
                yield _settle(form, reading, world)


@functools.cache
def _asked(name):
    """Return the sets of words that each pattern of a form needs one of: a quick test before reading."""
    sets = []
    for pattern in grammar().forms[name].patterns:
        verbs = [part.value for part in pattern if part.what in ("verb", "base")]
        asked = [set().union(*(grammar().every_form(lemma) for lemma, _ in value)) for value in verbs]
        asked += [{choice[0][0].lower() for choice in part.value} for part in pattern if part.what == "words"]
        sets.append(asked)
    return sets


def _settle(form, reading, world):
    """Find the faults that show once the whole sentence is read: agreement, tense, and preconditions."""
    for token, lemma, part in reading.verbs:
        plural = False if part.what == "base" else is_plural(part.plural, reading.binding)
        right = lemma if part.what == "base" else grammar().verb(lemma, world.past, plural)
        if token != right:
            other = part.what == "verb" and token == grammar().verb(lemma, world.past, not plural)
            what = "agreement" if other else "form or tense"
            reading = reading.but(GRAMMAR, f"{what}: {token!r} must be {right!r}")
    facts = world.facts
    world.facts = {**facts, **dict(reading.facts)}
    reading = replace(reading, binding=world.complete(form.needs, reading.binding))
    for need in form.needs:
        reason = None if _open(need, reading.binding) else world.fault(need, reading.binding)
        if reason:
            reading = reading.but(SENSE, reason)
    world.facts = facts
    return reading


def _match(parts, tokens, i, reading, world):
    """Yield (where it ends, reading) for each way in which the tokens from i on fit the parts."""
    if not parts:
        yield i, reading
        return
    for j, read in _match_one(parts[0], tokens, i, reading, world):
        yield from _match(parts[1:], tokens, j, read, world)


def _match_one(part, tokens, i, reading, world):
    token = tokens[i] if i < len(tokens) else ""
    if part.what == "maybe":
        yield i, reading
        yield from _match(part.value, tokens, i, reading, world)
    elif part.what == "words":
        for choice in part.value:
            if tokens[i : i + len(choice)] == tuple(word[0].lower() for word in choice):
                yield i + len(choice), reading
    elif part.what in ("verb", "base"):
        for lemma, _ in part.value:
            if token in grammar().every_form(lemma):
                yield i + 1, replace(reading, verbs=(*reading.verbs, (token, lemma, part)))
    elif part.what == "own":
        if token in POSSESSIVE:
            entity = reading.binding[part.value]
            one = POSSESSIVE.index(token)
            right = _meant(one, reading, world) == entity or entity == f"?{one}"
            yield i + 1, reading if right else reading.but(SENSE, f"{token!r} does not refer to {name(entity)}")
    elif part.what == "place":
        for entity, j, read in _noun(tokens, i + 1, 1, reading, world):
            if is_a(entity, part.value) and token in grammar().prepositions:
                right = grammar().nouns[entity].preposition
                read = read if token == right else read.but(GRAMMAR, f"preposition: {token!r} must be {right!r}")
                yield from _bind(part.value, entity, j, read)
    else:
        for entity, j, read in _noun(tokens, i, part.case, reading, world):
            yield from _bind(part.value, entity, j, read)


def _bind(letters, entity, j, reading):
    """Bind letters to an entity, if possible."""
    binding = reading.binding
    if len(letters) == 2:
        pairs = [] if len(members(entity)) != 2 else [members(entity), members(entity)[::-1]]
        for pair in pairs:
            new = dict(zip(letters, pair, strict=True))
            if all(binding.get(letter, one) == one for letter, one in new.items()):
                yield j, replace(reading, binding={**binding, **new}, now=(*reading.now, entity))
    elif entity[0] == "?":
        who = binding.get(letters, entity)
        now = reading.now if who[0] == "?" else (*reading.now, who)
        yield j, replace(reading, binding={**binding, letters: who}, now=now)
    elif is_a(entity, letters) and (binding.get(letters, "?")[0] == "?" or binding[letters] == entity):
        if entity in [one for letter, one in binding.items() if letter != letters]:
            return  # one entity does not play two parts
        yield j, replace(reading, binding={**binding, letters: entity}, now=(*reading.now, entity))


def _meant(pronoun, reading, world):
    """Return the antecedent of a pronoun: the last entity that fits, None if there is none."""
    world.now = list(reading.now)
    return next(iter(world.fits(pronoun)), None)


def _noun(tokens, i, case, reading, world):
    """Yield (entity, where it ends, reading) for each way to read a name, a pronoun or a noun phrase."""
    if i >= len(tokens):
        return
    token = tokens[i]
    nouns = grammar().nouns
    for pronouns, at in ((SUBJECT, 0), (OBJECT, 1)):
        if token in pronouns and not (token == "it" and at != min(case, 1)):
            one = pronouns.index(token)
            right = "a noun" if case == GIVEN else repr((SUBJECT, OBJECT)[case][one])
            read = reading if repr(token) == right else reading.but(GRAMMAR, f"case: {token!r} must be {right}")
            fits = _meant(one, reading, world)
            if fits:
                yield fits, i + 1, read
            yield f"?{one}", i + 1, read.but(SENSE, f"pronoun: {token!r} has no antecedent that fits")
    for key in grammar().surfaces.get(token, ()):
        if nouns[key].kind in ("girl", "boy"):
            yield key, i + 1, reading
            for other in grammar().surfaces.get(tokens[i + 2], ()) if tokens[i + 1 : i + 2] == ("and",) else ():
                if nouns[other].kind in ("girl", "boy") and other != key:
                    yield tuple(sorted((key, other))), i + 3, reading
    if token in ("a", "an", "the", *MANY, *POSSESSIVE):
        yield from _described(tokens, i, reading, world)


def _described(tokens, i, reading, world):
    determiner = tokens[i]
    following = tokens[i + 1] if tokens[i + 1 : i + 2] else ""
    look = following if following in grammar().looks else None
    i += 2 if look else 1
    for key in grammar().surfaces.get(tokens[i] if i < len(tokens) else "", ()):
        noun = grammar().nouns[key]
        facts = {**world.facts, **dict(reading.facts)}
        if noun.kind in ("girl", "boy"):
            continue
        read = _determined(determiner, following, key, facts, reading, world)
        if look:
            read = _told(read, facts, "look", key, look)
        yield key, i + 1, read
        rest = " ".join(tokens[i + 1 : i + 5])
        for feature in grammar().features.get(noun.kind, ()):
            bare = " ".join(word.partition("=")[0] for word in feature.split())
            for words in (f"with {bare}", f"with the {bare}"):
                if (rest + " ").startswith(words + " "):
                    yield key, i + 1 + len(words.split()), _told(read, facts, "feature", key, feature)
        if tokens[i + 1 : i + 2] and tokens[i + 1] in grammar().prepositions and tokens[i + 2 : i + 3] == ("the",):
            for place, j, near in _described(tokens, i + 2, read, world):
                if grammar().nouns[place].preposition == tokens[i + 1]:
                    near = replace(near, now=(*near.now, place))
                    yield key, j, _told(near, {**facts, ("at", key): world.value("at", key)}, "at", key, place)


def _determined(determiner, following, key, facts, reading, world):
    """Return the reading with the faults of a determiner: next word, number of the noun, known facts."""
    noun = grammar().nouns[key]
    known = key in world.known or key in reading.now or noun.preposition
    if determiner in ("a", "an") and not noun.plural and determiner != article(following):
        reading = reading.but(GRAMMAR, f"determiner: {determiner!r} must be {article(following)!r}")
    if determiner in ("a", "an", *MANY):
        if noun.plural != (determiner in MANY):
            reading = reading.but(GRAMMAR, f"number: {determiner!r} with {noun.word!r}")
        if known:
            reading = reading.but(SENSE, f"{determiner!r} introduces {noun.word!r}, which is already known")
    elif not known:
        reading = reading.but(SENSE, f"{determiner!r}: {noun.word!r} was not mentioned before")
    if determiner in POSSESSIVE:
        owner = _meant(POSSESSIVE.index(determiner), reading, world)
        if owner is None or not set(members(owner)) & set(members(facts.get(("own", key), "-"))):
            reading = reading.but(SENSE, f"{determiner} {noun.word}: it is not known to be like that")
    return reading


def _told(reading, facts, what, entity, value):
    """Add the facts that a noun phrase states about its entity, and a fault if something else is known."""
    known = facts.get((what, entity))
    if known not in (None, value):
        how = {"at": "at the ", "feature": "with "}.get(what, "")
        reading = reading.but(SENSE, f"{name(entity)}: not {how}{name(value)}, but {how}{name(known)}")
    return replace(reading, facts=(*reading.facts, ((what, entity), value)))
