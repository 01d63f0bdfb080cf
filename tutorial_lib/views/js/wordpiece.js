// WordPiece by the rules of tutorial_lib/tokenization, in the same order: the explorer's tokenizer, and the live models'.

// A function from a text to its words, each with tokens, ids, where its matches end, and its kind.
function WordPiece(data, tokens) {
  var vocab = new Map(tokens.map(function (token, i) { return [token, i]; }));
  var fold = Folder(data);

  // The text between special tokens, and these; nothing but a lone half of a character is lost.
  return function (text) {
    var words = [], whole = Array.from(text).filter(function (c) { return !/^[\ud800-\udfff]$/.test(c); }).join("");
    parts(whole, data.special).forEach(function (part) {
      if (data.special.indexOf(part) >= 0) {
        words.push(known(part, [vocab.has(part) ? part : data.unknown], [], "special"));
        return;
      }
      Array.from(part).map(fold).join("").split(" ").filter(Boolean).forEach(function (word) { words.push(cut(word)); });
    });
    return words;
  };

  function known(word, tokens, ends, kind) {
    return { word: word, tokens: tokens, ids: tokens.map(function (t) { return vocab.get(t); }), ends: ends, kind: kind };
  }

  function cut(word) {
    var letters = Array.from(word), tokens = [], ends = [], start = 0;
    if (letters.length > data.longestWord) return known(word, [data.unknown], [], "long");
    while (start < letters.length) {
      var end = Math.min(letters.length, start + data.longestPiece), prefix = start ? "##" : "";
      while (end > start && !vocab.has(prefix + letters.slice(start, end).join(""))) end--;
      if (end === start) return known(word, [data.unknown], ends, "unknown");
      tokens.push(prefix + letters.slice(start, end).join(""));
      ends.push((start = end));
    }
    return known(word, tokens, ends, "pieces");
  }
}

function parts(text, special) {
  var found = [], start = 0, i = 0;
  while (i < text.length) {
    var token = special.find(function (t) { return text.startsWith(t, i); });
    if (!token) { i++; continue; }
    found.push(text.slice(start, i), token);
    i = start = i + token.length;
  }
  return found.concat(text.slice(start)).filter(Boolean);
}

// What BERT makes of one character before it looks into the vocabulary; spaces in the answer cut words.
function Folder(data) {
  var is = {}, folded = new Map();
  Object.keys(data.tables).forEach(function (name) { if (name !== "YOUNG_CAPITALS") is[name] = Kind(data.tables[name]); });
  var young = data.tables.YOUNG_CAPITALS.map(function (pair) { return [Kind(pair[0]), pair[1]]; });

  function lower(c) {
    var found = young.find(function (pair) { return pair[0](c); });
    return found ? String.fromCodePoint(c.codePointAt(0) + found[1]) : c.toLowerCase();
  }

  function fold(c) {
    if (is.CONTROL(c)) return "";
    if (is.WHITE(c)) return " ";
    var marks = [c];
    if (data.stripAccents)
      marks = Array.from(is.WHOLE(c) ? c : c.normalize("NFD")).filter(function (part) { return !is.ACCENT(part); });
    if (data.lowercase) marks = Array.from(marks.map(lower).join(""));
    var text = marks.map(function (part) { return is.PUNCTUATION(part) ? " " + part + " " : part; }).join("");
    return data.splitChinese && is.CHINESE(c) ? " " + text + " " : text;
  }

  return function (c) {
    if (!folded.has(c)) folded.set(c, fold(c));
    return folded.get(c);
  };
}

// A set of characters from ranges in hexadecimal, "41-5A 61-7A AA".
function Kind(table) {
  var ranges = table.split(" ").map(function (part) {
    return part.split("-").map(function (code) { return parseInt(code, 16); });
  });
  return function (c) {
    var code = c.codePointAt(0);
    return ranges.some(function (range) { return range[0] <= code && code <= range[range.length - 1]; });
  };
}
