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
      show();
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
    var open = +table.dataset.open || rows.length, more = box.querySelector("[data-all]");
    function show() {
      var seen = 0;
      rows.forEach(function (row) {
        var fits = (!keep.state || row.dataset.state.split(" ").indexOf(keep.state) >= 0) && row.textContent.toLowerCase().indexOf(keep.text) >= 0;
        row.hidden = !fits; seen += fits;
        row.classList.toggle("more", fits && seen > open);
      });
      var all = table.classList.contains("all"), shown = all ? seen : Math.min(seen, open);
      if (count) { count.textContent = shown + " of " + rows.length + " shown" + (seen > shown && seen < rows.length ? ", " + seen + " match" : ""); }
      if (more) { more.hidden = seen <= open; more.textContent = all ? "Show fewer" : "Show all " + seen; more.setAttribute("aria-expanded", String(all)); }
    }
    if (more) { more.addEventListener("click", function () { table.classList.toggle("all"); show(); }); }
    all(".chip", box).forEach(function (chip) {
      chip.addEventListener("click", function () {
        all(".chip", box).forEach(function (each) { each.setAttribute("aria-pressed", String(each === chip)); });
        keep.state = chip.dataset.state; show();
      });
    });
    var field = box.querySelector("input[type=search]");
    if (field) { field.addEventListener("input", function () { keep.text = field.value.toLowerCase(); show(); }); }
    var choice = box.querySelector("select");
    if (choice) { choice.addEventListener("change", function () { var v = choice.value.split(" "); sort(table.tHead.querySelector("[data-key=" + v[0] + "]").cellIndex, v[1] === "down"); }); }
    show();
  });
  all("[data-show]").forEach(function (button) {
    button.addEventListener("click", function () {
      var open = document.getElementById(button.dataset.show).classList.toggle("all");
      button.setAttribute("aria-expanded", String(open));
      button.textContent = open ? "Show fewer" : button.dataset.words;
    });
  });
  all("[data-cuts]").forEach(function (box) {
    var rows = all("tbody tr", document.getElementById(box.dataset.cuts)), places = box.dataset.places.split(" ").map(Number);
    var slider = box.querySelector("input"), now = box.querySelector("output"), shown = all("dd", box), names = all("dt", box), lines = all(".cutfig", box.closest("section"));
    function move() {
      var at = +slider.value, cells = rows[at].cells;
      now.textContent = cells[0].textContent;
      shown.forEach(function (dd, i) {
        dd.firstElementChild.textContent = cells[i + 1].firstElementChild.textContent;
        dd.lastElementChild.textContent = cells[i + 1].lastElementChild.textContent;
      });
      slider.setAttribute("aria-valuetext", cells[0].textContent + ": " + names.map(function (dt, i) { return dt.textContent + " " + shown[i].firstElementChild.textContent; }).join(", "));
      lines.forEach(function (figure) {
        var from = +figure.dataset.from, to = +figure.dataset.to;
        figure.querySelector("i").style.left = 100 * (from + places[at] * (to - from)) + "%";
      });
    }
    slider.value = box.dataset.start;
    slider.addEventListener("input", move);
    move();
  });
  if (narrow.matches) { all(".tree details:not(.onpath)").forEach(function (node) { node.open = false; }); }
  var shut = [];
  window.addEventListener("beforeprint", function () {
    shut = all("details.node:not([open]), details.stat:not([open])");
    shut.forEach(function (node) { node.open = true; });
  });
  window.addEventListener("afterprint", function () { shut.forEach(function (node) { node.open = false; }); });
  function paste(text) {
    var field = document.createElement("textarea");
    field.value = text; field.style.position = "fixed"; field.style.top = "0"; field.style.opacity = "0";
    document.body.appendChild(field); field.select();
    var done = false;
    try { done = document.execCommand("copy"); } catch (error) { done = false; }
    field.remove();
    return done;
  }
  all("button.copy").forEach(function (button) {
    var words = button.textContent;
    button.addEventListener("click", function () {
      var from = button.dataset.from && document.getElementById(button.dataset.from);
      var text = from ? from.textContent : button.dataset.text;
      var say = function (done) { button.textContent = done ? "Copied" : "Could not copy"; button.focus(); setTimeout(function () { button.textContent = words; }, 2000); };
      if (navigator.clipboard && window.isSecureContext) { navigator.clipboard.writeText(text).then(function () { say(true); }, function () { say(paste(text)); }); } else { say(paste(text)); }
    });
  });
  var theme = document.querySelector("button.theme"), themes = ["", "light", "dark"], words = ["as the system", "light", "dark"], signs = ["◐", "○", "●"];
  function paint(name) {
    var at = Math.max(themes.indexOf(name), 0);
    if (themes[at]) { document.documentElement.dataset.theme = themes[at]; } else { delete document.documentElement.dataset.theme; }
    if (theme) { theme.textContent = signs[at]; theme.setAttribute("aria-label", "Colours: " + words[at]); theme.title = "Colours: " + words[at]; }
    return at;
  }
  var kept = "";
  try { kept = localStorage.getItem("earnest-theme") || ""; } catch (error) { kept = ""; }
  var current = paint(kept);
  if (theme) {
    theme.addEventListener("click", function () {
      current = paint(themes[(current + 1) % themes.length]);
      try { localStorage.setItem("earnest-theme", themes[current]); } catch (error) { /* a page without storage keeps its colours until it is shut */ }
    });
  }
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
