// What is seen of a Python text without running it: whether it is Python at all, whether it is nothing but words, and
// which of its functions do nothing. Python's own parser tells the grader; here its tokens do, and what may follow what.
const pythonText = (function () {
  const KEYWORDS = new Set(("False None True and as assert async await break class continue def del elif else except " +
    "finally for from global if import in is lambda nonlocal not or pass raise return try while with yield").split(" "));
  const BLOCKS = new Set("async class def elif else except finally for if try while with".split(" "));
  const ALONE = new Set("break continue pass".split(" "));  // a statement is no longer than this
  const STARTS = new Set("assert del from global import nonlocal raise return".split(" "));
  const BETWEEN = new Set("and as else for from if in is or".split(" "));
  const BEFORE = new Set("await lambda not yield".split(" "));
  const SIGN = /\*\*=|\/\/=|>>=|<<=|\.\.\.|\*\*|\/\/|>>|<<|<=|>=|==|!=|->|:=|[-+*\/%@&|^]=|[-+*\/%@&|^~<>=.,:;()[\]{}]/y;
  const NUMBER = /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.[\d_]*)?|\.\d[\d_]*)(?:[eE][-+]?\d[\d_]*)?[jJ]?/y;
  const NAME = /[\p{ID_Start}_]\p{ID_Continue}*/uy;
  const QUOTE = /([rRbBuUfF]{0,2})("""|'''|"|')/y;
  const CLOSES = { "(": ")", "[": "]", "{": "}" };
  const MOST_OPEN = 200;  // Python's own limit

  function at(pattern, text, place) {
    pattern.lastIndex = place;
    return pattern.exec(text);
  }

  // Where the string ends that begins after this quote; -1 where it does not.
  function ending(text, place, quote) {
    for (; place < text.length; place++) {
      if (text[place] === "\\") place++;
      else if (text.startsWith(quote, place)) return place + quote.length;
      else if (text[place] === "\n" && quote.length === 1) return -1;
    }
    return -1;
  }

  // The logical lines of a text, {indent, tokens: [{kind, text}]}; null where something in it is no Python.
  function lines(text) {
    const found = [], open = [];
    let line = null, place = 0, fresh = true;
    while (place < text.length) {
      if (fresh && !open.length) {
        const indent = at(/[ \t\f]*/y, text, place)[0];
        place += indent.length;
        line = { indent: indent.replace(/\t/g, "        ").length, tokens: [] };
        fresh = false;
        continue;
      }
      const sign = text[place];
      if (sign === "\n") {
        place++;
        if (open.length) continue;
        if (line.tokens.length) found.push(line);
        fresh = true;
      } else if (sign === " " || sign === "\t" || sign === "\f") place++;
      else if (sign === "\\" && text[place + 1] === "\n") place += 2;
      else if (sign === "#") while (place < text.length && text[place] !== "\n") place++;
      else {
        const quote = at(QUOTE, text, place);
        let match;
        if (quote) {
          const end = ending(text, place + quote[0].length, quote[2]);
          if (end < 0) return null;
          line.tokens.push({ kind: /f/i.test(quote[1]) ? "formatted" : "text", text: "" });
          place = end;
        } else if ((match = at(NAME, text, place))) {
          line.tokens.push({ kind: KEYWORDS.has(match[0]) ? "keyword" : "name", text: match[0] });
          place += match[0].length;
        } else if ((match = at(NUMBER, text, place)) && match[0]) {
          if (at(NAME, text, place + match[0].length)) return null;
          line.tokens.push({ kind: "number", text: match[0] });
          place += match[0].length;
        } else if ((match = at(SIGN, text, place))) {
          if (CLOSES[match[0]] && open.push(CLOSES[match[0]]) > MOST_OPEN) return null;
          if (")]}".includes(match[0]) && open.pop() !== match[0]) return null;
          line.tokens.push({ kind: "sign", text: match[0] });
          place += match[0].length;
        } else return null;
      }
    }
    if (open.length) return null;
    if (line && line.tokens.length && found[found.length - 1] !== line) found.push(line);
    return found;
  }

  // The statements of a logical line, {head, tokens}: what opens a block, up to its colon, and what stands behind.
  function statements(line) {
    const found = [];
    let tokens = [], depth = 0, block = BLOCKS.has(line.tokens[0].text) && line.tokens[0].kind === "keyword", lambdas = 0;
    line.tokens.forEach(function (token) {
      if (token.kind === "sign" && CLOSES[token.text]) depth++;
      if (token.kind === "sign" && ")]}".includes(token.text)) depth--;
      if (token.text === "lambda" && !depth) lambdas++;
      if (token.kind === "sign" && token.text === ":" && !depth && lambdas) lambdas--;
      else if (token.kind === "sign" && token.text === ":" && !depth && block) {
        found.push({ head: true, tokens: tokens });
        tokens = [];
        block = false;
        return;
      }
      if (token.kind === "sign" && token.text === ";" && !depth) {
        found.push({ head: false, tokens: tokens });
        tokens = [];
      } else tokens.push(token);
    });
    if (block) return null;  // a block without its colon
    if (tokens.length) found.push({ head: false, tokens: tokens });
    return found.every(function (one) { return one.head || one.tokens.length; }) ? found : null;
  }

  // Whether what stands in a statement may follow each other: a value, then something between, then a value.
  function fits(statement) {
    const tokens = statement.tokens.slice(), open = [];
    let value = false;  // whether a value stands before
    const first = tokens[0] && tokens[0].kind === "keyword" ? tokens[0].text : "";
    if (statement.head) {
      if (tokens[0].text === "async") tokens.shift();
      if (!["for", "if", "elif", "while", "with", "def", "class"].includes(tokens[0].text)) {
        if (tokens[0].text !== "except") return tokens.length === 1;
        if (tokens.length === 1) return true;
      }
      if (tokens[0].text === "def" && (!tokens[1] || tokens[1].kind !== "name" || !tokens[2] || tokens[2].text !== "(")) return false;
      if (tokens[0].text === "class" && (!tokens[1] || tokens[1].kind !== "name")) return false;
      if (tokens[0].text === "for" && !tokens.some(function (token) { return token.text === "in"; })) return false;
      tokens.shift();
    } else if (ALONE.has(first)) return tokens.length === 1;
    else if (STARTS.has(first)) {
      if (first === "from") return tokens.some(function (token) { return token.text === "import"; });
      tokens.shift();
      if (!tokens.length) return first === "return" || first === "raise";
    } else if (BLOCKS.has(first)) return false;
    else if (first === "yield" && tokens.length === 1) return true;
    let before = null, lambda = false, annotated = false;
    for (const token of tokens) {
      const text = token.text, sign = token.kind === "sign" ? text : "";
      if (text === "lambda") lambda = true;
      if (sign === "," && annotated && !open.length) return false;
      annotated = sign === ":" && !lambda && !open.length || annotated && sign !== "=";
      if (token.kind === "keyword" && BETWEEN.has(text)) {
        if (!value && !(before && before.text === "yield" && text === "from") && !(text === "in" && before && before.text === "not") &&
          !(text === "for" && before && before.text === "async")) return false;
        value = false;
      } else if (token.kind === "keyword" && BEFORE.has(text)) {
        if (value && text !== "not") return false;
        value = false;
      } else if (text === "async" && token.kind === "keyword") { /* of an asynchronous comprehension */ }
      else if (token.kind === "keyword" && !["None", "True", "False"].includes(text)) return false;
      else if (["name", "number", "keyword"].includes(token.kind) || token.kind === "text" || token.kind === "formatted") {
        const strings = before && /text|formatted/.test(before.kind) && /text|formatted/.test(token.kind);
        if (value && !strings) return false;
        if (before && before.text === "." && token.kind !== "name") return false;
        value = true;
      } else if (CLOSES[sign]) {
        if (value && sign === "{") return false;
        open.push(sign);
        value = false;
      } else if (")]}".includes(sign)) {
        if (!value && !["(", "[", "{", ",", ":", "/", "*"].includes(before.text)) return false;
        open.pop();
        value = true;
      } else if (sign === "...") {
        if (value) return false;
        value = true;
      } else if (["-", "+", "~", "*", "**"].includes(sign)) {
        if (value && sign === "~" || !value && sign === "**" && !open.length && !lambda) return false;
        value = false;
      } else if (sign === ":" && (open.length || !value && before && before.text === "lambda" || value)) value = false;
      else if (sign === "," && !value && before && ["*", "/", ":"].includes(before.text) && open.length) value = false;
      else if (sign === "/" && open.length && before && before.text === ",") value = false;  // of arguments by place
      else {
        if (!value) return false;
        value = false;
      }
      before = token;
    }
    return value || tokens.length === 0 && statement.head || !!before && before.text === "," && tokens.length > 1;
  }

  // The logical lines, each with its statements; null where the text is no Python.
  function parsed(text) {
    const all = lines(text);
    if (!all) return null;
    const indents = [0];
    let opens = false;
    for (const line of all) {
      line.statements = statements(line);
      const decorator = line.tokens[0].text === "@";
      if (!line.statements || !line.statements.every(function (one) {
        return fits(decorator ? { head: false, tokens: one.tokens.slice(1) } : one);
      })) return null;
      const last = indents[indents.length - 1];
      if (opens ? line.indent <= last : line.indent > last) return null;
      if (opens) indents.push(line.indent);
      while (indents[indents.length - 1] > line.indent) indents.pop();
      if (indents[indents.length - 1] !== line.indent) return null;
      opens = line.statements[line.statements.length - 1].head;
    }
    return opens ? null : all;
  }

  // Whether a statement is a number, a text, or the like, and does nothing.
  function isConstant(statement) {
    const tokens = statement.tokens.filter(function (token) { return token.text !== "(" && token.text !== ")"; });
    const texts = tokens.length > 0 && tokens.every(function (token) { return token.kind === "text"; });
    return !statement.head && (texts || tokens.length === 1 && (tokens[0].kind === "number" ||
      ["None", "True", "False", "..."].includes(tokens[0].text)));
  }

  // Whether the text of a code cell is words: no Python, or nothing but comments and texts.
  function isProse(text) {
    const all = parsed(text);
    if (!all) return !/(?:^|\n)[%!]/.test(text);  // what only a notebook understands
    return all.every(function (line) { return line.statements.every(isConstant); });
  }

  // Name -> how many functions of that name, at the top level of a text, do nothing.
  function stubs(text, most) {
    const found = new Map(), all = text.length > most ? null : parsed(text);
    (all || []).forEach(function (line, number) {
      if (line.indent || line.tokens[0].text !== "def") return;
      const below = all.slice(number + 1), end = below.findIndex(function (next) { return !next.indent; });
      const body = line.statements.slice(1).concat(...below.slice(0, end < 0 ? below.length : end).map(function (next) {
        return next.statements;
      }));
      const nothing = body.every(function (one) { return isConstant(one) || one.tokens[0].text === "pass"; });
      if (nothing) found.set(line.tokens[1].text, (found.get(line.tokens[1].text) || 0) + 1);
    });
    return found;
  }

  return { isProse: isProse, stubs: stubs, parsed: parsed };
})();
