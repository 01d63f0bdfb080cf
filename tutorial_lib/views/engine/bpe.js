// GPT-2's tokenizer, by the rules of tutorial_lib/tokenization/bpe.py: chunks, bytes, and merges in the order in which
// they were learned. Returned is a function from a text to its tokens.
function BPE(data) {
  const [L, N, S] = ["LETTER", "NUMBER", "WHITE"].map((name) => ranges(data.tables[name]));
  const chunk = new RegExp(`'s|'t|'re|'ve|'m|'ll|'d| ?[${L}]+| ?[${N}]+| ?[^${S}${L}${N}]+|[${S}]+(?![^${S}])|[${S}]+`, "gu");
  const letter = Array.from(data.bytes), rank = new Map(data.merges.map((pair, i) => [pair, i])), known = new Map();

  function pieces(text) {
    if (!known.has(text)) known.set(text, glue(Array.from(new TextEncoder().encode(text), (byte) => letter[byte])));
    return known.get(text);
  }

  // Again and again the pair that was learned first.
  function glue(word) {
    while (word.length > 1) {
      const ranks = word.slice(1).map((token, i) => rank.get(`${word[i]} ${token}`) ?? Infinity);
      const first = ranks.reduce((a, b) => Math.min(a, b));
      if (first === Infinity) break;
      const glued = [], pair = data.merges[first].split(" ");
      for (let i = 0; i < word.length; i++) {
        const both = word[i] === pair[0] && word[i + 1] === pair[1];
        glued.push(both ? pair[0] + pair[1] : word[i]);
        if (both) i++;
      }
      word = glued;
    }
    return word;
  }

  const whole = (text) => Array.from(text).filter((c) => !/^[\ud800-\udfff]$/.test(c)).join("");
  return (text) => parts(whole(text), data.special).flatMap((part) => (data.special.includes(part) ? [part] : (part.match(chunk) || []).flatMap(pieces)));
}

// "41-5A 61-7A AA" as the inside of a class of a regular expression.
function ranges(table) {
  return table.split(" ").map((range) => range.split("-").map((code) => `\\u{${code}}`).join("-")).join("");
}
