// What pages, worker and Node share.

// The book's engine without its page: the worker's script as a function, so that two can run side by side. Without
// WebAssembly it computes in plain JavaScript.
function engine(source, WebAssembly) {
  return new Function("WebAssembly", "onmessage", `${source}\nreturn { answers, machine, models };`)(WebAssembly);
}

// All bits of all values on the way, as one hash.
async function digest(stops) {
  const parts = Object.entries(stops).flatMap(([name, { shape, values }]) => [`${name} ${shape} `, values]);
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
