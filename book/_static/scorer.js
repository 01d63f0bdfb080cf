// How the search ranks what it finds: Sphinx's own scores, and the library's page behind the chapters.
var Scorer = {
  score: ([page, , , , score]) => (page === "book/api" ? score - 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
