// A notebook, read as the grader reads it (coursework/submissions.py), in the same order and by the same rules, which
// the build writes into CHECK_RULES. Nothing in it runs, and nothing of it leaves the page.
//
// checkNotebook(bytes, file, assignment) gives {assignment, problems, answers, ...}: what the grader would tell, and
// what only the saved outputs show. assignment: empty for the one that the notebook says it is.
const checkNotebook = (function () {
  const RULES = CHECK_RULES, LIMITS = RULES.limits;
  const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";  // what Python strips
  const LEFT = new RegExp("^[" + SPACE + "]+"), RIGHT = new RegExp("[" + SPACE + "]$");
  const LETTERS = "\\p{L}\\p{N}_", WORD = "[" + LETTERS + "]";
  const MOST_DIGITS = 4300;  // of a whole number that Python reads
  const releases = new Map(Object.entries(RULES.assignments).map(function (entry) {
    const marked = new Map(Object.entries(entry[1].marked));
    const defined = new Map(Object.entries(entry[1].defined).map(function (one) { return [one[0], new Map(Object.entries(one[1]))]; }));
    return [entry[0], {
      title: entry[1].title,
      marked: marked,
      texts: new Set(entry[1].texts),
      defined: defined,
      asked: [...defined.values()].flatMap(function (names) { return [...names]; }),  // [name, whether it is a function's]
      answers: [...marked.keys()].filter(function (name) { return ["solution", "written"].includes(marked.get(name).role); }),
    }];
  }));

  class Refused extends Error {
    constructor(name, values) { super(name); this.values = values || {}; }
  }

  // A sentence of the grader's, its places filled in.
  function say(name, values) {
    return RULES.told[name].told.replace(/\{(\w+)\}/g, function (place, key) { return values[key]; });
  }

  // --- texts, as Python has them ---------------------------------------------------------------------------------

  function rstrip(text) {
    let end = text.length;
    while (end && RIGHT.test(text[end - 1])) end--;
    return text.slice(0, end);
  }

  function strip(text) { return rstrip(text.replace(LEFT, "")); }

  // A character is one, whatever it takes here.
  function length(text) {
    let pairs = 0;
    for (let place = 0; place < text.length - 1; place++)
      if ((text.charCodeAt(place) & 0xfc00) === 0xd800 && (text.charCodeAt(place + 1) & 0xfc00) === 0xdc00) { pairs++; place++; }
    return text.length - pairs;
  }

  function even(text) { return strip(text).split("\n").map(rstrip).join("\n"); }

  function isObject(value) { return typeof value === "object" && value !== null && !Array.isArray(value); }

  function get(value, key) { return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined; }

  // A text of a notebook, which may be a list of its lines.
  function asText(value) {
    const text = Array.isArray(value) ? value.filter(function (part) { return typeof part === "string"; }).join("") : value;
    return typeof text === "string" ? text : "";
  }

  function source(cell) { return asText(get(cell, "source")).replace(/\0/g, "").replace(/\r\n?/g, "\n"); }

  function gradeId(cell) {
    const name = get(get(get(cell, "metadata"), "nbgrader"), "grade_id");
    return typeof name === "string" ? name : null;
  }

  // --- bytes -----------------------------------------------------------------------------------------------------

  function base(file) { return file.replace(/\/+$/, "").split(/[/\\]|: /).pop(); }

  // JSON as Python takes it: NaN and Infinity are numbers, a whole number of very many digits is none.
  function json(text) {
    const parts = [];
    let place = 0;
    while (place < text.length) {
      let quote = text.indexOf('"', place);
      if (quote < 0) quote = text.length;
      const between = text.slice(place, quote);
      if (new RegExp("(?<![\\d.eE]|[eE][-+])\\d{" + (MOST_DIGITS + 1) + ",}(?![\\d.eE])").test(between)) throw new SyntaxError();
      parts.push(between.replace(/-?Infinity|NaN/g, "null"));
      place = quote;
      if (quote === text.length) break;
      for (place++; place < text.length && text[place] !== '"'; place++) if (text[place] === "\\") place++;
      parts.push(text.slice(quote, ++place));
    }
    return JSON.parse(parts.join(""));
  }

  // What a text is that was handed in as a notebook and is none.
  function instead(text) {
    if (text.startsWith("{")) return "cut-off";
    if (length(text) < 1000 && text.includes("://")) return "link";
    return text.startsWith("<") ? "web-page" : "no-notebook";
  }

  function parsed(bytes, file) {
    if (bytes.length > LIMITS.MOST_BYTES) throw new Refused("large");
    const start = String.fromCharCode(...bytes.slice(0, RULES.most_start));
    for (const [where, pattern, sentence] of RULES.kinds)
      if (new RegExp(pattern, "i").test(where === "name" ? file : start)) throw new Refused(sentence);
    if (bytes.every(function (byte) { return byte === 32 || byte >= 9 && byte <= 13; })) throw new Refused("empty");
    const text = new TextDecoder("utf-8").decode(bytes);
    let notebook;
    try {
      notebook = json(text);
    } catch (error) {
      throw new Refused(instead(text.replace(LEFT, "")));
    }
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      throw new Refused("encoding");
    }
    if (!Array.isArray(get(notebook, "cells"))) throw new Refused("no-cells");
    return notebook.cells.filter(isObject);
  }

  // The assignments that have most of the cells of these names for answers.
  function assignments(cells) {
    const ids = new Set(cells.map(gradeId)), names = [...releases.keys()];
    const counts = names.map(function (name) { return releases.get(name).answers.filter(function (id) { return ids.has(id); }).length; });
    return names.filter(function (name, place) { return counts[place] > 0 && counts[place] === Math.max(...counts); });
  }

  // --- cells -----------------------------------------------------------------------------------------------------

  // A cell's pictures, with those that stand in its text, where Colab puts them; and the text without them.
  function attached(cell, text) {
    const found = new Map(Object.entries(isObject(cell.attachments) ? cell.attachments : {}));
    const left = text.replace(new RegExp(RULES.inline, "g"), function (all, mime, data) {
      const name = "picture-" + (found.size + 1);
      found.set(name, { [mime]: data });
      return "(attachment:" + name + ")";
    });
    return [found, left];
  }

  // Those of the names that are asked for that a text defines at its top level. In a cell that is not of its own question,
  // a value that is assigned to the name of a function is a try.
  function defines(text, own, release) {
    const line = new RegExp("(?<![^\\n])(?:def +(" + WORD + "+)|(" + WORD + "[" + LETTERS + ", ]*)=(?!=))", "gu");
    const functions = new Set(), assigned = new Set();
    for (const start of text.matchAll(line)) {
      if (start[1]) functions.add(start[1]);
      else start[2].match(new RegExp(WORD + "+", "gu")).forEach(function (name) { assigned.add(name); });
    }
    return new Set(release.asked.filter(function (pair) {
      return functions.has(pair[0]) || assigned.has(pair[0]) && (own.has(pair[0]) || !pair[1]);
    }).map(function (pair) { return pair[0]; }));
  }

  // The cells that are no mere text of the assignment's: each with its place, what it is called in the release (null where
  // the student added it), whether the student wrote in it, and what it defines.
  function pieces(cells, release) {
    const found = [];
    cells.forEach(function (cell, number) {
      const kind = cell.cell_type, code = kind === "code";
      let name = gradeId(cell), text = source(cell), pictures = new Map();
      if (!["code", "markdown", "raw"].includes(kind)) return;
      if (!code) [pictures, text] = attached(cell, text);
      // A check of a course's variant names it at its end: all else is as in the notebooks that this page knows.
      if (release.marked.has(name) && release.marked.get(name).role === "check") text = text.replace(new RegExp(RULES.variant), ");");
      if (!release.marked.has(name)) {
        name = null;
        if (release.texts.has(even(text)) || text.startsWith(RULES.install)) return;
      }
      const own = name === null || even(text) !== even(release.marked.get(name).source);
      const mine = release.defined.get(name) || new Map();
      found.push({
        name: name, kind: code ? "code" : "markdown", text: text, cell: cell, own: own, number: number + 1, pictures: pictures,
        defines: own && (mine.size || name === null && code) ? defines(text, mine, release) : new Set(),
      });
    });
    return found;
  }

  // What is too much is cut off, first of what was added.
  function cutOff(all, problem) {
    const own = all.filter(function (piece) { return piece.own; });
    own.sort(function (one, other) { return (one.name === null) - (other.name === null); });
    let left = LIMITS.MOST_TEXT;
    if (own.reduce(function (sum, piece) { return sum + length(piece.text); }, 0) > left)
      problem("long", { most: left.toLocaleString("en-US") });
    own.forEach(function (piece) {
      piece.text = [...piece.text].slice(0, left).join("");
      left -= length(piece.text);
    });
  }

  // Name -> the piece that counts. Of copies of an answer it is the last that was written in; the rest was added.
  function counting(all, release, problem) {
    const mine = new Map();
    release.marked.forEach(function (original, name) {
      const same = all.filter(function (piece) { return piece.name === name; });
      const own = same.filter(function (piece) { return piece.own; }), answer = release.answers.includes(name);
      if (!same.length) return;
      mine.set(name, own.length && answer ? own[own.length - 1] : same[0]);
      if (answer && same.length > 1) {
        problem("copies", { name: name, times: same.length === 2 ? "twice" : same.length + " times" }, same[same.length - 1]);
        own.slice(0, -1).forEach(function (piece) { [piece.name, piece.defines] = [null, new Set()]; });
      }
      if (!answer && own.length) problem("changed", { name: name }, own[0]);
    });
    return mine;
  }

  // Answer -> the pieces that hold it: its own cell, and where that lacks one of its names, the last that has it.
  function held(all, mine, release, problem) {
    const answers = new Map();
    if (!mine.size) problem("nameless");
    release.answers.forEach(function (answer) {
      const own = mine.get(answer), others = [];
      (release.defined.get(answer) || new Map()).forEach(function (isFunction, name) {
        const there = all.filter(function (piece) { return piece.defines.has(name); });
        if (there.includes(own) && there.length > 1)
          problem("twice", { name: name, cell: answer }, there.filter(function (piece) { return piece !== own; }).pop());
        else if (there.length && !there.includes(own)) others.push(there[there.length - 1]);
      });
      if (others.length && mine.size) problem("elsewhere", { name: answer }, others[0]);
      const pieces = own && (own.own || !others.length) ? [own, ...others] : others;
      if (pieces.length) answers.set(answer, pieces);
    });
    return answers;
  }

  // Whether an added cell may hold an answer in words, typed or as a picture.
  function mayAnswer(text) { return length(text) > RULES.few_words || text.includes("attachment:"); }

  // What is missing or blank; nameless: the words have no cell of their own.
  function noteBlank(answers, extra, nameless, release, problem) {
    const words = extra.find(function (piece) { return piece.kind === "markdown" && mayAnswer(piece.text); });
    const lost = release.answers.filter(function (name) {
      return !answers.has(name) && !(nameless && words && !release.defined.has(name));
    });
    if (lost.length) problem("missing", { names: lost.join(", "), name: lost[0] });
    const pieces = [...answers.values()].flat().filter(function (piece) { return piece.own; });
    const blank = !pieces.length && !extra.some(function (piece) { return piece.kind === "code"; });
    if (blank) problem("blank");
    const written = new Set(pieces.map(function (piece) { return piece.name; }));
    const empty = release.answers.filter(function (name) {
      return release.marked.get(name).role === "written" && !written.has(name);
    });
    if (empty.length && words && !nameless) problem("words", { names: empty.join(", "), name: empty[0] }, words);
    return blank;
  }

  // --- pictures --------------------------------------------------------------------------------------------------

  // Where a JPEG's frame says its height and width; null where there is none, or it would take long to show.
  function frame(bytes) {
    let scans = 0;
    for (let place = 0; place < bytes.length - 1; place++) if (bytes[place] === 0xff && bytes[place + 1] === 0xda) scans++;
    if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || scans > LIMITS.MOST_SCANS) return null;
    let place = 2;
    while (bytes[place] === 0xff && RULES.segments.includes(bytes[place + 1])) place += 2 + (bytes[place + 2] << 8) + bytes[place + 3];
    return bytes[place] === 0xff && RULES.frames.includes(bytes[place + 1]) && place + 9 <= bytes.length ? [place + 5, 2] : null;
  }

  // Whether this is a PNG that does not move.
  function still(text) { return text.startsWith("\x89PNG\r\n\x1a\n\0\0\0\rIHDR") && !/\0[\0-\x0f][^]{2}acTL/.test(text); }

  // How many pixels a picture in base64 says that it has; 0 where it is none.
  function pixels(mime, data) {
    if (data.length % 4 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return 0;
    let text;
    try { text = atob(data); } catch (error) { return 0; }
    const bytes = Uint8Array.from(text, function (sign) { return sign.charCodeAt(0); });
    const head = mime !== "image/png" ? frame(bytes) : still(text) && bytes.length >= 24 && [16, 4];
    if (!head) return 0;
    return [0, 1].map(function (side) {
      return bytes.slice(head[0] + side * head[1], head[0] + (side + 1) * head[1]).reduce(function (sum, byte) { return sum * 256 + byte; }, 0);
    }).reduce(function (height, width) { return height * width; });
  }

  // The pictures that are not shown: of another type, too many, or larger than a picture may be.
  function lostPictures(answers, extra, problem) {
    let bytes = LIMITS.MOST_PICTURES, area = LIMITS.MOST_PIXELS;
    function keep(where, name, list) {
      let kept = 0, lost = 0;
      list.forEach(function (piece) {
        piece.pictures.forEach(function (types, file) {
          const mime = ["image/png", "image/jpeg"].find(function (type) { return isObject(types) && Object.hasOwn(types, type); });
          const data = mime ? asText(types[mime]).replace(new RegExp("[" + SPACE + "]+", "g"), "") : "";
          const needs = Math.floor(length(data) * 3 / 4), printable = /^(?:[^\p{C}\p{Z}]| )*$/u.test(file) && length(file) <= 200;
          const fits = kept < LIMITS.MOST_IN_CELL && needs <= Math.min(LIMITS.MOST_PICTURE, bytes);
          const has = fits && printable ? pixels(mime, data) : 0;
          if (has > 0 && has <= area) [kept, bytes, area] = [kept + 1, bytes - needs, area - has];
          else lost++;
        });
      });
      if (lost) problem("pictures", { count: lost, where: where, pixels: LIMITS.MOST_PIXELS.toLocaleString("en-US"), name: name }, list[0]);
    }
    answers.forEach(function (list, name) { keep(name, name, list); });
    extra.forEach(function (piece, number) { keep("added-" + number, null, [piece]); });
  }

  function joined(list) {
    const between = list[0].kind === "code" ? "\n\n# in another cell:\n" : "\n\n";
    return [...new Set(list.map(function (piece) { return piece.text; }))].join(between);
  }

  // --- what the saved outputs show: the grader runs the code itself ------------------------------------------------

  function outputText(cell) {
    return (Array.isArray(cell.outputs) ? cell.outputs : []).map(function (output) { return asText(get(output, "text")); }).join("");
  }

  function isComment(text) { return text.split("\n").every(function (line) { return /^\s*(?:#|$)/.test(line); }); }

  function looks(all, problem) {
    const code = all.filter(function (piece) { return piece.cell.cell_type === "code" && piece.text.trim() && !piece.name?.endsWith("-hidden"); });
    const ran = code.filter(function (piece) { return Number.isInteger(piece.cell.execution_count); });
    const still = code.filter(function (piece) { return !ran.includes(piece) && !isComment(piece.text); });
    if (!ran.length && still.length) problem("never-ran", {});
    else if (still.length) problem("not-run", { cells: still.map(function (piece) { return piece.number; }).join(", ") }, still[0]);
    const late = ran.find(function (piece, place) {
      return ran.slice(place + 1).some(function (next) { return next.cell.execution_count < piece.cell.execution_count; });
    });
    if (late) problem("out-of-order", { cell: "Cell " + late.number }, late);
    ran.forEach(function (piece) {
      const error = (Array.isArray(piece.cell.outputs) ? piece.cell.outputs : []).find(function (output) {
        return get(output, "output_type") === "error";
      });
      if (error) problem("stopped", { cell: "Cell " + piece.number, error: asText(get(error, "ename")).slice(0, 60) || "an error" }, piece);
      else if (piece.name && /(?:^|\n)✗/.test(outputText(piece.cell))) problem("red", { name: piece.name }, piece);
    });
  }

  // --- all of it -------------------------------------------------------------------------------------------------

  function look(bytes, file, wanted, problems) {
    // values.name: the cell of the release that a problem is about; piece: where it was seen.
    let release = null;
    function problem(name, values, piece, page) {
      const about = values && (values.cell && release.marked.has(values.cell) ? values.cell : values.name) || piece && piece.name || "";
      problems.push({
        name: name, told: say(name, values || {}), weight: RULES.told[name].weight, row: RULES.told[name].row, cell: about,
        question: release && release.marked.has(about) ? release.marked.get(about).question : "",
        number: piece ? piece.number : null, page: !!page,
      });
    }
    function ofThePage(name, values, piece) { problem(name, values, piece, true); }

    const cells = parsed(bytes, file), fitting = assignments(cells);
    if (wanted && fitting.length && !fitting.includes(wanted)) throw new Refused("another", { which: fitting[0], assignment: wanted });
    const assignment = wanted || fitting[0] || likeliest(cells);
    release = releases.get(assignment);
    const all = pieces(cells, release);
    if (!fitting.length && !all.some(function (piece) { return piece.defines.size; })) throw new Refused("foreign");
    cutOff(all, problem);
    const mine = counting(all, release, problem), added = all.filter(function (piece) { return piece.name === null; });
    if (added.length > LIMITS.MOST_ADDED) problem("many-added", { count: added.length, most: LIMITS.MOST_ADDED }, added[LIMITS.MOST_ADDED]);
    const counted = new Set([...mine.values(), ...added.slice(0, LIMITS.MOST_ADDED)]);
    const texts = held(all.filter(function (piece) { return counted.has(piece); }), mine, release, problem);
    const used = new Set([...texts.values()].flat());
    const extra = added.slice(0, LIMITS.MOST_ADDED).filter(function (piece) { return !used.has(piece); });
    const blank = noteBlank(texts, extra, !mine.size, release, problem);
    lostPictures(texts, extra, problem);

    const elsewhereInWords = extra.some(function (piece) { return piece.kind === "markdown" && mayAnswer(piece.text); });
    const answers = release.answers.map(function (name) {
      const cell = release.marked.get(name), text = texts.has(name) ? strip(joined(texts.get(name))) : "";
      const words = cell.role === "written" && elsewhereInWords;
      const written = words || texts.has(name) && text !== "" && text !== strip(cell.source);
      return { name: name, question: cell.question, written: written };
    });
    answers.forEach(function (answer) {
      if (!answer.written && !blank && texts.has(answer.name)) ofThePage("not-written", { name: answer.name }, mine.get(answer.name));
    });
    const called = [...releases.keys()].find(function (name) { return base(file).startsWith(name); });
    if (called && called !== assignment) ofThePage("called", { file: base(file), title: release.title });
    const given = [...release.marked.keys()].filter(function (name) { return !release.answers.includes(name) && !mine.has(name); });
    if (given.length && fitting.length) ofThePage("missing-given", { names: given.join(", ") });
    looks(all, ofThePage);
    return { assignment: assignment, title: release.title, answers: answers, problems: problems };
  }

  // Of a notebook that lost all names: the assignment whose functions it has most of.
  function likeliest(cells) {
    const scores = [...releases].map(function (entry) {
      return [pieces(cells, entry[1]).filter(function (piece) { return piece.defines.size; }).length, entry[0]];
    });
    return scores.reduce(function (best, one) { return one[0] > best[0] ? one : best; })[1];
  }

  function refusal(file, error) {
    const reason = say(error.message, error.values), again = reason.includes(": ") ? "" : " " + say("again");
    const told = say("refused", { what: "file", file: base(file), reason: reason }) + (reason.endsWith("?") ? "" : ".") + again;
    const rule = RULES.told[error.message];
    return { name: error.message, told: told, weight: rule.weight, row: rule.row, cell: "", question: "", number: null, page: false };
  }

  return function (bytes, file, assignment) {
    try {
      return look(bytes, file, assignment || "", []);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { assignment: assignment || "", title: "", answers: [], problems: [refusal(file, error)] };
    }
  };
})();
