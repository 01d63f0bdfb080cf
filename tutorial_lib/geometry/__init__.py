"""Measurements on clouds of vectors: how alike they are, what shape they have, what a picture of them keeps.

Everything here works on plain arrays, NumPy's or torch's, and knows no model.
"""
