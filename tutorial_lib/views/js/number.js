// A field for one number, shared by the views whose numbers can be edited. Anything else is rejected with a message.
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i; // stricter than Number(), which takes "" for 0 and "0x1" for 1

// changed(value) is called at each key that leaves a number; field.set(value) writes one without calling it.
function numberField(view, label, value, largest, changed) {
  const field = TL.el("input", {
    type: "text", class: "tl-number", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": label,
  });
  let kept = value, taken = value; // from before the typing, and while it lasts
  function take() {
    const text = field.value.trim().replace("−", "-");
    const bad = !DECIMAL.test(text) || !(Math.abs(Number(text)) <= largest);
    taken = bad ? kept : Number(text);
    complain(view, field, bad && label + ": " + refusal(field.value, largest) + " " + written(kept) + " stays.");
    changed(taken);
  }
  function settle() { // the message stays to be read until the next number
    kept = taken;
    field.value = written(kept);
    field.removeAttribute("aria-invalid");
  }
  field.set = function (value) { taken = value; settle(); };
  field.addEventListener("input", take);
  field.addEventListener("change", settle); // Enter
  field.addEventListener("blur", settle);
  field.addEventListener("keydown", function (event) {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (!direction || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    field.value = written(Number((taken + direction * 0.1).toFixed(10))); // 0.1 + 0.2 is 0.3 for a reader
    take();
  });
  field.set(value);
  return field;
}

function refusal(text, largest) {
  const limit = largest.toLocaleString("en-US");
  return (text.trim() ? "“" + text + "” is not" : "an empty field is not") + " a number from −" + limit + " to " + limit + ".";
}

function complain(view, field, message) {
  view.error = view.error || view.root.insertBefore(TL.el("p", { class: "tl-error", role: "alert", id: newId(view) }), view.picture);
  view.error.textContent = message || "";
  const marks = { "aria-invalid": "true", "aria-describedby": view.error.id };
  for (const name in marks) message ? field.setAttribute(name, marks[name]) : field.removeAttribute(name);
}

// A notebook may show the same output twice, so the view's key is not a unique id.
function newId(view) {
  let id = view.root.dataset.view + "-error";
  while (document.getElementById(id)) id += "-again";
  return id;
}

function written(value) {
  return Number.isInteger(value) ? value + ".0" : String(value);
}

// This many digits, or powers of ten if they would not fit.
function shown(value, digits = 2) {
  if (value === -Infinity) return "−∞";
  return Math.abs(value) < 1e5 ? TL.number(value, digits) : value.toExponential(1).replace("-", "−");
}

function button(view, text, pressed) {
  const button = TL.el("button", { type: "button" }, text);
  button.addEventListener("click", pressed);
  view.controls.append(button);
}
