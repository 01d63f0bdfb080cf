// A view's attention computed for the reader's text: show(view) draws it again from data of the form that Python sends.
// values: what data calls some of a layer's values in attention, such as {weights: "weights"}.
function liveAttention(view, values, show) {
  show(view);
  if (!view.still) TL.live(view, "Your sentence", async function (text, live, current) {
    var data = view.data, layers = numbers(data.layers);
    function name(layer, value) { return "layer." + layer + ".attention." + value; }
    var stops = layers.flatMap(function (layer) { return Object.values(values).map(function (value) { return name(layer, value); }); });
    var shown = name(data.layer, "weights"), trace = await live.trace(text, { model: data.live, stops: stops.concat(shown) });
    if (!current()) return "";
    Object.assign(data, { tokens: trace.tokens, segments: null, error: 0, masked: null,
      query: askingWord(trace.tokens, trace.stops[shown].values.subarray((data.head || 0) * trace.tokens.length ** 2)) });
    for (var key in values) data[key] = { layers: layers.map(function (layer) { return trace.stops[name(layer, values[key])].values; }) };
    view.controls.replaceChildren();
    show(view);
    view.controls.hidden = false;
    return TL.cut(trace);
  }, view.data.live);
}
