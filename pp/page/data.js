// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page, and their sums for the current filters. Percentages are shares of values: samples, events that
// samples stand for, or nanoseconds. A differential profile has two sides: 0 is before, 1 is after. Other profiles have
// only side 0.

const meta = JSON.parse(document.getElementById("meta").textContent);
const NR_SIDES = meta.sides;
const LAST = NR_SIDES - 1; // the side whose values are drawn as bars and determine the order

// The bytes of all numbers, one number after the other. A number is written as digits of base 128, lowest first, with
// 128 added to all digits except the last.
const bytes = (function () {
  const element = document.getElementById("data");
  const text = atob(element.textContent);
  const all = new Uint8Array(text.length);

  for (let i = 0; i < text.length; i++)
    all[i] = text.charCodeAt(i);
  element.remove();
  return all;
})();

function hasArray(name) {
  return meta.arrays[name] !== undefined;
}

function readArray(name, Type) {
  const [first, nr] = meta.arrays[name];
  const all = new Type(nr);
  let at = first;

  for (let i = 0; i < nr; i++) {
    let digit = bytes[at++];
    let value = digit & 127;

    for (let scale = 128; digit >= 128; scale *= 128) {
      digit = bytes[at++];
      value += (digit & 127) * scale;
    }
    all[i] = value;
  }
  return all;
}

// Converts the number of entries of each element to the index of each element's first entry.
function toFirst(counts) {
  const first = new Uint32Array(counts.length + 1);

  for (let i = 0; i < counts.length; i++)
    first[i + 1] = first[i] + counts[i];
  return first;
}

const rows = { symbol: readArray("rowSymbol", Uint32Array), app: readArray("rowApp", Uint32Array) };
const symbols = {
  name: meta.names, image: readArray("symbolImage", Uint32Array), size: readArray("symbolSize", Float64Array),
  address: meta.addresses, place: meta.places,
};
const NR_ROWS = rows.symbol.length;
const NR_SYMBOLS = symbols.name.length;
const NR_CLASSES = meta.classes.length;
const stretches = meta.stretches; // [begin, end] in ms
const HAS_TIME = stretches.length > 1;
const IS_DIFF = NR_SIDES > 1;

const lower = { symbols: null, images: meta.images.map((image) => image.path.toLowerCase()),
  apps: meta.apps.map((app) => app.toLowerCase()) };

function shortName(path) {
  const at = path.lastIndexOf("/");

  return at >= 0 && at + 1 < path.length ? path.slice(at + 1) : path;
}

// Returns the last part of each path. If several paths have the same last part, adds the last folder in which they
// differ: "cc1 (aarch64-linux-gnu)".
function shortNames(paths) {
  const parts = paths.map((path) => path.split("/").reverse());
  const alike = new Map();

  for (const one of parts)
    if (alike.has(one[0]))
      alike.get(one[0]).push(one);
    else
      alike.set(one[0], [one]);
  for (const [name, group] of alike)
    alike.set(name, group.length > 1 ? group[0].findIndex((part, i) => group.some((one) => one[i] !== part)) : -1);
  return paths.map((path, i) => {
    const folder = parts[i][alike.get(parts[i][0])];

    return parts[i][0] && folder ? parts[i][0] + " (" + folder + ")" : shortName(path);
  });
}

const appNames = shortNames(meta.apps);
const NAME_LONG = 72;

// Shortens long C++ names, which can fill a screen: leaves out the text between the outermost <> and ().
function shortSymbol(name) {
  let out = "", depth = 0;

  if (name.length <= NAME_LONG)
    return name;
  for (let i = 0; i < name.length; i++) {
    const operator = depth === 0 && name.slice(i).match(/^operator\s*(\(\)|[-<>=]+)/);

    if (operator) {
      out += operator[0];
      i += operator[0].length - 1;
      continue;
    }
    const one = name[i];
    const isArrow = one === ">" && name[i - 1] === "-";

    if ((one === ">" || one === ")") && !isArrow && depth > 0)
      depth--;
    if (depth === 0)
      out += one;
    if (one === "<" || one === "(") {
      // "(anonymous namespace)" becomes "(anonymous)".
      if (depth === 0 && !name.startsWith("(anonymous", i))
        out += name[i + 1] === ">" || name[i + 1] === ")" ? "" : "\u2026";
      else if (depth === 0)
        out += "anonymous";
      depth++;
    }
  }
  return depth ? name : out;
}

// Code without symbols is shown with the name of its image.
function symbolText(name, image) {
  return name === "(no symbols)" && image ? "(" + shortName(image) + ")" : shortSymbol(name);
}

// The user's current choice: event, time range, filters, search and function. All parts of the page depend on it.
const state = { class: 0, time: null, app: -1, image: -1, search: "", symbol: -1 };

// Sums for the current filters, by row, symbol, image and application. Each array has one element per side.
const sums = { rows: [], symbols: [], images: [], apps: [], totals: [0, 0], all: [0, 0] };

const cache = {};

function column(name, side) {
  const key = name + "_" + (side * NR_CLASSES + state.class);

  if (!cache[key])
    cache[key] = readArray(key, Float64Array);
  return cache[key];
}

// The samples of each row in each stretch of time. stretch and value have one entry per row and stretch with samples;
// first has the index of each row's first entry.
function byTime() {
  if (!cache.timeFirst) {
    cache.timeFirst = toFirst(readArray("timeRows", Uint32Array));
    cache.timeStretch = readArray("timeStretch", Uint32Array);
  }
  return { first: cache.timeFirst, stretch: cache.timeStretch, value: column("time", 0) };
}

function timedRows(range) {
  const out = new Float64Array(NR_ROWS);
  const { first, stretch, value } = byTime();

  for (let row = 0; row < NR_ROWS; row++)
    for (let i = first[row]; i < first[row + 1]; i++)
      if (stretch[i] >= range[0] && stretch[i] <= range[1])
        out[row] += value[i];
  return out;
}

function sumSide(side) {
  const values = state.time ? timedRows(state.time) : column("row", side);
  const bySymbol = new Float64Array(NR_SYMBOLS);
  const byImage = new Float64Array(meta.images.length);
  const byApp = new Float64Array(meta.apps.length);
  let total = 0, all = 0;

  for (let row = 0; row < NR_ROWS; row++) {
    const value = values[row];
    const app = rows.app[row];
    const image = symbols.image[rows.symbol[row]];
    const isImage = state.image < 0 || state.image === image;
    const isApp = state.app < 0 || state.app === app;

    all += value;
    if (isImage)
      byApp[app] += value;
    if (isApp)
      byImage[image] += value;
    if (!isImage || !isApp)
      continue;
    bySymbol[rows.symbol[row]] += value;
    total += value;
  }
  sums.rows[side] = values;
  sums.symbols[side] = bySymbol;
  sums.images[side] = byImage;
  sums.apps[side] = byApp;
  sums.totals[side] = total;
  sums.all[side] = all;
}

function sumUp() {
  for (let side = 0; side < NR_SIDES; side++)
    sumSide(side);
}

// Returns an array with 1 for each symbol that the search finds, by its own name or its image's path. Returns null if
// nothing is searched.
function findSymbols() {
  const text = state.search.trim().toLowerCase();

  if (!text)
    return null;
  if (!lower.symbols)
    lower.symbols = symbols.name.map((name) => name.toLowerCase());
  const image = lower.images.map((path) => path.includes(text));
  const found = new Uint8Array(NR_SYMBOLS);

  for (let i = 0; i < NR_SYMBOLS; i++)
    found[i] = image[symbols.image[i]] || lower.symbols[i].includes(text) ? 1 : 0;
  return found;
}

// ---- numbers as text ----

const UNIT = { samples: "samples", weight: "events", time: "" };

function showNumber(value) {
  return Math.round(value).toLocaleString("en");
}

function showTime(ns) {
  const units = [["h", 3600e9], ["min", 60e9], ["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3]];

  for (const [unit, size] of units)
    if (ns >= size)
      return (ns / size).toPrecision(3).replace(/\.?0+$/, (zeros) => (zeros[0] === "." ? "" : zeros)) + " " + unit;
  return Math.round(ns) + " ns";
}

function showValue(value) {
  const of = meta.classes[state.class].sharesOf;

  return of === "time" ? showTime(value) : showNumber(value);
}

function showUnit() {
  return UNIT[meta.classes[state.class].sharesOf];
}

function showPercent(part, whole) {
  const percent = whole > 0 ? 100 * part / whole : 0;

  if (percent > 0 && percent < 0.01)
    return "<0.01 %";
  return percent.toFixed(2) + " %";
}

// Returns the relative change of a share from before to after.
function showChange(before, after) {
  const was = sums.all[0] > 0 ? before / sums.all[0] : 0;
  const is = sums.all[1] > 0 ? after / sums.all[1] : 0;

  if (!was && !is)
    return "";
  if (!was)
    return "new";
  if (!is)
    return "none after";
  const percent = 100 * (is - was) / was;

  return (percent > 0 ? "+" : percent < 0 ? "\u2212" : "") + Math.abs(percent).toFixed(Math.abs(percent) < 100 ? 1 : 0) + " %";
}

// Returns whether the difference between a share before and after is within the sampling error: if the true shares were
// equal, 95 of 100 measured differences would not be larger. Text reports mark such lines with ~. Assumes that all
// samples of a class have about the same weight.
function isNoise(before, after, allBefore, allAfter) {
  const counts = meta.classes[state.class].counts;

  if (meta.classes[state.class].sharesOf === "time")
    return before === after;
  if (!counts || !(counts[0] > 0) || !(counts[1] > 0) || !(allBefore > 0) || !(allAfter > 0))
    return true;
  const was = before / allBefore, is = after / allAfter;
  const pooled = (was * counts[0] + is * counts[1]) / (counts[0] + counts[1]);

  return Math.abs(is - was) <= 1.959964 * Math.sqrt(pooled * (1 - pooled) * (1 / counts[0] + 1 / counts[1]));
}

const DAY_MS = 86400000;

function showClock(ms, withDay) {
  const time = new Date(ms);
  const options = { hour: "2-digit", minute: "2-digit", hour12: false };

  if (withDay)
    Object.assign(options, { day: "numeric", month: "short" });
  else
    options.second = "2-digit";
  return time.toLocaleString("en-GB", options);
}

function showDay(ms) {
  return new Date(ms).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

function showStretch(from, to) {
  const long = to - from > DAY_MS;

  return showClock(from, long) + " \u2013 " + showClock(to, long);
}
