// Runs the training engine in Node: node engine.js FOLDER, which has task.json and, for some tasks, weights.safetensors.
// What it finds goes to found.safetensors, with the run's losses among the arrays.
const { readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const [folder] = process.argv.slice(2), task = JSON.parse(readFileSync(join(folder, "task.json"), "utf8"));
const made = `const machine = Training(which === "kernel" ? TrainingKernel(code) : Arithmetic(which === "64" ? Float64Array : Float32Array));
return { machine, Bert, GPT, Parameters, shapes_of, Random, initialize, next_tokens, one_step, write_safetensors, read_safetensors };`;
const source = task.sources.map((path) => readFileSync(path, "utf8")).join("\n");
const engine = new Function("which", "code", `"use strict";\n${source}\n${made}`)(task.machine, readFileSync(task.kernel));
const { machine, Parameters, shapes_of, Random, initialize, next_tokens, one_step, write_safetensors, read_safetensors } = engine;
const settings = task.settings, shapes = task.shapes || shapes_of(task.config), parameters = Parameters(shapes, task.config.eps);
const model = new engine[task.kind](parameters.part, task.config), found = {}, losses = [];
const shape_of = Object.fromEntries(shapes.map(([name, ...shape]) => [name, shape]));
const put = (name, X, shape = X.shape) => { found[name] = { shape, values: machine.view(X).slice() }; };

if (task.seed === undefined) {
  const [weights] = read_safetensors(new Uint8Array(readFileSync(join(folder, "weights.safetensors"))));
  parameters.all.forEach((W) => machine.view(W).set(weights[W.name].values));
} else initialize(parameters, task.config, task.seed, task.std);

// The loss of one of the task's batches. stops: where its values are put by name.
function loss_of({ ids, segments, next, texts }, stops = {}) {
  const keep = (name, X) => (stops[name] = X);
  machine.texts = texts;
  task.kind === "Bert" ? model.forward(ids, segments, keep) : model.forward(ids, null, keep, ids.map((_, t) => t % (ids.length / texts)));
  return machine.cross_entropy(stops.logits || stops["mlm.logits"], next);
}

const work = {
  // Steps over given batches, or over random pieces of a text; the gradients of the first one.
  train() {
    const generator = Random(task.seed || 0), draw = task.tokens && next_tokens(Int32Array.from(task.tokens), task.context, task.batch_size);
    for (let step = 0; step < task.steps; step++) {
      const stops = {};
      losses.push(one_step(model, parameters, draw || (() => loss_of(task.batches[step], stops)), generator, settings, step));
      if (step) continue;
      for (const W of parameters.all) put(`gradient.${W.name}`, W.d, shape_of[W.name]);
      for (const [name, X] of Object.entries(stops)) if (X.d) put(`gradient.${name}`, X.d);
    }
    for (const W of parameters.all) put(`after.${W.name}`, W, shape_of[W.name]);
  },

  // The slope of the loss along each weight by finite differences; in 64 bits.
  differences() {
    const { h } = task, [batch] = task.batches;
    machine.backward(() => loss_of(batch));
    for (const W of parameters.all) {
      put(`gradient.${W.name}`, W.d);
      put(`slope.${W.name}`, W.d);
      W.values.forEach((before, i) => {
        const [above, below] = [h, -h].map((step) => {
          W.values[i] = before + step;
          return loss_of(batch);
        });
        W.values[i] = before;
        found[`slope.${W.name}`].values[i] = (above - below) / (2 * h);
      });
    }
  },

  weights() {
    for (const W of parameters.all) put(W.name, W, shape_of[W.name]);
  },

  // CPU seconds of a step, the best of several runs; told to the one who asked.
  time() {
    const [batch] = task.batches, times = [];
    for (let step = 0; step < task.steps; step++) {
      const before = process.cpuUsage();
      one_step(model, parameters, () => loss_of(batch), null, settings, step);
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1e6);
    }
    losses.push(...times);
  },
};

work[task.do]();
found.loss = { shape: [losses.length], values: Float64Array.from(losses) };
writeFileSync(join(folder, "found.safetensors"), write_safetensors(found));
