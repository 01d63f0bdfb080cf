// "Which bank do you mean?" as a picture: from what is known, and what is switched off, to HTML and SVG as text.
//
// state: word (its name), about (what is known of it), answer (the sentence), off (what is switched off), path (where the
// word is at each depth with that), t (the depth that is shown), narrow (a phone), all (the whole list). A path has seven
// places [x, z]: x is -1 at the mean of the first sense's uses and 1 at that of the second, z only parts dots.
// floor (null on the front page): a chapter's own, with the depth that it opens, `at`, its `switches` and its `panels`.
var Which = (function () {
  const LAYERS = 6, HEADS = 12, WIDE = 2;
  let strip = null; // half the width of "cannot tell": it comes with the data
  const SMALL = /^(a|an|the|of|to|in|on|at|by|it|is|was|and|his|her|he|she|we|they|i|my)$/i; // never named as a second word

  // ---- text and markup -----------------------------------------------------------------------------------------------
  const text = (value) => String(value).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

  // An element as text; attributes that are null are left out. inside: markup, or a list of it.
  function tag(name, attributes, inside) {
    const pairs = Object.entries(attributes).filter(([, value]) => value !== null);
    return `<${name}${pairs.map(([key, value]) => ` ${key}="${text(value)}"`).join("")}>${[].concat(inside || []).join("")}</${name}>`;
  }

  const color = (side) => (side === 0 ? "var(--a)" : side === 1 ? "var(--b)" : "var(--soft)");
  const capital = (name) => name[0].toUpperCase() + name.slice(1);
  const bare = (name) => name.replace(/^the /, "");
  const quoted = (words) => words.map((word) => `“${word}”`).join(" and ");
  const range = (n) => Array.from({ length: n }, (_, i) => i);

  // ---- what is known -------------------------------------------------------------------------------------------------
  const sideOf = (x) => (x < -strip ? 0 : x > strip ? 1 : null);
  const endOf = (path) => sideOf(path[LAYERS][0]);
  const isOff = ({ hide, mute, after, order }) => hide.length + mute.length > 0 || after !== null || order !== null;

  // The first layer after which the word stays on its final side, read from its path.
  function since(path) {
    const end = sideOf(path[LAYERS][0]);
    if (end === null) return null;
    let k = LAYERS;
    while (k > 1 && sideOf(path[k - 1][0]) === end) k--;
    return k;
  }

  // The layer after which it may stop listening, and still lands outside the strip on that side: a test, if it was made.
  function decided({ path, after }) {
    const end = endOf(path);
    if (end === null || !after) return null;
    let k = LAYERS;
    while (k > 1 && endOf(after[k - 1]) === end) k--;
    return k;
  }

  // How far a change moves the word at the end: above 0 if the removed part had pushed it to the second sense.
  const effect = ({ answer }, x) => answer.path[LAYERS][0] - x;

  // The reader's own letters of each token.
  function letters({ tokens, text }) {
    let from = 0;
    return tokens.map((token) => {
      const bare = token.replace(/^##/, ""), at = text.toLowerCase().indexOf(bare, from);
      if (at < 0 || /^\[/.test(token)) return bare;
      from = at + bare.length;
      return text.slice(at, from);
    });
  }

  // The places of the pieces of a word.
  function whole(tokens, j) {
    let first = j, last = j;
    while (tokens[first].startsWith("##")) first--;
    while (tokens[last + 1].startsWith("##")) last++;
    return range(last - first + 1).map((i) => first + i);
  }

  // The words whose hiding moves the sentence most away from a side, at most two.
  function pushers(state, side) {
    const { answer } = state, typed = letters(answer);
    if (!answer.hidden) return [];
    const found = Object.entries(answer.hidden).filter(([j]) => whole(answer.tokens, +j)[0] === +j).map(([j, path]) => {
      const places = whole(answer.tokens, +j);
      return { places, word: places.map((i) => typed[i]).join(""), push: effect(state, path[LAYERS][0]) * (side ? 1 : -1) };
    }).filter(({ push, word }) => push > 0.12 && /\w/.test(word)).sort((a, b) => b.push - a.push);
    return found.filter(({ push, word }, i) => !i || (i === 1 && push > found[0].push / 2 && !SMALL.test(word)));
  }

  // ---- sentences -----------------------------------------------------------------------------------------------------
  function verdict(state) {
    const end = endOf(state.path);
    if (end === null) return "It cannot tell.";
    const name = capital(state.about.names[end]), k = isOff(state.off) ? null : decided(state.answer);
    return k === null ? `${name}.` : k === 1 ? `${name}. Decided at the first look, in layer 1.` : `${name}. Decided in layer ${k}.`;
  }

  function switched({ off, answer }) {
    const typed = letters(answer), parts = [];
    if (off.hide.length) parts.push(`without ${quoted(off.hide.map((j) => typed[j]))}`);
    if (off.mute.length === 1) parts.push(`with head ${off.mute[0] % HEADS} of layer ${Math.floor(off.mute[0] / HEADS) + 1} muted`);
    if (off.mute.length > 1) parts.push(`with ${off.mute.length} heads muted`);
    if (off.after !== null) parts.push(off.after ? `if it stops listening after layer ${off.after}` : "if it never listens");
    if (off.order !== null) parts.push("with its words shuffled");
    return capital(parts.join(" and "));
  }

  function why(state) {
    const { answer, about, off, path } = state, { names } = about, end = endOf(path), was = endOf(answer.path);
    if (isOff(off)) {
      const moved = Math.abs(path[LAYERS][0] - answer.path[LAYERS][0]);
      const to = end === was ? (end === null ? "it still cannot tell" : `it is still the ${bare(names[end])}`)
        : end === null ? "it can no longer tell" : was === null ? `it becomes the ${bare(names[end])}` : `it flips to the ${bare(names[end])}`;
      return `${switched(state)}, ${to}${moved < 0.05 ? ": it lands in the same place." : ". The dashed line is the way it took before."}`;
    }
    if (end === null) {
      const [[left], [right]] = [0, 1].map((side) => pushers(state, side)), one = left || right;
      if (left && right) return `${quoted([left.word])} pulls one way, ${quoted([right.word])} the other. Hide one of them.`;
      if (answer.right !== null) return `After six layers it lies between the two. You can tell: it is the ${bare(names[answer.right])}.`;
      if (answer.kind === "open") return "After six layers it lies between the two. Could you tell?";
      return one ? `${quoted([one.word])} pulls to the ${bare(names[left ? 0 : 1])}, but not far enough.` : "After six layers it lies between the two.";
    }
    const found = pushers(state, end), words = found.map(({ word }) => word);
    if (answer.kind === "third") return "Neither of the two fits here. The machine has only these two to choose from.";
    if (answer.kind === "open") return "Nobody could tell from this sentence. It lands here all the same.";
    if (answer.right !== null && end !== answer.right) {
      const company = words.length ? `: ${quoted(words)}` : "";
      return `Fooled. You know that it is the ${bare(names[answer.right])}. The machine went by the company that the word keeps${company}.`;
    }
    const other = range(decided(answer) || since(path)).reverse().find((l) => l && sideOf(path[l][0]) === 1 - end);
    const slow = other ? `After layer ${other} it still lay with the ${bare(names[1 - end])}. ` : "";
    const tips = found.filter(({ places }) => endOf(answer.hidden[places[0]]) !== end).map(({ word }) => word);
    if (tips.length) return `${slow}What tipped it: ${quoted(tips)}. Press a word to hide it, and see.`;
    if (words.length) return `${slow}What pulled most: ${quoted(words)}. Press a word to hide it, and see.`;
    return answer.hidden ? `${slow}No single word did it: hide any one, and it lands about where it did.` : slow;
  }

  function onTheWay(state) {
    const layer = Math.ceil(state.t - 1e-6), k = since(state.path);
    if (layer === 0) return `Before the first layer “${state.word}” knows only itself: all its uses lie in almost one spot.`;
    if (layer === 1) return "Layer 1: the first look around. The word hears its neighbors.";
    if (layer < LAYERS) return k !== null && layer >= k ? `Layer ${layer}: it stays on its side, and goes further.` : `Layer ${layer}: it listens again, and is still between.`;
    return k === null ? "Layer 6: it ends in the strip between the two." : "Layer 6: it lands among uses of one sense.";
  }

  function machineSays({ answer, off }) {
    if (!answer.edges) return "";
    if (off.order !== null) return "Lines and lamps are those of the sentence in its own order. Put it back to see them.";
    if (off.after !== null) return `${off.after ? `After layer ${off.after}` : "In all layers"} the word hears what it hears on average in other sentences: nothing about this one.`;
    return "A line is what the word hears: the thicker it is, the further it moves the word, to the side of its color. A lamp is a head, one of twelve listeners in each layer; press one to mute it.";
  }

  const mapSays = ({ word, about }) => `Dots: ${about.uses.length} other sentences with “${word}”, ● ${about.names[0]}, ■ ${about.names[1]}. Point at one to read it.`;

  // ---- the drawings --------------------------------------------------------------------------------------------------
  const size = ({ narrow }) => (narrow ? { gap: 56, top: 62, bottom: 66, machine: 358, map: 358 } : { gap: 60, top: 66, bottom: 70, machine: 500, map: 600 });
  const level = (state, layer) => size(state).top + (LAYERS - layer) * size(state).gap;
  const height = (state) => size(state).top + size(state).bottom + LAYERS * size(state).gap;
  const near = (value, most) => Math.max(-most, Math.min(most, value));
  const rounded = (value) => Math.round(value * 10) / 10;

  // Where a place of a path is drawn.
  function point(state, layer, [x, z]) {
    const width = size(state).map, deep = near(z, 1.3);
    return [rounded(width / 2 + near(x, WIDE) * ((width / 2 - 34) / WIDE) + deep * 14), rounded(level(state, layer) - deep * 13)];
  }

  // How much of a floor is seen once the word is at depth t.
  function light({ t }, layer) {
    const passed = Math.floor(t + 1e-6);
    return { uses: layer === passed ? 1 : layer < passed ? 0.28 : 0.08, floor: layer <= passed ? 1 : 0.45, lines: Math.max(0, Math.min(0.8, t - layer + 1)) };
  }

  const points = (state, path) => path.map((place, layer) => point(state, layer, place).join(",")).join(" ");

  function dot(side, [x, y], r, attributes) {
    const looks = { fill: color(side), ...attributes };
    if (side === 1) return tag("rect", { x: rounded(x - r * 0.9), y: rounded(y - r * 0.9), width: r * 1.8, height: r * 1.8, rx: 1, ...looks });
    return tag("circle", { cx: x, cy: y, r, ...looks });
  }

  // The floors with all uses, and the word's way up.
  function map(state) {
    const { about, word } = state, width = size(state).map, parts = [];
    const plate = (layer, x) => [[-x, -1.4], [x, -1.4], [x, 1.4], [-x, 1.4]].map(([a, z]) => [rounded(width / 2 + a * ((width / 2 - 34) / WIDE) + z * 14), rounded(level(state, layer) - z * 13)].join(",")).join(" ");
    range(LAYERS + 1).forEach((layer) => parts.push(tag("g", { "class": "which-floor", "data-layer": layer, "data-floor": layer, style: `opacity:${light(state, layer).floor}` }, [
      tag("polygon", { points: plate(layer, WIDE), "class": "which-plate" }), tag("polygon", { points: plate(layer, strip), "class": "which-strip" })])));
    parts.push(tag("g", { "class": "which-fan" }, about.uses.map((use) => tag("polyline", { points: points(state, use.path), stroke: color(use.side) }))));
    range(LAYERS + 1).forEach((layer) => parts.push(tag("g", { "class": "which-uses", "data-layer": layer, style: `opacity:${light(state, layer).uses}` }, about.uses.map((use, i) =>
      dot(use.side, point(state, layer, use.path[layer]), layer === LAYERS ? 5 : 4, { "data-use": i })))));
    about.names.forEach((name, side) => parts.push(tag("text", { x: side ? width - 8 : 8, y: 24, "text-anchor": side ? "end" : "start", "class": "which-name", style: `fill:${color(side)}` }, text(capital(name)))));
    parts.push(tag("text", { x: width / 2, y: 24, "text-anchor": "middle" }, "cannot tell"));
    parts.push(tag("text", { x: width / 2, y: level(state, 0) + 40, "text-anchor": "middle" }, text(`start: “${word}” alone`)));
    return tag("svg", { viewBox: `0 0 ${width} ${height(state)}`, role: "img", "aria-label": label(state) }, [...parts, tag("g", { "data-part": "way" }, way(state))]);
  }

  function label(state) {
    const [left, right] = state.about.names, end = endOf(state.path);
    const rest = end === null ? "ends between the two" : `ends with the ${bare(state.about.names[end])}`;
    return `Seven floors, from the embeddings to layer 6. On each, uses of “${state.word}” as ${left} lie to the left, as ${right} to the right; at the bottom they share one spot. This sentence ${rest}.`;
  }

  function between(path, t) {
    const layer = Math.min(LAYERS - 1, Math.floor(t)), s = t - layer, e = s * s * (3 - 2 * s);
    return [0, 1].map((i) => path[layer][i] + (path[layer + 1][i] - path[layer][i]) * e);
  }

  // The word at depth t, and its trail: the only part that moves.
  function way(state) {
    const { path, t } = state, here = between(path, t), now = t < 0.5 ? null : sideOf(here[0]);
    const spot = (q, place) => { const [x, y] = point(state, 0, place); return [x, rounded(y + level(state, q) - level(state, 0))]; };
    const trail = [...range(Math.ceil(t * 10)).map((i) => spot(i / 10, between(path, i / 10))), spot(t, here)].map((place) => place.join(",")).join(" ");
    const parts = [];
    if (isOff(state.off)) parts.push(tag("polyline", { "class": "which-before", points: state.answer.path.slice(0, Math.floor(t + 1e-6) + 1).map((place, layer) => spot(layer, place).join(",")).join(" ") }));
    parts.push(tag("polyline", { "class": "which-halo", points: trail }), tag("polyline", { "class": "which-trail", points: trail }));
    range(LAYERS + 1).filter((layer) => layer < t - 0.15).forEach((layer) =>
      parts.push(tag("circle", { "class": "which-stop", cx: spot(layer, path[layer])[0], cy: spot(layer, path[layer])[1], r: 4, fill: layer ? color(sideOf(path[layer][0])) : "var(--soft)" })));
    const [x, y] = spot(t, here);
    parts.push(tag("circle", { cx: x, cy: y, r: 22, opacity: 0.22, fill: color(now) }), tag("circle", { "class": "which-me", cx: x, cy: y, r: 12, fill: color(now) }));
    return parts.join("");
  }

  // The tokens in their order on the page.
  const order = ({ answer, off }) => (off.order === null ? range(answer.tokens.length) : answer.orders[off.order]);

  // To whom the word listens in each layer, and the heads that do it.
  function machine(state) {
    const { about, answer, off, narrow } = state, width = size(state).machine, gap = size(state).gap, step = 24, lamps = width - (HEADS / 2) * step - 4;
    const left = narrow ? 32 : 68, shown = order(state), spacing = Math.min(46, (lamps - left - 26) / Math.max(1, shown.length - 1));
    const column = (i) => rounded(left + shown.indexOf(i) * spacing), layers = range(LAYERS).map((l) => l + 1), parts = [];
    const middle = (layer) => (level(state, layer) + level(state, layer - 1)) / 2, cut = (layer) => off.after !== null && layer > off.after;
    layers.forEach((layer) => parts.push(tag("rect", { "class": "which-layer", "data-floor": layer, x: 0.5, y: level(state, layer) + 5, width: width - 1, height: gap - 10, rx: 10 }), tag("text", { "data-floor": layer, x: 10, y: middle(layer) + 5 }, narrow ? layer : `Layer ${layer}`)));
    shown.forEach((i, c) => {
      const me = i === answer.place, hidden = off.hide.includes(i), token = answer.tokens[i];
      parts.push(tag("line", { "class": me ? "which-column which-mine" : "which-column", x1: column(i), x2: column(i), y1: level(state, 0), y2: level(state, LAYERS) - 6, opacity: hidden ? 0.15 : null }));
      if (spacing < 11 && !me && c % Math.ceil(11 / spacing)) return; // there is no room for each name
      const name = { "[CLS]": "start", "[SEP]": "end" }[token] || token.replace(/^##/, "");
      const looks = me ? "which-token which-mine" : hidden ? "which-token which-gone" : name !== token ? "which-token which-apart" : "which-token";
      parts.push(tag("text", { "class": looks, transform: `translate(${column(i) + 4} ${level(state, 0) + 16}) rotate(${narrow ? -62 : -48})`, "text-anchor": "end" }, text(name)));
    });
    layers.forEach((layer) => parts.push(tag("g", { "class": "which-lines", "data-layer": layer, style: `opacity:${light(state, layer).lines}` }, cut(layer)
      ? tag("text", { x: column(answer.place), y: middle(layer) + 5, "text-anchor": "middle" }, "hears the average") : off.order === null ? lines(state, layer, column) : "")));
    parts.push(tag("g", { role: "group", "aria-label": "Heads. Press one to mute it." }, range(LAYERS * HEADS).map((i) => {
      const layer = Math.floor(i / HEADS) + 1, h = i % HEADS, high = (gap - 10) / 2;
      return lamp(state, i, rounded(lamps + ((h % 6) + 0.5) * step), rounded(level(state, layer) + 5 + (Math.floor(h / 6) + 0.5) * high), step, high, cut(layer));
    })));
    return tag("svg", { viewBox: `0 ${narrow ? 36 : 0} ${width} ${height(state) - (narrow ? 36 : 0)}`, role: "group", "aria-label": "Who the word listens to, layer by layer" }, [...parts, tag("g", { "data-part": "rider", "data-x": column(answer.place) }, rider(state, column(answer.place)))]);
  }

  function lines(state, layer, column) {
    const { answer, off } = state;
    if (!answer.edges) return "";
    const to = column(answer.place), from = level(state, layer - 1), end = level(state, layer) + 2, bend = (from + end) / 2;
    return range(answer.tokens.length).filter((i) => i !== answer.place && !off.hide.includes(i) && Math.abs(answer.edges[layer - 1][i]) >= 0.02).map((i) => {
      const push = answer.edges[layer - 1][i];
      return tag("path", { d: `M${column(i)} ${from} C${column(i)} ${bend} ${to} ${bend} ${to} ${end}`, stroke: color(push > 0 ? 1 : 0), "stroke-width": rounded(Math.min(11, 1 + Math.abs(push) * 22)) });
    }).join("");
  }

  function lamp(state, i, x, y, step, high, cut) {
    const { answer, off, about } = state, push = answer.heads ? effect(state, answer.heads[i]) : 0, muted = off.mute.includes(i), power = muted || cut || off.order !== null ? 0 : Math.min(1, Math.abs(push) / 0.25);
    const does = Math.abs(push) < 0.02 ? "does little here" : `pushes to the ${bare(about.names[push > 0 ? 1 : 0])}`, side = push > 0 ? 1 : 0;
    const says = `Layer ${Math.floor(i / HEADS) + 1}, head ${i % HEADS}${hearing(answer, i)}${answer.heads ? `: ${does}` : ""}${muted ? ", muted" : ""}`;
    return tag("g", { "class": "which-lamp", role: "button", tabindex: i === (state.lamp || 0) ? 0 : -1, "aria-pressed": muted, "aria-label": says, "data-head": i, "data-key": `head${i}` }, [
      tag("rect", { x: x - step / 2, y: y - high / 2, width: step, height: high }),
      power > 0.08 ? tag("circle", { cx: x, cy: y, r: rounded(4 + 8 * power), fill: color(side), opacity: rounded(power * 0.3) }) : "",
      tag("circle", { "class": "which-ring", cx: x, cy: y, r: 4.5 }),
      power > 0.08 ? tag("circle", { cx: x, cy: y, r: 4.5, fill: color(side), opacity: rounded(0.35 + 0.65 * power) }) : "",
      muted ? tag("path", { "class": "which-cross", d: `M${x - 7} ${y - 7} l14 14 m0 -14 l-14 14` }) : ""]);
  }

  function hearing(answer, i) {
    if (!answer.hears || answer.hears[i][1] < 0.1) return "";
    return `, hears “${letters(answer)[answer.hears[i][0]]}” most (${answer.hears[i][1].toFixed(2)})`;
  }

  // The word's place in the machine, at depth t.
  function rider(state, x) {
    const { about, path, t } = state, here = between(path, t), now = t < 0.5 ? null : sideOf(here[0]), y = rounded(level(state, t));
    return tag("circle", { cx: x, cy: y, r: 18, opacity: 0.22, fill: color(now) }) + tag("circle", { "class": "which-me", cx: x, cy: y, r: 9, fill: color(now) });
  }

  // ---- around them ---------------------------------------------------------------------------------------------------
  function button(label, attributes, pressed = null) {
    return tag("button", { type: "button", "aria-pressed": pressed, ...attributes }, label);
  }

  const title = ({ word }) => `Which <em>${text(word)}</em> do you mean?`;
  const others = ({ word, words }) => words.filter((other) => other !== word).map((other) => button(text(other), { "data-word": other, "data-key": `word-${other}` })).join(" ");

  const KINDS = ["clear", "slow", "torn", "fooled", "nobody can tell", "a third sense"];

  function kindOf(example) {
    const end = endOf(example.path), named = { open: "nobody can tell", third: "a third sense" }[example.kind];
    return named || (end === null ? "torn" : end !== example.right ? "fooled" : decided(example) > 1 ? "slow" : "clear");
  }

  function examples(state) {
    const kinds = state.about.examples.map((example) => kindOf(example));
    return KINDS.map((kind) => {
      const found = range(kinds.length).filter((i) => kinds[i] === kind);
      if (!found.length) return "";
      return tag("span", {}, [tag("i", {}, kind), ...found.map((i) => button(text(state.about.examples[i].text), { "data-example": i, "data-key": `example${i}` }, state.answer.stored === i))]);
    }).join(" ");
  }

  function sentence(state) {
    const { answer, off, about } = state, typed = letters(answer), groups = [];
    order(state).filter((i) => !/^\[(CLS|SEP)\]$/.test(answer.tokens[i])).forEach((i) => {
      const piece = answer.tokens[i].startsWith("##"), joined = piece || /^[^\w\s]+$/.test(answer.tokens[i]);
      if (!joined || !groups.length) groups.push([]);
      if (i === answer.place) return groups[groups.length - 1].push(tag("span", { "class": "which-target", style: `background:${color(endOf(state.path))}` }, text(typed[i])));
      const hidden = off.hide.includes(i), push = answer.hidden && answer.hidden[i] ? effect(state, answer.hidden[i][LAYERS][0]) : 0;
      const bar = tag("i", { style: `height:${hidden ? 0 : rounded(Math.min(9, Math.abs(push) * 14))}px;background:${color(push > 0 ? 1 : 0)}` });
      groups[groups.length - 1].push(button(tag("b", {}, text(typed[i])) + bar, { "data-hide": i, "data-key": `hide${i}`, "class": piece ? "which-piece" : null, "aria-label": `${hidden ? "Show" : "Hide"} “${typed[i]}”`, disabled: off.order === null ? null : "" }, hidden));
    });
    return groups.map((group) => tag("span", { "class": "which-group" }, group)).join("");
  }

  function switches(state) {
    const { answer, off, floor } = state, end = endOf(answer.path), found = [], has = (kind) => !floor || floor.switches.includes(kind);
    if (has("hide")) (end === null ? [0, 1] : [end]).forEach((side) => pushers(state, side).slice(0, 1).forEach(({ places, word }) => {
      found.push(button(`Hide ${text(quoted([word]))}`, { "data-hide": places.join(" "), "data-key": `switch-${side}` }, places.every((j) => off.hide.includes(j))));
    }));
    if (has("mute") && answer.heads) {
      const brightest = range(LAYERS * HEADS).reduce((best, i) => (Math.abs(effect(state, answer.heads[i])) > Math.abs(effect(state, answer.heads[best])) ? i : best), 0);
      found.push(button("Mute the brightest head", { "data-head": brightest, "data-key": "switch-head" }, off.mute.includes(brightest)));
    }
    const k = answer.after ? decided(answer) || 1 : LAYERS;
    if (has("after") && k < LAYERS) found.push(button(`Stop listening after layer ${k}`, { "data-after": k, "data-key": "switch-after" }, off.after === k));
    if (has("after")) found.push(button("Never listen", { "data-after": 0, "data-key": "switch-never" }, off.after === 0));
    if (has("order")) found.push(button("Shuffle the words", { "data-order": "", "data-key": "switch-order" }, off.order !== null));
    if (isOff(off)) found.push(button("Put it all back", { "data-back": "", "data-key": "switch-back" }));
    return found.join("");
  }

  const dare = ({ about: { names } }) => `Press a word above to hide it; the bar below it shows how far that moves the dot. Can you fool it? Mean “${bare(names[1])}”, and use words that go with “${bare(names[0])}”.`;
  const listed = ({ about }) => `The top floor as a list: ${about.uses.length} other sentences in order, and yours among them.`;

  // All sentences by their final position, including the reader's.
  function list(state) {
    const { about, answer, path, narrow, all } = state, x = path[LAYERS][0], where = (x) => `${rounded(50 + (near(x, WIDE) / WIDE) * 50)}%`;
    const rows = about.uses.map((use) => ({ text: use.text, side: use.side, x: use.path[LAYERS][0] }));
    rows.push({ text: answer.text, side: endOf(path), x, mine: true });
    rows.sort((a, b) => a.x - b.x);
    const first = near(rows.findIndex(({ mine }) => mine) - 4, rows.length), from = Math.max(0, Math.min(rows.length - 9, first));
    return (narrow && !all ? rows.slice(from, from + 9) : rows).map(({ text: words, side, x, mine }) => tag("li", { "class": mine ? "which-yours" : null, style: `--c:${color(side)}` }, [
      tag("span", {}, text(words)), tag("span", { "class": "which-track", "aria-hidden": "true" }, tag("i", { "class": side === 1 && !mine ? "which-square" : null, style: `left:${where(x)}` }))])).join("");
  }

  // Each part that changes, by its name.
  function parts(state) {
    const { floor } = state, done = state.t >= LAYERS, has = (panel) => !floor || floor.panels.includes(panel);
    return {
      sentence: sentence(state), verdict: text(done ? verdict(state) : "…"), why: text(done ? why(state) : onTheWay(state)), switches: switches(state),
      ...(has("machine") ? { machine: machine(state), "machine-says": text(machineSays(state)) } : {}), ...(has("map") ? { map: map(state), "map-says": text(mapSays(state)) } : {}),
      ...(floor ? {} : { title: title(state), words: others(state), examples: examples(state), dare: text(dare(state)), listed: text(listed(state)), list: list(state) }),
    };
  }

  // The whole thing, once.
  function page(state) {
    const part = parts(state), place = (name, kind, attributes) => (name in part ? tag(kind, { "data-part": name, ...attributes }, part[name]) : "");
    const whole = state.floor === null, only = (...some) => (whole ? some : []);
    return tag("div", { "class": "which-stage", style: `--strip:${rounded(50 - (strip / WIDE) * 50)}%` }, [
      ...only(tag("div", { "class": "which-head" }, tag("div", {}, [place("title", "p", { "class": "which-title" }), place("words", "div", { role: "group", "aria-label": "Other words" })]))),
      place("examples", "div", { role: "group", "aria-label": "Sentences to try" }),
      place("sentence", "div", { role: "group", "aria-label": "The sentence. Press a word to hide it." }),
      place("verdict", "p", { "aria-live": "polite", style: `color:${color(endOf(state.path))}` }), place("why", "p", { "aria-live": "polite" }),
      tag("div", { "class": "which-panels" }, [
        ...["machine", "map"].filter((panel) => panel in part).map((panel) => tag("figure", { "class": `which-${panel}` }, [place(panel, "div", {}), place(`${panel}-says`, "figcaption", {})]))]),
      tag("div", { "class": "which-break" }, [...only(tag("h2", {}, "Break it")), place("switches", "div", { role: "group", "aria-label": "Break it" })]), place("dare", "p", {}),
      ...only(tag("h2", {}, "Where it landed")), place("listed", "p", {}), place("list", "ol", {})]);
  }

  // A path comes as x, z, x, z, ... in hundredths.
  const pairs = (numbers) => range(numbers.length / 2).map((i) => [numbers[2 * i] / 100, numbers[2 * i + 1] / 100]);

  // A stored answer with its numbers as they are drawn.
  function opened(raw, stored) {
    const path = pairs(raw.path), edges = raw.edges.map((row) => raw.tokens.map((_, j) => (raw.words.includes(j) ? -row[raw.words.indexOf(j)] / 100 : 0)));
    return {
      text: raw.text, tokens: raw.tokens, place: raw.at, right: raw.sense, kind: raw.kind, stored, path, edges, orders: raw.orders,
      hidden: Object.fromEntries(raw.others.flatMap((pieces, i) => pieces.map((j) => [j, pairs(raw.hidden[i])]))), heads: raw.muted.map((x) => x / 100),
      muted: raw.muted_paths ? raw.muted_paths.map((rest) => [...path.slice(0, LAYERS + 1 - rest.length / 2), ...pairs(rest)]) : null,
      after: raw.heard.map(pairs), shuffled: raw.shuffled.map(pairs),
    };
  }

  function known(raw) {
    const uses = raw.uses.map(({ text, sense, path }) => ({ text, side: sense, path: pairs(path) }));
    return { ...raw, names: raw.senses, uses, examples: raw.examples.map(opened) };
  }

  const nothing = () => ({ hide: [], mute: [], after: null, order: null });

  // The first view: a word, the first of its stored sentences.
  function first(data) {
    strip = data.strip;
    const { word, words, floor } = data, about = known(words[word]), [answer] = about.examples;
    return { words: Object.keys(words), word, about, answer, off: nothing(), path: answer.path, t: floor ? floor.at : LAYERS, floor, narrow: false, all: false };
  }

  return { LAYERS, HEADS, parts, page, way, rider, first, known, nothing, isOff, endOf, color, whole, light };
})();
