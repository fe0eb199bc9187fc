// SPDX-License-Identifier: GPL-2.0-or-later
// Functions for the whole page: colours, tooltips, filters, keys.

const frameTimes = []; // duration of each drawing in ms, for measurements
const theme = {};

// ---- colours ----

function themeRead() {
  const style = getComputedStyle(document.documentElement);
  const value = (name) => style.getPropertyValue("--" + name).trim();

  for (const name of ["ink", "soft", "faint", "line", "accent", "focus", "match", "more", "less", "same", "cold", "warm", "hot"])
    theme[name] = value(name);
  theme.font = getComputedStyle(document.body).fontFamily;
  theme.frameInk = value("frame-ink");
  theme.frameLight = value("frame-light");
  theme.frameRich = value("frame-rich");
  theme.onMatch = document.documentElement.dataset.theme === "dark" ? "#16081f" : "#ffffff";
  theme.heat = [theme.cold, theme.warm, theme.hot].map(toRgb);
  theme.change = [theme.less, theme.same, theme.more].map(toRgb);
}

function toRgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

// Returns a colour between three colours: 0 is the first, 0.5 the second, 1 the third.
function mix(colours, part) {
  const at = Math.min(Math.max(part, 0), 1) * 2;
  const low = colours[Math.min(Math.floor(at), 1)], high = colours[Math.min(Math.floor(at), 1) + 1];
  const rest = at - Math.min(Math.floor(at), 1);

  return "rgb(" + low.map((one, i) => Math.round(one + (high[i] - one) * rest)).join(",") + ")";
}

function heatColour(part) {
  return mix(theme.heat, part);
}

function changeColour(change) {
  return mix(theme.change, (change + 1) / 2);
}

// Returns an image's colour, which is the same on every page. The kernel's images have cool colours, programs and
// libraries warm ones.
function imageColour(path) {
  let hash = 2166136261;

  for (let i = 0; i < path.length; i++)
    hash = Math.imul(hash ^ path.charCodeAt(i), 16777619) >>> 0;
  const kernel = /^\[?(vmlinux|kallsyms|bpf|__builtin)|\.ko|^\[/.test(shortName(path)) || path.startsWith("[");
  const hue = kernel ? 205 + hash % 28 : 8 + hash % 58;

  return "hsl(" + hue + " " + theme.frameRich + " " + (parseFloat(theme.frameLight) + hash % 7 - 3) + "%)";
}

function themeSet(name) {
  document.documentElement.dataset.theme = name;
  themeRead();
}

function themeChosen() {
  const asked = location.hash.match(/theme=(dark|light)/);

  return asked ? asked[1] : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// ---- canvases ----

function prepareCanvas(canvas, height) {
  const ratio = devicePixelRatio || 1;
  const width = Math.max(Math.round(canvas.clientWidth * ratio), 1);
  const pixels = Math.max(Math.round(height * ratio), 1);

  canvas.style.height = height + "px";
  if (canvas.width !== width || canvas.height !== pixels) {
    canvas.width = width;
    canvas.height = pixels;
  }
  const ctx = canvas.getContext("2d");

  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  return ctx;
}

const letters = new Map();

// Cuts text to the available width. The width is estimated by the mean width of a letter, because exact measurements
// take too much time.
function fitText(ctx, text, room) {
  let letter = letters.get(ctx.font);

  if (!letter) {
    letter = ctx.measureText("abcdefghijklmnopqrstuvwxyz_:0123").width / 32;
    letters.set(ctx.font, letter);
  }
  const most = Math.floor(room / letter);

  return text.length <= most ? text : most < 3 ? "" : text.slice(0, most - 1) + "\u2026";
}

// ---- tips ----

function showTip(event, head, lines) {
  const tip = document.getElementById("tip");
  const bold = document.createElement("b");

  bold.textContent = head;
  tip.replaceChildren(bold, ...lines.map((line) => cell("", line)));
  tip.hidden = false;
  const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 10);
  const below = event.clientY + 18;

  tip.style.left = Math.max(left, 6) + "px";
  tip.style.top = (below + tip.offsetHeight > innerHeight ? event.clientY - tip.offsetHeight - 10 : below) + "px";
}

function hideTip() {
  document.getElementById("tip").hidden = true;
}

// ---- summary ----

function addFact(name, value, small, warn) {
  const fact = document.createElement("div");
  const number = document.createElement("dd");
  const term = document.createElement("dt");

  term.textContent = name;
  number.textContent = value;
  if (small) {
    const rest = document.createElement("small");

    rest.textContent = " " + small;
    number.append(rest);
  }
  if (warn)
    fact.className = "warn";
  fact.append(term, number);
  document.getElementById("facts").append(fact);
}

function showSummary() {
  const facts = meta.facts;

  document.title = document.getElementById("title").textContent = meta.title;
  for (const fact of facts)
    addFact(fact.name, fact.ms ? showStretch(fact.ms[0], fact.ms[1]) : fact.value !== undefined ? showNumber(fact.value) : fact.text,
      fact.ms ? [showDay(fact.ms[0]), showTime(1e6 * (fact.ms[1] - fact.ms[0])), fact.small].filter(Boolean).join(", ")
        : fact.small, fact.warn);
  const notes = document.getElementById("notes");

  meta.notes.forEach((note) => {
    const line = document.createElement("span");

    line.textContent = note;
    notes.append(line);
  });
  notes.hidden = !meta.notes.length;
}

// ---- filters ----

function addChip(text, drop) {
  const chip = document.createElement("button");

  chip.type = "button";
  chip.textContent = text;
  chip.addEventListener("click", () => { drop(); refresh(); });
  document.getElementById("chips").append(chip);
}

function showChips() {
  document.getElementById("chips").textContent = "";
  if (state.time)
    addChip(showStretch(stretches[state.time[0]][0], stretches[state.time[1]][1]), () => { state.time = null; });
  if (state.app >= 0)
    addChip(meta.apps[state.app], () => { state.app = -1; });
  if (state.image >= 0)
    addChip(meta.images[state.image].path, () => { state.image = -1; });
}

// To be called after any change of the event, the time range or the filters.
function refresh() {
  const begin = performance.now();

  sumUp();
  showChips();
  if (heat.canvas && HAS_TIME && !IS_DIFF) {
    heatSum();
    heatDraw();
  }
  flameUpdate();
  tableUpdate();
  if (state.symbol >= 0)
    panelFill();
  refresh.times.push(performance.now() - begin);
}
refresh.times = [];

// A search does not change sums; it only changes which frames are marked and which rows are listed.
function search() {
  const begin = performance.now();

  state.search = document.getElementById("search").value;
  flame.found = treeFind();
  flameHint();
  flameDraw();
  table.box.scrollTop = 0;
  tableUpdate();
  search.times.push(performance.now() - begin);
}
search.times = [];

function searchFor(text) {
  document.getElementById("search").value = text;
  search();
}

function dropFilters() {
  Object.assign(state, { time: null, app: -1, image: -1 });
  searchFor("");
  refresh();
  flameZoom(0);
}

// ---- keys ----

function escape() {
  if (state.symbol >= 0)
    panelClose();
  else if (state.search)
    searchFor("");
  else if (flame.zoom)
    flameZoom(0);
  else if (document.activeElement)
    document.activeElement.blur();
}

function toggleTheme() {
  themeSet(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  flameColours();
  document.getElementById("legend").textContent = "";
  flameLegend();
  heatDraw();
  flameDraw();
  if (state.symbol >= 0)
    panelFill();
}

function focusOn(id) {
  const element = document.getElementById(id);

  element.scrollIntoView({ block: "center" });
  element.focus();
}

const KEYS = {
  "/": () => document.getElementById("search").focus(),
  "?": () => document.getElementById("keys").showModal(),
  1: () => tableTab("symbols"),
  2: () => tableTab("images"),
  3: () => tableTab("apps"),
  t: toggleTheme,
  r: dropFilters,
  h: () => focusOn("heat-canvas"),
  f: () => focusOn("flame-canvas"),
  b: () => focusOn("table"),
};

function pressed(event) {
  if (event.key === "Escape") {
    escape();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName))
    return;
  if (KEYS[event.key]) {
    KEYS[event.key]();
    event.preventDefault();
  }
}

// ---- start ----

function startClasses() {
  const choice = document.getElementById("class");

  meta.classes.forEach((one, i) => {
    const option = document.createElement("option");

    option.value = i;
    option.textContent = one.name;
    choice.append(option);
  });
  choice.hidden = meta.classes.length < 2;
  choice.addEventListener("change", () => { state.class = +choice.value; refresh(); });
}

function startEvents() {
  let waiting = 0;

  document.getElementById("search").addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(search);
  });
  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.getElementById("help").addEventListener("click", KEYS["?"]);
  document.getElementById("panel-close").addEventListener("click", panelClose);
  document.addEventListener("keydown", pressed);
  addEventListener("resize", () => { heatDraw(); flameSize(); flameDraw(); tableDraw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
    if ((document.documentElement.dataset.theme === "dark") !== event.matches)
      toggleTheme();
  });
}

function start() {
  themeSet(themeChosen());
  showSummary();
  startClasses();
  heatStart();
  flameStart();
  tableStart();
  startEvents();
  refresh();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();

// For programs that measure and test the page.
window.oprofPage = { state, sums, tree, table, flame, meta, refresh, search, searchFor, flameZoom, panelOpen, toggleTheme, shortSymbol, frameTimes };
