// What a question changes in a run of a model. Options that change the same value act in this order:
//   hide     token numbers whose ids become that of [MASK]
//   edges    {layer, query, key, value}: in this layer the query hears `value` instead of the key's value; weights stay
//   silence  heads, [layer, head], whose output becomes 0
//   heard    {place, outputs: {layer: value}}: the output of attention, after W_O, for the token number `place`
//   without  stops whose values become 0, such as "embeddings.positions"
// A value has d_model numbers, all heads side by side. only: the one token that the last layer computes, if not all.
function Switches({ about, model, ids }, text, { hide = [], edges = [], silence = [], heard, without = [] }, only) {
  const n = text.ids.length, { d } = model.embeddings.tokens, { n_layers, n_heads } = about.config, computed = {};
  const outputs = heard ? heard.outputs : {}, values = [...edges.map(({ value }) => value), ...Object.values(outputs)];
  bounded("hide", hide, n);
  bounded("edges: layer", edges.map(({ layer }) => layer), n_layers);
  bounded("edges: query and key", edges.flatMap(({ query, key }) => [query, key]), n);
  bounded("silence: layer", silence.map(([layer]) => layer), n_layers);
  bounded("silence: head", silence.map(([, head]) => head), n_heads);
  bounded("heard: place", heard ? [heard.place] : [], n);
  bounded("heard: layer", Object.keys(outputs).map(Number), n_layers);
  if (values.some((value) => !value || value.length !== d)) throw new Error(`edges and heard must have values of ${d} numbers.`);
  if (hide.length && !ids.has("[MASK]")) throw new Error("hide needs a model that has the token [MASK].");
  if (without.some((stop) => /(scores|weights)$/.test(stop))) throw new Error("without cannot set scores or weights: heads are computed with them.");

  const masked = (all, mask) => all.map((own, t) => (hide.includes(t) ? mask : own));
  const row = (X, t) => (X.shape[0] === n ? t : t === only ? 0 : -1); // -1: this token is not computed
  const changed = [...edges.map(({ layer }) => layer), ...silence.map(([layer]) => layer), ...Object.keys(outputs).map(Number)];
  changed.push(...hide.map(() => -1), ...without.map((stop) => (stop.startsWith("layer.") ? +stop.split(".")[1] : -1)));

  function hear(X, t, { key, value }) {
    const m = X.shape[0], [A, V, heads] = [computed.weights, computed.values, X].map(machine.view);
    for (let k = 0; k < d; k++) heads[t * d + k] += A[(Math.floor((k * n_heads) / d) * m + t) * n + key] * (value[k] - V[key * d + k]);
  }

  return {
    only, first: Math.min(n_layers, ...changed), // the first layer that changes; -1: the embeddings
    text: { ...text, tokens: masked(text.tokens, "[MASK]"), ids: masked(text.ids, ids.get("[MASK]")) },
    change(stop, X) {
      const [, layer, part] = /^layer\.(\d+)\.attention\.(\w+)$/.exec(stop) || [], here = (own) => own === +layer && part === "heads";
      computed[part] = X;
      edges.forEach((edge) => here(edge.layer) && row(X, edge.query) >= 0 && hear(X, row(X, edge.query), edge));
      silence.forEach(([own, head]) => here(own) && quiet(X, head));
      if (part === "output" && outputs[layer] && row(X, heard.place) >= 0) machine.view(X).set(outputs[layer], row(X, heard.place) * d);
      if (without.includes(stop)) machine.view(X).fill(0);
    },
  };
}

function bounded(name, numbers, end) {
  const other = numbers.findIndex((number) => !Number.isInteger(number) || number < 0 || number >= end);
  if (other >= 0) throw new Error(`${name} must be from 0 to ${end - 1}, got ${numbers[other]}.`);
}
