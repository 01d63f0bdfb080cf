"""The state of a generated story: who is where, who has what, who feels what, and whom a pronoun may mean."""

from dataclasses import dataclass, field

from tutorial_lib.texts.grammar import PLACES, SUBJECT, grammar


@dataclass
class World:
    """past: the story's tense. facts: (what, whom) -> value. known: entity -> its last mention by name. before, now:
    the entities in the last sentence and in this one, in order. An entity is a key of `Grammar.nouns`, or a pair."""

    past: bool
    facts: dict = field(default_factory=dict)
    known: dict = field(default_factory=dict)
    before: list = field(default_factory=list)
    now: list = field(default_factory=list)

    def value(self, what, entity):
        """Return a fact; a possession is where its owner is."""
        holder = self.facts.get(("has", entity), "-")
        if what == "at" and holder != "-":
            return self.value("at", members(holder)[0])
        return self.facts.get((what, entity))

    def fault(self, need, binding):
        """Return why a need does not hold, None if it does."""
        how, what, *letters = need
        entity, *wanted = (binding.get(letter, letter) for letter in letters)
        wanted = wanted[0] if wanted else None
        for one in members(entity):
            value = self.value("at" if what == "with" else what, one)
            if what == "with":
                others = [self.value("at", other) for other in members(wanted)]
                same = value is None or all(other in (None, value) for other in others)
            else:
                same = value is not None and bool(set(members(value)) & set(members(wanted)))
                same = same or (value is None and not how)
            if same == (how == "!"):
                known = {None: "nothing was told", "-": "nobody"}.get(value) or name(value)
                if what == "at":
                    known = f": {known}" if value is None else f", but at the {known}"
                be = grammar().verb("be", False, number(one) == 3)
                reason = grammar().reasons[f"already {what}" if how == "!" else what]
                return reason.format(name(one), name(wanted), known, be=be)
        return None

    def complete(self, needs, binding):
        """Return the binding with entities that a sentence does not name but its needs imply: where somebody is, who
        has something."""
        binding = dict(binding)
        for _, what, entity, *wanted in needs:
            if entity in binding and wanted and wanted[0].isupper() and wanted[0] not in binding and what != "with":
                value = self.value(what, members(binding[entity])[0])
                if value not in (None, "-"):
                    binding[wanted[0]] = value
        return binding

    def make(self, fact, binding):
        """Make a fact hold from now on."""
        _, what, entity, value = fact
        for one in members(binding.get(entity, entity)):
            self.facts[what, one] = binding.get(value, value)

    def next_sentence(self):
        self.before = self.now
        self.now = []

    def fits(self, pronoun, doubtful=False, now=False):
        """The entities, last first, that a pronoun can stand for (0 she, 1 he, 2 it, 3 they); doubtful: with those that
        we would not take it for, though a reader might, such as a place for "it"; now: of this sentence only."""
        fitting = []
        for entity in reversed(self.now if now else self.before + self.now):
            for one in dict.fromkeys((entity, *reversed(members(entity)))):
                sure = number(one) == pronoun and kind(one) not in PLACES
                if (sure or doubtful and (number(one) in (pronoun, None))) and one not in fitting:
                    fitting.append(one)
        return fitting


def members(entity):
    return entity if isinstance(entity, tuple) else (entity,)


def number(entity):
    """Return the pronoun of an entity: 0 she, 1 he, 2 it, 3 they; None for a baker, of whom we are not told."""
    if str(entity)[0] == "?":
        return int(entity[1])
    return 3 if isinstance(entity, tuple) else grammar().nouns[entity].pronoun


def kind(entity):
    return "pair" if isinstance(entity, tuple) or entity[0] == "?" else grammar().nouns[entity].kind


def is_a(entity, letter):
    """Return whether a letter of the forms can refer to an entity."""
    return all(kind(one) in grammar().letters[letter] for one in members(entity))


def both(binding, letters):
    """Return the pair that two letters refer to."""
    one, other = (binding[letter] for letter in letters)
    return tuple(sorted((*members(one), *members(other))))


def is_plural(subject, binding):
    """Whether a verb's subject is plural. subject: its letters in the form, or, for a literal one, whether it is."""
    if not isinstance(subject, str):
        return bool(subject)
    return len(subject) == 2 or number(binding[subject]) == 3


def name(entity):
    if entity[0] == "?":  # a pronoun without an antecedent
        return SUBJECT[number(entity)]
    return " and ".join(str(one).partition("=")[0] for one in members(entity))
