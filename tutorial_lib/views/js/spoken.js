// A token as it is shown: the space before a word is left out, other white space is named.
function spoken(piece) {
  if (piece === "<|endoftext|>") return "(the end)";
  if (!piece.trim()) return "(space)";
  return piece[0] === " " ? piece.slice(1) : /^[\p{L}\p{N}]/u.test(piece) ? "\u2026" + piece : piece;
}
