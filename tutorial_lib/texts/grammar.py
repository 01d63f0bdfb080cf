"""The grammar of the generated stories, read from ``data/story-grammar.txt``: nouns, verbs, forms of sentences, plots.

Each form is compiled once into parts that know their relations: each verb's subject and object, each noun's determiner.
`generated` tells stories with the forms, `checked` reads texts by them.
"""

import functools
import re
from dataclasses import dataclass

from tutorial_lib.texts import written

SUBJECT = ("she", "he", "it", "they")
OBJECT = ("her", "him", "it", "them")
GIVEN = 2  # the case of "the ball" in "gave Tom the ball": an object that is not a pronoun
POSSESSIVE = ("her", "his", "its", "their")
MANY = ("some", "two", "three")  # determiners that introduce more than one
PLACES = ("outdoor", "shore", "indoor", "shop", "street")


@dataclass
class Noun:
    """One entity that a story can be about."""

    word: str
    kind: str
    plural: bool = False
    sense: str | None = None
    preposition: str = ""
    single: str = ""  # "mouse" of "mice"

    @functools.cached_property
    def pronoun(self) -> int | None:
        """Its pronoun: she, he, it or they; None for a baker, whose gender is unknown."""
        return {"girl": 0, "boy": 1, "worker": None}.get(self.kind, 2) if not self.plural else 3


class Grammar:
    """The grammar file, read once."""

    def __init__(self):
        sections = written.groups("story-grammar")
        self.letters = {row.split()[0]: tuple(row.split()[1:]) for row in sections["letters"]}
        self.nouns = {}
        self.surfaces = {}
        for row in sections["nouns"]:
            kind, _, words = row.partition(": ")
            for entry in words.split():
                self._noun(kind, entry)
        self.adjectives = {kind: words.split() for kind, words in _keyed(sections["adjectives"])}
        self.features = {kind: words.split("; ") for kind, words in _keyed(sections["features"])}
        self.choices = {row.split()[0]: row.split()[1:] for row in sections["choices"]}
        self.reasons = dict(_keyed(sections["reasons"]))
        self.pos = {}
        for pos, words in _keyed(sections["words"]):
            for word in words.split():
                self.pos.setdefault(word, pos)
        for kind_words in self.adjectives.values():
            self.pos.update((word, "adjective") for word in kind_words if word not in self.pos)
        rows = " ; ".join(sections["irregular"]).replace(";", " ").split()
        self.irregular = {lemma: forms for lemma, *forms in zip(rows[::3], rows[1::3], rows[2::3], strict=True)}
        self.forms = {}
        for row in sections["forms"]:
            if not row.startswith(" "):
                head, needs, makes = (part.strip() for part in row.split("|"))
                name, *letters = head.lstrip("+").split()
                self.forms[name] = Form(name, letters, _facts(needs), _facts(makes), head[0] == "+", [])
            else:
                self.forms[name].patterns.append(_compile(row, self))
        self.openers = [[literal(word, self) for word in _words(one)] for one in self.choices["<then>"]]
        self.plots = [[step.split(" / ") for step in row.split("; ")] for row in sections["plots"]]
        self.looks = {word for words in self.adjectives.values() for word in words}
        self.prepositions = {noun.preposition for noun in self.nouns.values()} - {""}
        lemmas = {lemma for part in self._parts() if part.what in ("verb", "base") for lemma, _ in part.value}
        forms = {past: {self.verb(lemma, past, plural) for lemma in lemmas for plural in (0, 1)} for past in (0, 1)}
        self.past = forms[1] - forms[0]
        self.present = forms[0] - forms[1]
        self.vocabulary = {token.lower() for token in self._vocabulary()}

    def _parts(self):
        for part in (part for form in self.forms.values() for pattern in form.patterns for part in pattern):
            yield from part.value if part.what == "maybe" else [part]

    def _vocabulary(self):
        yield from (*'.,!"', *SUBJECT, *OBJECT, *POSSESSIVE, *MANY, "a", "an", "the", "and", "near", "with")
        yield from (*self.surfaces, *self.looks, *self.pos, *self.prepositions)
        for part in self._parts():
            if part.what in ("verb", "base"):
                yield from (text for lemma, _ in part.value for text in self.every_form(lemma))
            elif part.what == "words":
                yield from (word[0] for choice in part.value for word in choice)

    def _noun(self, kind, entry):
        preposition, _, entry = entry.rpartition(":")
        single, _, many = entry.partition("/")
        word, _, sense = single.partition("=")
        many = many or (word + "es" if word.endswith(("sh", "ch", "s", "x")) else word + "s")
        for form, plural in ((word, False), (many, True)):
            noun = Noun(form, kind, plural, sense or None, preposition, single=word)
            if (kind == "crowd") > noun.plural or (noun.plural and kind in ("girl", "boy", "worker", *PLACES)):
                continue
            key = f"{noun.word}={sense}" if sense else noun.word
            self.nouns[key] = noun
            self.surfaces.setdefault(noun.word.lower(), []).append(key)

    @functools.cache
    def of_kinds(self, kinds, plural):
        """Return the nouns of some kinds, in the singular or the plural."""
        return [key for key, noun in self.nouns.items() if noun.kind in kinds and noun.plural == plural]

    @functools.cache
    def verb(self, lemma, past, plural):
        """Return the form of a verb: of "run" run, runs or ran."""
        if lemma == "be":
            return ("were" if plural else "was") if past else ("are" if plural else "is")
        third, old = self.irregular.get(lemma) or _regular(lemma)
        return old if past else lemma if plural else third

    @functools.cache
    def every_form(self, lemma):
        return {lemma, *(self.verb(lemma, past, plural) for past in (True, False) for plural in (True, False))}


@dataclass
class Form:
    """A form of sentences. needs, makes: facts, as `_facts` reads them; event: "Then" and the like may come first."""

    name: str
    letters: list
    needs: list
    makes: list
    event: bool
    patterns: list


@functools.cache
def grammar() -> Grammar:
    """Return the grammar; the file is read on first use."""
    return Grammar()


def _keyed(rows):
    words = {}
    for row in rows:
        key, _, rest = row.partition(": ")
        words[key] = f"{words[key]} {rest}" if key in words else rest
    return words.items()


def article(word):
    """a or an."""
    return "an" if word[0] in "aeiou" else "a"


def _regular(lemma):
    """Return the third person and the past of a regular verb."""
    if re.search("[^aeiou]y$", lemma):
        return lemma[:-1] + "ies", lemma[:-1] + "ied"
    third = lemma + ("es" if lemma.endswith(("s", "sh", "ch", "x", "o")) else "s")
    return third, lemma + ("d" if lemma.endswith("e") else "ed")


def _facts(text):
    """Turn "=has K X, at X P" into [("=", "has", "K", "X"), ("", "at", "X", "P")]."""
    facts = []
    for part in () if text == "-" else text.split(", "):
        how = part[0] if part[0] in "=!" else ""
        facts.append((how, *part.removeprefix(how).split()))
    return facts


@dataclass
class Part:
    """An element of a sentence form. what: who, place, both, own, verb, base, words or maybe; value: letters,
    verbs, words or the parts inside. subject: of a verb, the number of the part that is its subject; object: of a part,
    the number of the verb whose object it is; holder: of a noun, the number of the part that is its determiner."""

    what: str
    value: object
    number: int
    case: int = 0  # 0 subject, 1 object, 2 GIVEN
    subject: int | None = None
    plural: object = None  # of a verb: the letters of its subject, or whether that is plural
    object: int | None = None
    holder: int | None = None


def _compile(row, grammar):
    """Compile a sentence form into parts, with each subject, object and determiner linked."""
    count = 0
    stack = [[]]
    state = {"np": None, "plural": False, "verb": None, "prep": False, "det": None, "last": None, "open": None}
    for token in row.replace("(", " ( ").replace(")", " ) ").split():
        if token == "(":
            stack.append([])
            continue
        if token == ")":
            inside = stack.pop()
            stack[-1].append(Part("maybe", inside, -1))
            continue
        part = _part(token, count, grammar)
        count += 1
        _relate(part, state)
        stack[-1].append(part)
    assert len(stack) == 1, row
    return stack[0]


def _part(token, number, grammar):
    if token[0] == "~":
        return Part("verb", [tuple((lemma + "=").split("=")[:2]) for lemma in token[1:].split("|")], number)
    if token[0] == "!" and len(token) > 1:
        return Part("base", [tuple((lemma + "=").split("=")[:2]) for lemma in token[1:].split("|")], number)
    if token[0] == "@":
        return Part("place", token[1], number)
    if token in grammar.letters:
        return Part("who", token, number)
    if re.fullmatch("[A-Z]&[A-Z]", token):
        return Part("both", token[::2], number)
    if re.fullmatch("[A-Z]'s", token):
        return Part("own", token[0], number)
    choices = grammar.choices.get(token) or token.split("|")
    part = Part("words", [[literal(word, grammar) for word in _words(one)] for one in choices], number)
    part.plural = token in grammar.choices  # those are never a subject or object
    return part


def _words(choice):
    return re.findall(r"[^_,]+|,", choice)


def literal(word, grammar):
    """ "rock=stone" or "close/verb" -> (text, part of speech, sense)."""
    word, _, pos = word.partition("/")
    word, _, sense = word.partition("=")
    if not word[0].isalpha():
        return word, "punctuation", None
    if word not in grammar.pos and not pos:
        raise ValueError(f"story-grammar.txt must list {word!r} in its section [words]")
    return word, pos or grammar.pos[word], sense or None


def _relate(part, state):
    """Advance by one part, and link its subject, object or determiner. state: what is still open in this clause."""
    kind = part.value[0][-1][1] if part.what == "words" else None  # the part of speech of a literal
    chosen = part.what == "words" and part.plural
    noun = not chosen and kind in ("noun", "pronoun") and all(word[1] != "preposition" for word in part.value[0])
    if part.what in ("verb", "base"):
        part.subject = state["np"]
        part.plural = state["plural"]
        state.update(verb=part.number, prep=False, last=None, open=part)
    elif part.what in ("who", "both") or noun:
        part.case = int(state["verb"] is not None or state["prep"])
        if state["verb"] is None and not state["prep"]:
            last = part.value[0][-1][0] if noun else ""
            plural = part.value if not noun else last.endswith("s") and not last.endswith(("ss", "us"))
            state.update(np=part.number, plural=plural)
        elif not state["prep"] and state["open"].value == [("be", "")] and state["np"] is None:  # "there is a dog"
            state["open"].subject = part.number
            state["open"].plural = part.value
            part.case = 0
        elif not state["prep"] and state["open"].value != [("be", "")]:  # a predicate noun is not an object
            if state["last"] is not None:
                state["last"].object = None
                part.case = GIVEN
            part.object = state["verb"]
            state["last"] = part
        if noun:
            part.holder = state["det"]
        state.update(prep=False, det=None)
    elif part.what == "own" or kind == "determiner":
        state["det"] = part.number
    elif kind == "preposition":
        state["prep"] = True
    elif kind in ("conjunction", "punctuation"):
        state.update(verb=None, prep=False, last=None)
        if kind == "punctuation":
            state.update(np=None, plural=False, open=None)
    if part.what == "place":
        state["prep"] = False
