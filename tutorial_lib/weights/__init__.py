"""Models by name: the catalog, the search for their files, Hugging Face's names for every family, safe loading.

`catalog` lists the models, `find` finds their folders, `files` reads files with checks, `names` has the names and
layouts of Hugging Face for all families, `checkpoints` puts weights into our models, and `eight_bits` rounds them to 8
bits. If the SHA-256 of a model's weights is known, it is checked before they are used. Importing this does not load
torch.
"""

from tutorial_lib.weights.catalog import DEFAULT, KNOWN, ModelNotAvailable
from tutorial_lib.weights.files import read_json, sha256
from tutorial_lib.weights.find import as_folder, available, load_state_dict, read_config, resolve

__all__ = [
    "DEFAULT", "KNOWN", "ModelNotAvailable", "as_folder", "available", "load_state_dict", "read_config", "read_json",
    "resolve", "sha256",
]
