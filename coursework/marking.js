// Handle the keys, and save each change at once. What a field shows as saved is in the CSV file.
const articles = [...document.querySelectorAll("article")];
const points = article => article.querySelector("input");
const comment = article => article.querySelector("textarea");
const unmarked = article => points(article).value === "" || article.querySelector(".changed");
document.querySelector("h1").insertAdjacentHTML("afterend",
  "<p>Keys: <kbd>j</kbd> next answer, <kbd>k</kbd> previous answer, digits for points, <kbd>Enter</kbd> save and go on, " +
  "<kbd>c</kbd> comment, <kbd>Esc</kbd> leave a field, <kbd>u</kbd> next answer without points.</p>");
let current = articles.find(unmarked) || articles[0];

function show(article) {
  if (!article) return;
  current?.removeAttribute("aria-current");
  current = article;
  article.setAttribute("aria-current", "true");
  if (!article.contains(document.activeElement)) article.focus({ preventScroll: true });  // a field that was clicked stays
  article.scrollIntoView({ block: "nearest" });
}

let sending = Promise.resolve();

async function save(article) {
  const said = article.querySelector("output"), { student, question, answer } = article.dataset;
  if (!points(article).reportValidity()) return;
  said.textContent = "…";
  const sent = { student, question, points: points(article).value, comment: comment(article).value, answer };
  const send = () => fetch("", { method: "POST", body: JSON.stringify(sent) }).catch(() => null);
  const reply = await (sending = sending.then(send));  // one after the other: what was typed last counts
  said.textContent = reply?.ok ? "saved" : `not saved: ${reply ? await reply.text() : "the program has ended"}`;
  article.classList.toggle("failed", !reply?.ok);
  if (reply?.ok) article.querySelector(".changed")?.remove();
}

const step = by => show(articles[articles.indexOf(current) + by]);
for (const article of articles) {
  article.addEventListener("change", () => save(article));
  article.addEventListener("focusin", () => current !== article && show(article));
}
document.addEventListener("focusin", event => {
  if (event.target.closest("article") === current && event.target.matches("input")) event.target.select();
});
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !current) return;
  const writes = event.target.matches("textarea"), counts = event.target.matches("input");
  if (event.key === "Escape") current.focus();
  else if (event.key === "Enter" && !writes && !event.target.matches("summary")) {
    event.preventDefault();
    if (!points(current).reportValidity()) return;
    if (current.querySelector(".changed")) save(current);  // the same points once more are no change
    current.focus();
    step(1);
  } else if (writes || counts) return;
  else if (/^[0-9]$/.test(event.key)) points(current).focus();  // the digit itself goes into the field
  else if (event.key === "j") step(1);
  else if (event.key === "k") step(-1);
  else if (event.key === "u") show(articles.slice(articles.indexOf(current) + 1).find(unmarked) || articles.find(unmarked));
  else if (event.key === "c") {
    event.preventDefault();
    comment(current).focus();
  }
});
show(current);
