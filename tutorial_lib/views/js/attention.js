// What the views of attention share: a head's numbers, names for tokens, colors and keys.

// Python's pack undone: a function that gives one head's numbers. A live model's numbers come as they are, layer by layer.
function unpack(packed, heads) {
  if (typeof packed === "function") return packed;
  if (packed.layers) return function (layer, head) {
    var size = packed.layers[layer].length / heads;
    return Float64Array.from(packed.layers[layer].subarray(head * size, (head + 1) * size));
  };
  var kinds = { u1: Uint8Array, u2: Uint16Array, i1: Int8Array, i2: Int16Array };
  var whole = new kinds[packed.type](TL.bytes(packed.data).buffer);
  var size = whole.length / packed.steps.length;
  return function (layer, head) {
    var place = layer * heads + head, step = packed.steps[place];
    return Float64Array.from(whole.subarray(place * size, (place + 1) * size), function (x) { return x * step; });
  };
}

// A text's attention as the reader wants to see it: all tokens; without [CLS] and [SEP]; or words, whose pieces are joined.
function grouped(data, way) {
  if (!way) return data;
  var groups = [], at = unpack(data.weights, data.heads), n = data.tokens.length;
  data.tokens.forEach(function (token, i) {
    if (/^\[(CLS|SEP)\]$/.test(token)) return;
    if (way === 2 && /^##/.test(token) && groups.length) groups[groups.length - 1].push(i);
    else groups.push([i]);
  });
  if (!groups.length) return data; // a text of only [CLS] and [SEP]
  var tokens = groups.map(function (places) {
    return places.map(function (i, k) { return k ? data.tokens[i].slice(2) : data.tokens[i]; }).join("");
  });
  function weights(layer, head) {
    var values = at(layer, head), found = new Float64Array(groups.length * groups.length);
    groups.forEach(function (from, i) {
      groups.forEach(function (to, j) {
        from.forEach(function (q) { to.forEach(function (k) { found[i * groups.length + j] += values[q * n + k] / from.length; }); });
      });
    });
    return found;
  }
  return Object.assign({}, data, { tokens: tokens, weights: weights,
    segments: data.segments && groups.map(function (places) { return data.segments[places[0]]; }) });
}

// The menu for it, if there is something to leave out or to join; show(view) draws again.
function tokenControl(view, show) {
  var data = view.data, inner = data.tokens.filter(function (token) { return !/^\[(CLS|SEP)\]$/.test(token); });
  if (data.keys || inner.length === data.tokens.length || !inner.length) return;
  var menu = TL.select(view, "Tokens", ["all", "without [CLS] and [SEP]", "only whole words"], view.way || 0, function () {
    view.way = +menu.value;
    view.controls.replaceChildren();
    show(view);
  });
  menu.className = "tl-ways";
}

// What a sentence on the picture adds about it.
function joined(way) { return way === 2 ? " Weights to a word\u2019s pieces are added, those from them averaged; [CLS] and [SEP] are left out." : ""; }

// As it fits beside the lines; a wide letter counts twice.
function shorten(token) {
  var wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{3fffd}]/u;
  var width = 0, letters = Array.from(token), ends = letters.map(function (letter) { return width += wide.test(letter) ? 2 : 1; });
  return width <= 12 ? token : letters.filter(function (_, i) { return ends[i] <= 11; }).join("") + "\u2026";
}

// A token in quotes, with its position if the same token occurs more than once.
function nameOf(tokens, i) {
  var again = tokens.indexOf(tokens[i]) !== tokens.lastIndexOf(tokens[i]);
  return "\u201c" + tokens[i] + "\u201d" + (again ? " #" + i : "");
}

// The place of the whole word with the strongest link to another word, by one head's weights; without one, of a piece.
function askingWord(tokens, weights) {
  var n = tokens.length, words = tokens.map(function (token) { return /[\p{L}\p{N}]/u.test(token) && !/^\[.+\]$/.test(token); });
  var ranks = tokens.map(function (token, i) {
    if (!words[i] || /^##/.test(token)) return 0;
    var links = words.map(function (word, j) { return word && i !== j ? weights[i * n + j] : 0; });
    return (/^##/.test(tokens[i + 1]) ? 2 : 4) + Math.max.apply(null, links); // pieces only if no word is whole
  });
  return largest(ranks, 1)[0];
}

function largest(values, count) {
  var order = Array.from(values, function (_, i) { return i; });
  return order.sort(function (a, b) { return values[b] - values[a] || a - b; }).slice(0, count);
}

function numbers(count) {
  return Array.from({ length: count }, function (_, i) { return String(i); });
}

// Twelve hues go once around the circle; a head's number, not its color, says which head it is.
function hue(head, heads) {
  return "--hue:" + Math.round(255 + 360 * head / heads) % 360;
}

// Keys move the focus among `items`, of which one at a time is reachable by Tab. next(i, key) gives a place or -1.
function rove(items, next) {
  items.forEach(function (item, i) {
    item.setAttribute("tabindex", i ? -1 : 0);
    item.addEventListener("focus", function () {
      items.forEach(function (other) { other.setAttribute("tabindex", other === item ? 0 : -1); });
    });
    item.addEventListener("keydown", function (event) {
      var place = next(i, event.key);
      if (place == null || !items[place]) return;
      event.preventDefault();
      items[place].focus();
    });
  });
}
