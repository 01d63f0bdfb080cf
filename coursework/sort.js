// A table sorts by the column whose heading is pressed: numbers with the largest first, and a second press turns it round.
for (const table of document.querySelectorAll("table"))
  table.tHead.addEventListener("click", event => {
    const head = event.target.closest("th");
    if (!head) return;
    const column = head.cellIndex, was = head.getAttribute("aria-sort");
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    const number = row => parseFloat(row.cells[column].textContent);
    const numbers = [...table.tBodies[0].rows].some(row => row.cells[column].className == "number");
    const down = was ? was == "ascending" : numbers;
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const text = (a, b) => a.cells[column].textContent.localeCompare(b.cells[column].textContent);
    const order = numbers ? (a, b) => (number(a) || 0) - (number(b) || 0) : text;
    table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => down ? order(b, a) : order(a, b)));
  });
