// What a page of this benchmark does. It tells the end in window.told, as text: {value}, or {error}. Where its address
// names a port, it sends that there, too: a page from a file may send, though it may read no answer.

async function tell(work) {
  let told;
  try {
    told = JSON.stringify({ value: await work });
  } catch (error) {
    told = JSON.stringify({ error: `${error.message || error}` });
  }
  const port = location.hash.slice(1);
  if (port) await fetch(`http://127.0.0.1:${port}/`, { method: "POST", mode: "no-cors", body: told });
  window.told = told;
}

// From the press to the first answer, in seconds, and what computed it.
async function press(text) {
  await new Promise((resolve) => setTimeout(resolve, 1000)); // a browser has still to do when a page is there
  const before = performance.now();
  await tutorialLib.trace(text);
  const seconds = (performance.now() - before) / 1000;
  return [seconds, (await tutorialLib.load()).machine];
}

// The hash of each text's values on the way. questions: a list of [model, text].
async function bits(questions) {
  const found = [];
  for (const [model, text] of questions) found.push(await digest((await tutorialLib.trace(text, { model })).stops));
  return found;
}

function contest(task) {
  return new Promise((resolve, reject) => {
    const worker = new Worker("contest.js");
    worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.value));
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(task);
  });
}
