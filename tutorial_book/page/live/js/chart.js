// Charts: lines over places x, paths in a plane, bars, a grid of layers and heads, a histogram. A chart is an object whose `kind` names
// the function here that draws it.
var drawn = (function () {
  var WIDTH = 440, HEIGHT = 230, LEFT = 46, RIGHT = 430, TOP = 10, BOTTOM = 190;

  function drawn(chart) {
    return { lines: lines, paths: paths, bars: bars, grid: grid, histogram: histogram }[chart.kind](chart);
  }

  function ticks(low, high) {
    var raw = (high - low) / 4, power = Math.pow(10, Math.floor(Math.log10(raw))), found = [];
    var step = power * [1, 2, 5, 10].reduce(function (best, times) { return Math.abs(times * power - raw) < Math.abs(best * power - raw) ? times : best; });
    for (var k = Math.ceil(low / step - 1e-9); k <= Math.floor(high / step + 1e-9); k++) found.push(k * step);
    return found;
  }

  function short(value) { return String(+value.toPrecision(3)).replace("-", "\u2212"); }

  function clamp(value, low, high) { return Math.min(Math.max(value, low), high); }

  function words(x, y, anchor, text) {
    return TL.svg("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor }, text);
  }

  function frame(ys, inside, label) {
    var grid = ys.flatMap(function (tick) {
      return [TL.svg("path", { "class": "tl-tick", d: "M" + LEFT + " " + tick[0].toFixed(1) + "H" + RIGHT }),
        words(LEFT - 6, tick[0] + 4, "end", tick[1])];
    });
    return TL.svg("svg", { "class": "tl-chart", viewBox: "0 0 " + WIDTH + " " + HEIGHT, role: "img", "aria-label": label }, grid.concat(inside));
  }

  function key(names) {
    return TL.el("ul", { "class": "tl-key" }, names.map(function (one) { return TL.el("li", { "class": one[1] }, one[0]); }));
  }

  function track(points) {
    return points.map(function (point, i) { return (i ? "L" : "M") + point[0].toFixed(1) + " " + point[1].toFixed(1); }).join("");
  }

  function lines(chart) {
    function scale(value) { return chart.log ? Math.log10(Math.max(value, 1e-9)) : value; }
    var values = chart.curves.flatMap(function (curve) { return curve[1]; }), soft = chart.soft || [], hard = 0; // soft: thin and dashed, to compare with
    var least = chart.low ?? Math.min.apply(null, values), most = chart.high ?? Math.max.apply(null, values), low = scale(least), high = scale(most);
    var x = chart.x || chart.curves[0][1].map(function (_, i) { return String(i); }), n = x.length, every = Math.ceil(n / 14);
    function across(i) { return LEFT + (RIGHT - LEFT) * (i + 0.5) / n; }
    function up(value) { return BOTTOM - (BOTTOM - TOP) * (clamp(scale(value), low, high) - low) / (high - low || 1); }
    var marks = chart.log ? [] : ticks(low, high);
    if (chart.log)
      for (var k = Math.floor(low); k <= Math.ceil(high); k++)
        [1, 2, 5].forEach(function (m) { if (m * Math.pow(10, k) >= least && m * Math.pow(10, k) <= most) marks.push(m * Math.pow(10, k)); });
    var inside = x.filter(function (_, i) { return i % every === 0; }).map(function (text, i) { return words(across(i * every), BOTTOM + 17, "middle", text); });
    inside.push(words((LEFT + RIGHT) / 2, BOTTOM + 35, "middle", chart.axis));
    var names = chart.curves.map(function (curve) {
      var kind = soft.includes(curve[0]) ? "tl-soft" : "tl-curve-" + hard++;
      inside.push(TL.svg("path", { "class": kind, d: track(curve[1].map(function (value, i) { return [across(i), up(value)]; })) }));
      return [curve[0], kind];
    });
    var svg = frame(marks.map(function (mark) { return [up(mark), short(mark)]; }), inside, chart.unit + " by " + chart.axis);
    return [TL.el("p", { "class": "tl-unit" }, chart.unit), svg, key(names)];
  }

  function paths(chart) {
    var points = chart.paths.flatMap(function (path) { return path[1]; });
    function range(axis) {
      var values = points.map(function (point) { return point[axis]; });
      return [Math.min.apply(null, values), Math.max.apply(null, values)];
    }
    var xs = range(0), ys = range(1), unit = Math.min((RIGHT - LEFT) / (xs[1] - xs[0] || 1), (BOTTOM - TOP) / (ys[1] - ys[0] || 1));
    var inside = chart.paths.flatMap(function (path, i) {
      var at = path[1].map(function (point) {
        return [WIDTH / 2 + unit * (point[0] - (xs[0] + xs[1]) / 2), HEIGHT / 2 - unit * (point[1] - (ys[0] + ys[1]) / 2)];
      });
      return [TL.svg("path", { "class": "tl-curve-" + i, d: track(at) })].concat(at.map(function (point, k) {
        return TL.svg("circle", { "class": "tl-curve-" + i + (k ? " tl-dot" : " tl-start"), cx: point[0].toFixed(1), cy: point[1].toFixed(1),
          r: k % (at.length - 1) ? 3 : 6 });
      }));
    });
    return [frame([], inside, "paths in a plane"), key(chart.paths.map(function (path, i) { return [path[0], "tl-curve-" + i]; }))];
  }

  function bars(chart) {
    var low = chart.low ?? 0; // up to 1; band: for each row [from, to], the range of chance
    function share(value) { return 100 * (clamp(value, low, 1) - low) / (1 - low); }
    function part(tag, from, to) { return TL.el(tag, { style: "left:" + from.toFixed(1) + "%;width:" + (to - from).toFixed(1) + "%" }); }
    return [TL.el("table", { "class": "tl-bars" }, TL.el("tbody", {}, chart.rows.map(function (row, i) {
      var ends = [share(0), share(row[1])].sort(function (a, b) { return a - b; }), bar = [part("i", ends[0], ends[1])];
      if (chart.band) bar.unshift(part("u", share(chart.band[i][0]), share(chart.band[i][1])));
      return TL.el("tr", {}, [TL.el("th", { scope: "row" }, row[0]), TL.el("td", { "class": "tl-track" }, TL.el("span", {}, bar)),
        TL.el("td", {}, [TL.number(row[1])].concat(chart.band ? TL.el("b", {}, // what the gray bar shows, for a screen reader
          ", chance " + chart.band[i].map(function (x) { return TL.number(x); }).join(" to ")) : []))]);
    })))];
  }

  function grid(chart) {
    var head = chart.rows[0].map(function (_, k) { return TL.el("th", { scope: "col" }, String(k)); });
    return [TL.el("p", { "class": "tl-unit" }, chart.unit + "; a row is a layer, a column a head"), TL.el("table", { "class": "tl-heads" }, [TL.el("thead", {}, TL.el("tr", {}, [TL.el("td", {})].concat(head))),
      TL.el("tbody", {}, chart.rows.map(function (row, i) {
        return TL.el("tr", {}, [TL.el("th", { scope: "row" }, String(i))].concat(row.map(function (cell) {
          return TL.el("td", { style: "--strength:" + (100 * clamp(cell[1], 0, 1)).toFixed(0) + "%" }, cell[0]);
        })));
      }))])];
  }

  function histogram(chart) {
    var width = (RIGHT - LEFT) / chart.counts.length, most = Math.max.apply(null, chart.counts);
    function across(value) { return LEFT + (RIGHT - LEFT) * (clamp(value, chart.low, chart.high) - chart.low) / (chart.high - chart.low); }
    var path = "M" + LEFT + " " + BOTTOM + chart.counts.map(function (count, i) {
      return "V" + (BOTTOM - (BOTTOM - TOP - 16) * count / most).toFixed(1) + "H" + (LEFT + width * (i + 1)).toFixed(1);
    }).join("") + "V" + BOTTOM + "Z";
    var inside = [TL.svg("path", { "class": "tl-hill", d: path })].concat(ticks(chart.low, chart.high).map(function (mark) {
      return words(across(mark), BOTTOM + 17, "middle", short(mark));
    }), words((LEFT + RIGHT) / 2, BOTTOM + 35, "middle", chart.axis));
    chart.marks.forEach(function (mark) {
      var x = across(mark[1]), end = x > (LEFT + RIGHT) / 2;
      inside.push(TL.svg("path", { "class": "tl-mark", d: "M" + x.toFixed(1) + " " + TOP + "V" + BOTTOM }),
        words(x + (end ? -6 : 6), TOP + 10, end ? "end" : "start", mark[0]));
    });
    return [frame([], inside, "histogram of " + chart.axis)];
  }

  return drawn;
})();
