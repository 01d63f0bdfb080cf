// What the views of attention share: a head's numbers, names for tokens, colors and keys.

// Python's pack undone: a function that gives one head's numbers. A live model's numbers come as they are, layer by layer.
function unpack(packed, heads) {
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

// A view's attention computed for the reader's text: show(view) draws it anew from data of the form that Python sends.
// values: what data calls some of a layer's values in attention, such as {weights: "weights"}.
function liveAttention(view, values, show) {
  show(view);
  if (!view.data.live) return;
  TL.live(view, "Your sentence", async function (text, live, current) {
    var data = view.data, layers = numbers(data.layers);
    function name(layer, value) { return "layer." + layer + ".attention." + value; }
    var stops = layers.flatMap(function (layer) { return Object.values(values).map(function (value) { return name(layer, value); }); });
    var trace = await live.trace(text, { model: data.live, stops: stops });
    if (!current()) return "";
    Object.assign(data, { tokens: trace.tokens, short: trace.tokens.map(shorten), segments: null, query: TL.longest(trace.tokens),
      error: 0, masked: null });
    for (var key in values) data[key] = { layers: layers.map(function (layer) { return trace.stops[name(layer, values[key])].values; }) };
    view.controls.replaceChildren();
    show(view);
    view.controls.hidden = false;
    return TL.cut(trace);
  }, view.data.live);
}

// As it fits beside the lines; a wide letter counts twice.
function shorten(token) {
  var wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{3fffd}]/u;
  var width = 0, letters = Array.from(token), ends = letters.map(function (letter) { return width += wide.test(letter) ? 2 : 1; });
  return width <= 12 ? token : letters.filter(function (_, i) { return ends[i] <= 11; }).join("") + "\u2026";
}

// A token in quotes, with its place where the same token stands more than once.
function nameOf(tokens, i) {
  var again = tokens.indexOf(tokens[i]) !== tokens.lastIndexOf(tokens[i]);
  return "\u201c" + tokens[i] + "\u201d" + (again ? " #" + i : "");
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
