// The contestants side by side in one worker, one thread: the book's kernel, the book's plain JavaScript and
// onnxruntime-web. Each gets ids and gives the last layer's vectors.
self.tutorialLib = {};
importScripts("shared.js", "worker.js", "ort.wasm.min.js");

// name: the model. texts: ids of each. seconds and least: for how long each pair takes turns, and how often at least.
onmessage = async ({ data }) => {
  try {
    postMessage({ value: await contest(data) });
  } catch (error) {
    postMessage({ error: `${error.message || error}` });
  }
};

async function contest({ name, texts, seconds, least }) {
  const engines = [engine(tutorialLib.source, WebAssembly), engine(tutorialLib.source, undefined)];
  const names = engines.map(({ machine }) => machine.name).join(", ");
  if (names !== "WebAssembly, plain JavaScript") throw new Error(`${names} would run: the times would mean nothing`);
  let files = 0;
  tutorialLib.start = (name, about) => {
    files = about.files;
    engines.forEach(({ answers }) => answers.start({ name, about }));
  };
  tutorialLib.part = (name, at, text) => engines.forEach(({ answers }) => answers.part({ name, at, text }));
  importScripts(`${name}.js`);
  for (let k = 1; k < files; k++) importScripts(`${name}-${k}.js`);
  engines.forEach(({ answers }) => answers.finish({ name }));
  const [ours, plain] = engines.map((each) => runner(each, name));
  const peers = { "onnxruntime-web, int8": await onnx(), "plain JavaScript": plain }, rows = [];
  for (const ids of texts)
    for (const [peer, theirs] of Object.entries(peers)) {
      const vectors = [Array.from(await ours(ids)), Array.from(await theirs(ids))];
      const pairs = await alternate(() => ours(ids), () => theirs(ids), seconds, least);
      rows.push({ tokens: ids.length, peer, pairs, vectors });
    }
  return rows;
}

function runner({ machine, models }, name) {
  const { model } = models[name];
  return (ids) => machine.pass(() => machine.view(model.forward(ids, ids.map(() => 0))).slice());
}

async function onnx() {
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = self.location.href.replace(/[^/]*$/, "");
  const options = { executionProviders: ["wasm"], graphOptimizationLevel: "all" };
  const session = await ort.InferenceSession.create("int8.onnx", options);
  return async (ids) => {
    const tensor = (values) => new ort.Tensor("int64", BigInt64Array.from(values, BigInt), [1, ids.length]);
    return (await session.run({ ids: tensor(ids), mask: tensor(ids.map(() => 1)) })).X.data;
  };
}

// As in harness.py: pairs of seconds, and who begins changes from pair to pair.
async function alternate(ours, theirs, seconds, least) {
  const [mine, other] = [await timer(ours), await timer(theirs)], pairs = [];
  const end = performance.now() + 1000 * seconds;
  while (pairs.length < least || performance.now() < end)
    if (pairs.length % 2) {
      const second = await other();
      pairs.push([await mine(), second]);
    } else pairs.push([await mine(), await other()]);
  return pairs;
}

// A function that gives the seconds of one call. First it calls for a second, in which the browser compiles. Then each
// time is that of as many calls as take 20 ms, for a browser's clock may be coarse.
async function timer(run) {
  const warm = performance.now() + 1000;
  let last = 0;
  do {
    const start = performance.now();
    await run();
    last = performance.now() - start;
  } while (performance.now() < warm);
  const calls = Math.ceil(20 / last);
  return async () => {
    const start = performance.now();
    for (let call = 0; call < calls; call++) await run();
    return (performance.now() - start) / calls / 1000;
  };
}
