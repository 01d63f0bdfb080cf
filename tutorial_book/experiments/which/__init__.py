"""Which sense does a sentence give a word? One axis between two senses, tracked through the layers; interventions.

After layer l, a word's vector h is at x = (h · d - m_l) / s. d is the difference of the two senses' mean vectors after
the last layer, m_l the middle between the two means after layer l, along d, and s half the distance of the last means.
So all depths share one axis, and after the last layer the two means are at -1 and +1. The strip |x| < `STRIP` is called
"cannot tell": that names a strip, it is not a judgment of the model. z is the position on a second direction. It keeps
dots apart in a drawing and means nothing.

A module loads when one of its names is first used.
"""

from tutorial_lib import late

STRIP = 0.3

__getattr__, __dir__, __all__ = late(__name__, {
    "axis": "READ_OUTS Axis axis_between d_prime interval left_out place_of states toward",
    "hearing": "Uses decided other_words uses",
    "page": "answers data_for eight_bits map_of rounded_uses",
    "sentences": "CONTROLS HOMONYMS Use Word words",
})
