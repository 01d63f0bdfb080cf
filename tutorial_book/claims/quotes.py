"""Quotations that several claims use: R's sentence of 11, L's bear sentence and its tokens."""

LOVE = "I love mathematics!"

BEAR = "Then the bear waited for the door to open with a serendipitous smile."
# The two lists of L 3.2.1 for this sentence, as printed
TOKENS = "Then the bear waited for the door to open with a se ##ren ##di ##pit ##ous smile .".split()
IDS = [1599, 1103, 4965, 3932, 1111, 1103, 1442, 1106, 1501, 1114, 1126, 14516, 5123, 3309, 18965, 2285, 2003, 119]
