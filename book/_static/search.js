// The page of the search: which pages answer a question, the best first. It searches the texts that website/directives/search.py
// writes as a script, since a page that was opened from a file may not read other files.
(function () {
  var results = document.getElementById("search-results"), asked = new URLSearchParams(location.search).get("q");
  if (!asked) return;
  var STOP = new Set(("a an and are as at be but by can did do does for from get has have how i if in into is it its me my no not of on or our so such " +
    "that the their then there these they this to us use used using versus vs was we what when where which who why will with work works would you your").split(" "));
  var WEIGHT = { title: 8, term: 6, heading: 3 }; // beside 1 for the text
  var LISTS = /^book\/(api|bibliography|claims|figures|glossary|survived|teach\/.*)$/; // they mention what chapters explain
  var AROUND = 90, stemmer = new Stemmer(), stems = new Map();

  // The words of a text. "LayerNorms" is one and two.
  function words(text) {
    var plain = text.replace(/['’]s\b/g, "").replace(/√/g, " sqrt ");
    plain = plain.replace(/\b[A-Z]\w*?[a-z][A-Z][A-Za-z]*/g, function (name) { return name + " " + name.replace(/([a-z])([A-Z])/g, "$1 $2"); });
    return plain.toLowerCase().match(/[a-z0-9à-ÿ]+/g) || [];
  }
  function stem(word) {
    if (!stems.has(word)) stems.set(word, stemmer.stemWord(word));
    return stems.get(word);
  }
  // The words of a question, a title or a heading that matter, once each.
  function wanted(text) {
    var all = words(text), few = all.filter(function (word) { return !STOP.has(word); });
    return Array.from(new Set(few.length ? few : all));
  }

  function read() {
    var pages = new Map(Object.entries(BOOK_TEXTS).map(function (entry) {
      var parts = entry[1].map(function (part) { return { anchor: part[0], heading: part[1], text: part[2], to: part[3] }; });
      var title = parts.find(function (part) { return part.heading; });
      return [entry[0], { name: entry[0], title: title ? title.heading : "", parts: parts, terms: [], counts: new Map(), size: 0 }];
    }));
    function count(page, text) {
      words(text).map(stem).forEach(function (word) { page.counts.set(word, (page.counts.get(word) || 0) + 1); page.size += 1; });
    }
    pages.forEach(function (page) {
      page.parts.forEach(function (part) {
        count(page, part.heading + " " + part.text);
        var target = pages.get("book/" + (part.to || "").replace(/\.html.*/, "")); // the page that explains a term
        if (!target) return;
        count(target, part.heading);
        target.terms = target.terms.concat(part.heading.replace(/\(.*?\)/g, "").split(","));
      });
    });
    return Array.from(pages.values());
  }

  // A word that no page has stands for one that begins so, or is spelled nearly so.
  function nearest(word, frequency) {
    var best = word, least = word.length > 7 ? 2.5 : word.length > 3 ? 1.5 : 0;
    stems.forEach(function (other, spelled) {
      if (!frequency.has(other)) return;
      var away = (spelled.startsWith(word) && word.length > 2 ? 0.5 : distance(word, spelled)) - frequency.get(other) / 1e4;
      if (away < least) { best = spelled; least = away; }
    });
    return best;
  }
  function distance(a, b) {
    if (Math.abs(a.length - b.length) > 2) return 9;
    var row = Array.from({ length: b.length + 1 }, function (_, j) { return j; });
    for (var i = 1; i <= a.length; i++) {
      for (var j = 1, corner = row[0]++; j <= b.length; j++) {
        var change = corner + (a[i - 1] !== b[j - 1]);
        corner = row[j];
        row[j] = Math.min(change, row[j] + 1, row[j - 1] + 1);
      }
    }
    return row[b.length];
  }

  function rank(pages) {
    var frequency = new Map(), mean = 0;
    pages.forEach(function (page) {
      mean += page.size / pages.length;
      page.counts.forEach(function (_, word) { frequency.set(word, (frequency.get(word) || 0) + 1); });
    });
    var spelled = wanted(asked).map(function (word) { return frequency.has(stem(word)) ? word : nearest(word, frequency); });
    var joined = spelled.map(function (word, i) { return stem(spelled[i - 1] + word); }); // "word piece" finds "WordPiece"
    var query = spelled.map(stem), all = query.concat(joined).filter(function (word) { return frequency.has(word); });
    function rare(word) { return Math.log(1 + pages.length / (frequency.get(word) || 1)); }
    function sum(list) { return list.reduce(function (total, word) { return total + rare(word); }, 0); }
    // How much of the query a title, a term or a heading has, and how much of it is the query.
    function fits(text) {
      var own = wanted(text).map(stem), both = all.filter(function (word) { return own.includes(word); });
      return own.length ? sum(both) * both.length / own.length : 0;
    }
    function best(list) { return Math.max.apply(null, [0].concat(list.map(fits))); }
    pages.forEach(function (page) {
      page.has = query.filter(function (word) { return page.counts.has(word); });
      page.score = all.reduce(function (total, word) {
        var count = page.counts.get(word) || 0;
        return total + rare(word) * 2.2 * count / (count + 0.3 + 0.9 * page.size / mean);
      }, 0);
      page.score += WEIGHT.title * fits(page.title) + WEIGHT.term * best(page.terms);
      page.score += WEIGHT.heading * best(page.parts.map(function (part) { return part.heading; }));
      if (LISTS.test(page.name)) page.score /= 10;
      page.best = page.parts.reduce(function (first, part) {
        var own = new Set(words(part.text).map(stem)), here = all.filter(function (word) { return own.has(word); });
        part.score = sum(here) + 2 * fits(part.heading);
        return part.score > first.score ? part : first;
      }, { score: -1 });
    });
    var found = pages.filter(function (page) { return page.has.length; });
    found.sort(function (a, b) { return b.has.length - a.has.length || b.score - a.score; });
    return { pages: found, query: all };
  }

  // The stretch of a text with most of the words, which are bold.
  function excerpt(text, query) {
    var places = Array.from(text.matchAll(/[A-Za-z0-9À-ÿ]+/g)).filter(function (match) {
      return words(match[0]).some(function (word) { return query.includes(stem(word)); });
    });
    function around(match) {
      var near = places.filter(function (other) { return other.index >= match.index && other.index < match.index + AROUND; });
      return new Set(near.map(function (other) { return stem(other[0].toLowerCase()); })).size;
    }
    var first = places.reduce(function (best, match) { return best && around(best) >= around(match) ? best : match; }, null);
    var at = first ? first.index : 0, from = at < AROUND ? 0 : text.indexOf(" ", at - AROUND) + 1;
    var to = text.indexOf(" ", at + 1.5 * AROUND), line = document.createElement("p"), done = from;
    if (to < 0) to = text.length;
    line.className = "context";
    line.append(from ? "… " : "");
    places.forEach(function (match) {
      if (match.index < from || match.index >= to) return;
      var bold = document.createElement("b");
      bold.textContent = match[0];
      line.append(text.slice(done, match.index), bold);
      done = match.index + match[0].length;
    });
    line.append(text.slice(done, to), to < text.length ? " …" : "");
    return line;
  }

  function link(text, address) {
    var made = document.createElement("a");
    made.href = address;
    made.textContent = text;
    return made;
  }

  var found = rank(read()), list = document.createElement("ul"), status = document.createElement("p");
  document.querySelectorAll("form.bd-search input").forEach(function (box) { box.value = asked; });
  status.setAttribute("role", "status");
  status.textContent = found.pages.length ? found.pages.length + " pages, the best first." : "No page has these words.";
  found.pages.forEach(function (page) {
    var item = document.createElement("li"), part = page.best, address = page.name + ".html";
    item.append(link(page.title, address));
    if (part.anchor && part.heading !== page.title) item.append(" › ", link(part.heading, address + "#" + part.anchor));
    if (part.text) item.append(excerpt(part.text, found.query));
    list.append(item);
  });
  list.className = "search"; // the theme's
  results.append(status, list);
})();
