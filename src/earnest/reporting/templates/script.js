document.documentElement.classList.add("js");
(function () {
  "use strict";
  var all = function (s, at) { return Array.prototype.slice.call((at || document).querySelectorAll(s)); };
  var narrow = window.matchMedia("(max-width: 720px)");
  all("table[data-sort]").forEach(function (table) {
    var body = table.tBodies[0], rows = all("tr", body);
    rows.forEach(function (row, i) { row.earnest = i; });
    var keep = { text: "", state: "" };
    var box = table.closest("section"), count = box.querySelector("[data-count]");
    function sort(column, down) {
      var cell = function (row) { var at = row.cells[column], v = at.getAttribute("data-v"); var x = v === null ? at.textContent : v; return x === "–" ? "" : x; };
      rows.sort(function (a, b) {
        var x = cell(a), y = cell(b), p = parseFloat(x), q = parseFloat(y);
        if (x === "" || y === "") { return (x === "") - (y === "") || a.earnest - b.earnest; }
        var order = isNaN(p) || isNaN(q) ? (x < y ? -1 : x > y ? 1 : 0) : p - q;
        return (down ? -order : order) || a.earnest - b.earnest;
      });
      rows.forEach(function (row) { body.appendChild(row); });
      all("th", table.tHead).forEach(function (th, i) {
        if (i === column) { th.setAttribute("aria-sort", down ? "descending" : "ascending"); } else { th.removeAttribute("aria-sort"); }
      });
    }
    all("th button", table.tHead).forEach(function (button) {
      button.addEventListener("click", function () {
        var th = button.closest("th");
        var first = th.dataset.first === "down";
        var now = th.getAttribute("aria-sort");
        sort(th.cellIndex, now ? now !== "descending" : first);
      });
    });
    function show() {
      var seen = 0;
      rows.forEach(function (row) {
        var fits = (!keep.state || row.dataset.state.split(" ").indexOf(keep.state) >= 0) && row.textContent.toLowerCase().indexOf(keep.text) >= 0;
        row.hidden = !fits; seen += fits;
      });
      if (count) { count.textContent = seen + " of " + rows.length + " shown"; }
    }
    all(".chip", box).forEach(function (chip) {
      chip.addEventListener("click", function () {
        all(".chip", box).forEach(function (each) { each.setAttribute("aria-pressed", String(each === chip)); });
        keep.state = chip.dataset.state; show();
      });
    });
    var field = box.querySelector("input[type=search]");
    if (field) { field.addEventListener("input", function () { keep.text = field.value.toLowerCase(); show(); }); }
    var choice = box.querySelector("select");
    if (choice) { choice.addEventListener("change", function () { var v = choice.value.split(" "); sort(+v[0], v[1] === "down"); }); }
  });
  all("[data-show]").forEach(function (button) {
    button.addEventListener("click", function () {
      var open = document.getElementById(button.dataset.show).classList.toggle("all");
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Show fewer" : button.dataset.words;
    });
  });
  if (narrow.matches) { all(".tree details:not(.onpath)").forEach(function (node) { node.open = false; }); }
  var shut = [];
  window.addEventListener("beforeprint", function () {
    shut = all("details.node:not([open]), details.treebox:not([open])");
    shut.forEach(function (node) { node.open = true; });
  });
  window.addEventListener("afterprint", function () { shut.forEach(function (node) { node.open = false; }); });
  var links = all(".bar nav a");
  if ("IntersectionObserver" in window) {
    var watch = new IntersectionObserver(function (seen) {
      seen.forEach(function (entry) {
        if (!entry.isIntersecting) { return; }
        links.forEach(function (a) {
          if (a.hash === "#" + entry.target.id) { a.setAttribute("aria-current", "true"); } else { a.removeAttribute("aria-current"); }
        });
      });
    }, { rootMargin: "-20% 0px -70% 0px" });
    links.forEach(function (a) { var at = document.getElementById(a.hash.slice(1)); if (at) { watch.observe(at); } });
  }
  all(".bar details a").forEach(function (a) { a.addEventListener("click", function () { a.closest("details").open = false; }); });
})();
