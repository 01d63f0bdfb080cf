// The other half of views/squeeze.py: counts along with it, and gets the text back.
function unsqueeze(base64, length) {
  var input = TL.bytes(base64), place = 4, out = new Uint8Array(length);
  var low = 0, high = 0xffffffff, code = ((input[0] << 24) | (input[1] << 16) | (input[2] << 8) | input[3]) >>> 0;
  var tables = new Map(), history = 0;

  function table(context) {
    var found = tables.get(context);
    if (!found) tables.set(context, (found = new Uint8Array(512)));
    return found;
  }

  function count(counts, seen, unseen) {
    if (counts[seen] === 255) {
      counts[seen] = 127;
      counts[unseen] >>= 1;
    }
    counts[seen]++;
    if (counts[unseen] > 4) counts[unseen] = (counts[unseen] >> 1) + 1;
  }

  function byte() {
    var one = table(history & 0xff), two = table((history & 0xffff) | (1 << 24)), three = table(history | (2 << 24));
    var node = 1;
    while (node < 256) {
      var i = node + 256;
      var ones = one[i] + 3 * two[i] + 9 * three[i];
      var total = ones + one[node] + 3 * two[node] + 9 * three[node];
      var middle = low + ((high - low) >>> 16) * Math.floor(((2 * ones + 1) * 65536) / (2 * total + 2));
      var bit = code <= middle ? 1 : 0;
      if (bit) high = middle;
      else low = middle + 1;
      var seen = bit ? i : node, unseen = bit ? node : i;
      count(one, seen, unseen);
      count(two, seen, unseen);
      count(three, seen, unseen);
      node = 2 * node + bit;
      while (((low ^ high) >>> 24) === 0) {
        low = (low << 8) >>> 0;
        high = ((high << 8) | 255) >>> 0;
        code = ((code << 8) | (input[place++] || 0)) >>> 0;
      }
    }
    return node & 255;
  }

  for (var i = 0; i < length; i++) {
    out[i] = byte();
    history = ((history << 8) | out[i]) & 0xffffff;
  }
  return new TextDecoder().decode(out);
}
