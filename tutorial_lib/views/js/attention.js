// What the views of attention share: a head's numbers, names for tokens, colors and keys.

// Python's pack undone: a function that gives one head's numbers.
function unpack(packed, heads) {
  var kinds = { u1: Uint8Array, u2: Uint16Array, i1: Int8Array, i2: Int16Array };
  var whole = new kinds[packed.type](TL.bytes(packed.data).buffer);
  var size = whole.length / packed.steps.length;
  return function (layer, head) {
    var place = layer * heads + head, step = packed.steps[place];
    return Float64Array.from(whole.subarray(place * size, (place + 1) * size), function (x) { return x * step; });
  };
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
