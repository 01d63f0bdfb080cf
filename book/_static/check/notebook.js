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
    const starters = [...marked.values()].filter(function (cell) { return cell.role === "solution"; });
    return [entry[0], {
      title: entry[1].title,
      marked: marked,
      names: new Map(Object.entries(entry[1].names)),
      questions: new Map(Object.entries(entry[1].questions)),
      defined: defined,
      wanted: new Map([...defined.values()].flatMap(function (names) { return [...names]; })),
      answers: [...marked.keys()].filter(function (name) { return ["solution", "written"].includes(marked.get(name).role); }),
      functions: starters.map(function (cell) { return cell.source; }).join("\n").split("\n").map(function (line) {
        return (line.match(new RegExp("^def (" + WORD + "+)", "u")) || [])[1];
      }).filter(Boolean),
    }];
  }));

  class Refused extends Error {
    constructor(name, values) { super(name); this.values = values || {}; }
  }

  // A sentence of the grader's, its places filled in.
  function say(name, values) {
    const filled = Object.assign({ again: RULES.told.again.told }, values);
    return RULES.told[name].told.replace(/\{(\w+)\}/g, function (place, key) { return filled[key]; });
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

  // Bytes that a text takes in Python's memory.
  function size(text) {
    if (!/[^\x00-\x7f]/.test(text)) return 49 + text.length;
    if (!/[^\x00-\xff]/.test(text)) return 73 + text.length;
    const characters = length(text);
    return characters < text.length ? 76 + 4 * characters : 74 + 2 * characters;
  }

  function even(text) {
    return length(text) > LIMITS.MOST_CODE ? text : strip(text).split("\n").map(rstrip).join("\n");
  }

  function count(text, part) { return text.split(part).length - 1; }

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

  function withoutStrings(text) {
    return text.replaceAll("\\\\", "").replaceAll('\\"', "").replace(/"[^"]*"/g, "");
  }

  function nParts(text) { return count(text, ",") + count(text, "[") + count(text, "{"); }

  function depth(bare) {
    let now = 0, most = 0;
    for (const sign of bare) {
      if (sign === "[" || sign === "{") most = Math.max(most, ++now);
      else if (sign === "]" || sign === "}") now--;
    }
    return most;
  }

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
    if (/(?:^|\n)<{7} /.test(text) && /(?:^|\n)={7}(?:\n|$)/.test(text)) return "conflict";
    if (text.startsWith("{")) return "cut-off";
    if (text.startsWith("%PDF")) return "pdf";
    if (length(text) < 1000 && text.includes("://")) return "link";
    return text.startsWith("<") ? "web-page" : "no-notebook";
  }

  function parsed(bytes, file, problem) {
    if (bytes.length > LIMITS.MOST_BYTES) throw new Refused("large");
    if (bytes.every(function (byte) { return byte === 32 || byte >= 9 && byte <= 13; })) throw new Refused("empty");
    for (const [pattern, name] of Object.entries(RULES.others)) if (new RegExp(pattern, "i").test(file)) throw new Refused(name);
    if (RULES.archives.some(function (start) { return start.every(function (byte, place) { return bytes[place] === byte; }); }))
      throw new Refused("archive");
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch (error) {
      text = new TextDecoder("utf-8").decode(bytes);
      problem("encoding");
    }
    const bare = withoutStrings(text);
    if (nParts(text) > LIMITS.MOST_PARTS && nParts(bare) > LIMITS.MOST_PARTS || depth(bare) > LIMITS.MOST_DEPTH) throw new Refused("parts");
    let notebook;
    try {
      notebook = json(text);
    } catch (error) {
      throw new Refused(instead(text.replace(LEFT, "")));
    }
    if (isObject(notebook) && Object.hasOwn(notebook, "worksheets")) throw new Refused("old");
    if (!Array.isArray(get(notebook, "cells"))) throw new Refused("no-cells");
    if (notebook.cells.length > LIMITS.MOST_CELLS) throw new Refused("many-cells", { most: LIMITS.MOST_CELLS });
    if (!file.toLowerCase().endsWith(".ipynb")) problem("name", { file: base(file) });
    return { metadata: isObject(notebook.metadata) ? notebook.metadata : {}, cells: notebook.cells.filter(isObject) };
  }

  // The assignments that a notebook may be: by its metadata, else by its cells' names or functions.
  function assignments(notebook) {
    const named = get(get(notebook.metadata, "coursework"), "assignment"), ids = new Set(notebook.cells.map(gradeId));
    const text = notebook.cells.map(source).join("\n"), found = releases.has(named) ? [named] : [];
    releases.forEach(function (release, name) {
      const known = [...release.defined.keys()].some(function (id) { return ids.has(id); });
      const functions = release.functions;
      if (known || functions.length && functions.every(function (one) { return text.includes("def " + one); })) found.push(name);
    });
    return found;
  }

  // --- cells -----------------------------------------------------------------------------------------------------

  // Code without the indent of its first line, which IPython takes off all lines.
  function withoutIndent(code) {
    const indent = /^\n*([ \t]*)/.exec(code)[1];
    return indent ? code.split("\n").map(function (line) { return line.startsWith(indent) ? line.slice(indent.length) : line; }).join("\n") : code;
  }

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

  // The names of solutions that a text defines at its top level, and not as they were handed out.
  function defines(text, release, mine) {
    const line = new RegExp("(?<![^\\n])(?:def +(" + WORD + "+)|(" + WORD + "[" + LETTERS + ", ]*)=(?!=))", "gu");
    const times = new Map(), evened = even(text), nothing = pythonText.stubs(text, LIMITS.MOST_STUB);
    for (const start of text.matchAll(line))
      for (const name of (start[1] || start[2]).match(new RegExp(WORD + "+", "gu")))
        if (start[1] || mine.has(name) || !release.wanted.get(name)) times.set(name, (times.get(name) || 0) + 1);
    return new Set([...times.keys()].filter(function (name) {
      if (!release.wanted.has(name)) return false;
      const starter = even(release.wanted.get(name));
      return times.get(name) > Math.max(starter && count(evened, starter), nothing.get(name) || 0);
    }));
  }

  // The cells that are not empty: each with its place, what it is called in the release (null where the student added
  // it), whether the student wrote in it, what it defines, and the written cell whose question stands before.
  function pieces(notebook, release) {
    const ids = new Set(notebook.cells.map(gradeId)), found = [];
    let question = null, left = LIMITS.MOST_ANSWER;
    notebook.cells.forEach(function (cell, number) {
      const kind = cell.cell_type;
      let name = gradeId(cell), text = source(cell), pictures = null;
      if (kind === "code") text = withoutIndent(text);
      else [pictures, text] = attached(cell, text);
      if (text.startsWith(RULES.install) || !["code", "markdown", "raw"].includes(kind)) return;
      if (!release.marked.has(name)) {
        name = release.names.has(even(text)) ? release.names.get(even(text)) : null;
        if (name && ids.has(name)) name = "";  // a copy: the cell itself is there
      }
      if (name === "") question = release.questions.has(even(text)) ? release.questions.get(even(text)) : question;
      else if (name !== null) question = release.marked.get(name).role === "written" ? name : null;
      else if (kind !== "code") release.questions.forEach(function (after, start) {  // a question, and the answer below it
        if (after && even(text).startsWith(start)) [question, text] = [after, strip(even(text).slice(start.length))];
      });
      let code = kind === "code";
      if (code && name === null && question && length(text) <= left) {  // words in a code cell
        code = !pythonText.isProse(text);
        left -= length(text);
      }
      const own = name === null || name !== "" && even(text) !== even(release.marked.get(name).source);
      const answers = code && own && (name === null || release.marked.get(name).role === "solution");
      found.push({
        name: name, kind: code ? "code" : "markdown", text: text, cell: cell, own: own, question: question, number: number + 1,
        pictures: pictures || new Map(Object.entries(isObject(cell.attachments) ? cell.attachments : {})),
        defines: answers ? defines(text, release, release.defined.get(name) || new Map()) : new Set(),
      });
    });
    return found;
  }

  // Name -> the pieces that count: all its copies that the student wrote in, in order; else the first one.
  function counting(all, stripped, release, problem) {
    const mine = new Map(), given = [];
    release.marked.forEach(function (original, name) {
      const same = all.filter(function (piece) { return piece.name === name; });
      const own = same.filter(function (piece) { return piece.own; }), answer = release.answers.includes(name);
      if (same.length) mine.set(name, own.length ? own : same.slice(0, 1));
      else if (!answer) given.push(name);
      const named = same.filter(function (piece) { return gradeId(piece.cell) === name; });
      if (named.length > 1 && answer) {
        const times = named.length === 2 ? "twice" : named.length + " times";
        problem(original.role === "written" ? "copies-all" : "copies-last", { name: name, times: times }, named[named.length - 1]);
      }
      if (!answer && own.length) problem("changed", { name: name }, own[0]);
    });
    return [mine, stripped ? [] : given];
  }

  function ownOf(name, mine) { return (mine.get(name) || []).filter(function (piece) { return piece.own; }); }

  // The pieces beside its own cell that hold an answer: words below the question, or code that defines its names.
  function others(name, own, all, release) {
    if (release.marked.get(name).role === "written")
      return all.filter(function (one) {
        const words = one.name === null && one.kind === "markdown" && one.question === name;
        return words && !(own.length && one.text.startsWith("#"));  // a heading begins something else
      });
    const wanted = [...release.defined.get(name).keys()].filter(function (defined) {
      return !own.some(function (one) { return one.defines.has(defined); });
    });
    const lists = wanted.map(function (defined) { return all.filter(function (one) { return one.defines.has(defined); }); });
    if (!own.length && lists.some(function (list) { return !list.length; })) return [];
    return lists.filter(function (list) { return list.length; }).map(function (list) { return list[list.length - 1]; });
  }

  // Name -> the pieces that hold the answer, where the cell that is for it holds none of it, or not all.
  function elsewhere(all, mine, stripped, release, problem) {
    const found = new Map();
    release.answers.forEach(function (name) {
      const own = ownOf(name, mine), more = others(name, own, all, release);
      if (!more.length) return;
      found.set(name, all.filter(function (piece) { return own.includes(piece) || more.includes(piece); }));
      if (own.length) problem(release.marked.get(name).role === "written" ? "goes-on" : "part-elsewhere", { name: name }, more[0]);
      else if (!stripped) problem("elsewhere", { name: name }, more[0]);
    });
    const lost = release.answers.filter(function (name) { return !mine.has(name) && !found.has(name); });
    if (lost.length && !stripped) problem("missing", { names: lost.join(", "), name: lost[0] });
    return found;
  }

  function definedAgain(all, mine, release, problem) {
    release.defined.forEach(function (names, solution) {
      const own = ownOf(solution, mine);
      names.forEach(function (starter, name) {
        const there = all.filter(function (one) { return one.defines.has(name); });
        const outside = there.filter(function (one) { return !own.includes(one); });
        if (outside.length && outside.length < there.length) problem("twice", { name: name, cell: solution }, outside[outside.length - 1]);
      });
    });
  }

  // --- what does not fit -----------------------------------------------------------------------------------------

  // Whether a piece stands for code that runs: given cells, cells of answers that stand nowhere else, added ones.
  function runs(piece, mine, found, shown, release) {
    if (piece.name === null) return piece.kind === "code" && shown.has(piece);
    if (piece.name === "" || !["given", "solution"].includes(release.marked.get(piece.name).role)) return false;
    return mine.get(piece.name).includes(piece) && (!found.has(piece.name) || shown.has(piece));
  }

  function tooMuchCode(running, release, problem) {
    let left = LIMITS.MOST_CODE;
    const over = running.find(function (piece) {
      if (piece.name && release.marked.get(piece.name).role === "given") return false;
      left -= size(piece.text);
      return left < 0;
    });
    if (over) problem("much-code", {}, over);
  }

  // Where a JPEG's frame says its height and width; null where there is none, or it would take long to show.
  function frame(bytes) {
    let scans = 0;
    for (let place = 0; place < bytes.length - 1; place++) if (bytes[place] === 0xff && bytes[place + 1] === 0xda) scans++;
    if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || scans > LIMITS.MOST_SCANS) return null;
    for (let place = 2; bytes[place] === 0xff; place += 2 + (bytes[place + 2] << 8) + bytes[place + 3])
      if (RULES.frames.includes(bytes[place + 1])) return place + 9 <= bytes.length ? [place + 5, 2] : null;
    return null;
  }

  // How many pixels a picture in base64 says that it has; 0 where it is none.
  function pixels(mime, data) {
    if (data.length % 4 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return 0;
    let text;
    try { text = atob(data); } catch (error) { return 0; }
    const bytes = Uint8Array.from(text, function (sign) { return sign.charCodeAt(0); });
    const head = mime !== "image/png" ? frame(bytes) : text.startsWith("\x89PNG\r\n\x1a\n\0\0\0\rIHDR") && bytes.length >= 24 && [16, 4];
    if (!head) return 0;
    return [0, 1].map(function (side) {
      return bytes.slice(head[0] + side * head[1], head[0] + (side + 1) * head[1]).reduce(function (sum, byte) { return sum * 256 + byte; }, 0);
    }).reduce(function (height, width) { return height * width; });
  }

  // The pictures that are not shown: of another type, too many, or larger than a picture may be.
  function lostPictures(texts, extra, problem) {
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
    let left = LIMITS.MOST_TEXT;
    texts.forEach(function (list, name) {
      const text = joined(list), most = Math.min(LIMITS.MOST_ANSWER, Math.floor(Math.max(left, 0) * length(text) / size(text)));
      left -= length(text) > most ? Math.min(size(text), most + 130) : size(text);
      keep(name, name, list);
    });
    extra.every(function (piece, number) {
      left -= size(piece.text);
      if (left >= 0) keep("added-" + number, null, [piece]);
      return left >= 0;
    });
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

  function looks(all, notebook, problem) {
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

    if (file.includes(RULES.checkpoints)) problem("checkpoint");
    const slips = [], notebook = parsed(bytes, file, function (name, values) { slips.push([name, values]); });
    const fitting = assignments(notebook);
    if (wanted && fitting.length && !fitting.includes(wanted))
      throw new Refused("another", { which: fitting[0], assignment: wanted });
    const assignment = wanted || fitting[0] || likeliest(notebook);
    release = releases.get(assignment);
    slips.forEach(function (slip) { problem(slip[0], slip[1]); });
    const all = pieces(notebook, release);
    const stripped = !all.some(function (piece) { return release.marked.has(gradeId(piece.cell)); });
    if (stripped) problem("stripped");
    const [mine, given] = counting(all, stripped, release, problem);
    const found = elsewhere(all, mine, stripped, release, problem);
    if (!fitting.length && !found.size && !mine.size) throw new Refused("foreign");
    const used = new Set([...found.values()].flat());
    const added = all.filter(function (piece) { return piece.name === null && !used.has(piece); });
    const blank = !found.size && !added.some(function (piece) { return piece.kind === "code"; }) &&
      !release.answers.some(function (name) { return ownOf(name, mine).length; });
    if (blank) problem("blank");
    if (added.length > LIMITS.MOST_ADDED) problem("many-added", { count: added.length, most: LIMITS.MOST_ADDED }, added[LIMITS.MOST_ADDED]);
    definedAgain(all, mine, release, problem);
    const extra = added.slice(0, LIMITS.MOST_ADDED), shown = new Set([...used, ...extra]);
    tooMuchCode(all.filter(function (piece) { return runs(piece, mine, found, shown, release); }), release, problem);
    const texts = new Map();
    release.answers.forEach(function (name) {
      if (found.has(name) || mine.has(name)) texts.set(name, found.get(name) || mine.get(name));
    });
    lostPictures(texts, extra, problem);

    const elsewhereInWords = extra.some(function (piece) { return piece.kind === "markdown" && length(piece.text) > RULES.few_words; });
    const answers = release.answers.map(function (name) {
      const cell = release.marked.get(name), text = texts.has(name) ? strip(joined(texts.get(name))) : "";
      const words = cell.role === "written" && elsewhereInWords;
      const written = words || texts.has(name) && text !== "" && text !== strip(cell.source);
      return { name: name, question: cell.question, written: written };
    });
    const lost = problems.some(function (one) { return one.name === "missing"; });
    answers.forEach(function (answer) {
      if (!answer.written && !blank && !(lost && !texts.has(answer.name))) ofThePage("not-written", { name: answer.name }, (mine.get(answer.name) || [])[0]);
    });
    const called = [...releases.keys()].find(function (name) { return base(file).startsWith(name); });
    if (called && called !== assignment) ofThePage("called", { file: base(file), title: release.title });
    if (given.length) ofThePage("missing-given", { names: given.join(", ") });
    looks(all, notebook, ofThePage);
    return { assignment: assignment, title: release.title, answers: answers, problems: problems };
  }

  // Of a notebook that lost all names: the assignment that most of its texts and functions are of.
  function likeliest(notebook) {
    const scores = [...releases].map(function (entry) {
      const all = pieces(notebook, entry[1]);
      return [all.filter(function (piece) { return piece.name || piece.defines.size; }).length, entry[0]];
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
