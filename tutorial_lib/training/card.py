"""A model's card: a README.md with its training texts, its training, measurements, and limits."""

from pathlib import Path

from tutorial_lib.training import judge
from tutorial_lib.weights import sha256


def story_card(name, recipe, about, folder) -> str:
    """Return the card of a model that read stories, by ``story_card.md``; about: the content of its curves.json."""
    evaluated = dict(about["evaluated"])
    some = list(evaluated)[:: max(1, len(evaluated) // 8)]
    curve = []
    for step in sorted({*recipe.kept, *some, recipe.settings.n_steps}):
        mean = sum(about["loss"][max(0, step - 20) : step]) / min(20, step)
        held_out = format(evaluated[step], ".3f") if step in evaluated else ""
        curve.append(f"| {step:,} | {mean:.3f} | {held_out} |")
    folders = [name, *(f"{name}-{step}" for step in recipe.kept)]
    return _filled(
        "story_card.md",
        name=name,
        recipe=recipe,
        c=recipe.config,
        trained=how_trained(recipe, recipe.batch),
        again=again("tutorial_lib", name, recipe),
        curve="\n".join(curve),
        measured="\n".join(recipe.measured_lines(about)),
        weights="\n".join(weights_table(folder, folders)),
    )


def how_trained(recipe, batch) -> str:
    """Return the line about the training. batch: the content of one step, in words."""
    s = recipe.settings
    return (
        f"- **Training**: {s.n_steps:,} steps of {batch}; AdamW, learning rate {s.lr:g} after {s.warmup} steps of "
        f"warmup, then a cosine decay to a tenth; weight decay {s.weight_decay:g}, gradients cut at {s.clip:g}; "
        f"seed {s.seed}, initial weights with standard deviation {recipe.std:g}, float32, one CPU thread."
    )


def again(package, name, recipe) -> str:
    """Return the command that trains it again."""
    seeded = f" --seed {recipe.settings.seed}" if recipe.settings.seed else ""
    return f"python -m {package} train {name} --folder FOLDER{seeded}"


def weights_table(folder, names) -> list[str]:
    """Return the SHA-256 of the weights in these folders, as a section."""
    rows = [f"| {name} | `{sha256(folder / name / 'model.safetensors')}` |" for name in names]
    return ["## Weights", "", "| folder | SHA-256 of model.safetensors |", "| --- | --- |", *rows]


def lines_of_decoder(about) -> list[str]:
    """Describe a decoder's results: its loss, compared with counting, and the quality of its samples."""
    return _filled("measured_decoder.md", about=about, n=judge.N_SAMPLES).splitlines()


def lines_of_encoder(about) -> list[str]:
    """Describe an encoder's results: hidden tokens and pairs, of short texts and of whole ones."""
    return _filled("measured_encoder.md", about=about, hidden=judge.HIDDEN * 100).splitlines()


def _filled(file, **values) -> str:
    return Path(__file__).with_name(file).read_text(encoding="utf-8").format(**values)
