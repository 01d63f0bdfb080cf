"""Transformers from scratch: the library that the book runs on.

Its modules are rooms. A room imports only from rooms of its own line and of lines with a lower number, and no two
modules import each other; a test reads this list and holds both. Heavy libraries load when first used.

 1  arguments, trace, catalog, weights, texts, corpus, toy    where models and texts come from
 2  tokenization, positions, attention, decoding, pretraining  from scratch
 3  checkpoints, families                                      files and names of Hugging Face; knows no model class
 4  bert, gpt, encoder_decoder                                 families made of 2, with their Config and table of names
 5  parity, saving                                             ours against Hugging Face's, value by value; in its files
 6  vectors, inference, generation, interventions              text -> vectors of every layer; more text; other heads
 7  geometry                                                   measurements on arrays; knows no model
 8  training, recipes, model_cards, tuning                     models that are trained here, and what they are worth
 8  probing, head_roles, search, quantization, real_texts, dynamics  the other long experiments
 8  distillation, cost                                        what a smaller model keeps; what a longer text takes
 8  measure, cluster                                          a corpus past memory, on many processes or machines
 8  speed                                                      what was measured beside peers
 8  genomics                                                  a simulated virus, and a BERT that tells its variants
 9  show, guess, table, plots, views                           what stands on a page
10  claims, exercises                                          the documents' numbers recomputed; what students write
11  __main__                                                   doctor | claims | parity | train | measure
"""

__version__ = "0.1.0"
