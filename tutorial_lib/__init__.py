"""Transformers from scratch: the library that the book runs on.

Its modules are rooms, and a room imports only from rooms with a lower number. 1: `weights`, `catalog` and
`texts` say where models and texts come from. 2: `tokenization`, `positions` and `attention` are written from
scratch. 3: `bert` is a model made of room 2. 4: `parity` compares it with Hugging Face, stop by stop.
5: `vectors` turns texts into vectors of every layer. 6: `geometry` measures clouds of vectors and knows no
model. 7: `probing`, `search` and `quantization` are the longer experiments. 8: `show`, `plots` and `views` put
source code and figures on a page. 9: `claims` recomputes every number that the documents print, and
`coursework` checks what students write. On the command line, `python -m tutorial_lib doctor` says what works on
this machine. Heavy libraries load when first used.
"""

__version__ = "0.1.0"
