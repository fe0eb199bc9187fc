// SPDX-License-Identifier: GPL-2.0-or-later
// The panel of one function: its location, its addresses with the most samples, its callers and callees.

const PANEL_LINES = 40;

// Returns the keys of a symbol: each with its offset from the symbol's first byte, and its samples by side. Samples are
// not restricted to the chosen time range.
function panelKeys(symbol) {
  if (!hasArray("keyRows"))
    return [];
  const first = cache.keyFirst || (cache.keyFirst = toFirst(readArray("keyRows", Uint32Array)));
  const step = cache.keyStep || (cache.keyStep = readArray("keyStep", Float64Array));
  const place = cache.keyPlace || (cache.keyPlace = hasArray("keyPlace") ? readArray("keyPlace", Uint32Array) : []);
  const sides = [];
  const keys = new Map();

  for (let side = 0; side < NR_SIDES; side++)
    sides.push(column("key", side));
  for (let row = 0; row < NR_ROWS; row++) {
    if (rows.symbol[row] !== symbol || (state.app >= 0 && rows.app[row] !== state.app))
      continue;
    for (let i = first[row], offset = 0; i < first[row + 1]; i++) {
      offset += step[i];
      const key = keys.get(offset) || { offset, place: place[i] || 0, values: [0, 0] };

      sides.forEach((values, side) => { key.values[side] += values[i]; });
      keys.set(offset, key);
    }
  }
  return Array.from(keys.values());
}

function panelElement(kind, text, style) {
  const element = document.createElement(kind);

  element.textContent = text;
  if (style)
    element.className = style;
  return element;
}

function panelTable(lines) {
  const body = document.createElement("table");

  for (const line of lines) {
    const row = body.insertRow();

    line.cells.forEach(([style, text]) => {
      const one = row.insertCell();

      one.className = style;
      one.textContent = text;
    });
    if (line.title)
      row.title = line.title;
    if (line.go) {
      row.className = "go";
      row.tabIndex = 0;
      row.addEventListener("click", line.go);
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter")
          line.go();
      });
    }
  }
  return body;
}

// Draws a histogram of the samples by position in the function.
function panelHistogram(body, keys, size) {
  const canvas = document.createElement("canvas");
  const NR = 120;
  const bins = new Float64Array(NR);
  let most = 0;

  body.append(canvas);
  for (const key of keys)
    bins[Math.min(Math.floor(key.offset / size * NR), NR - 1)] += key.values[LAST];
  for (const bin of bins)
    most = Math.max(most, bin);
  const ctx = prepareCanvas(canvas, 56);
  const width = canvas.clientWidth / NR;

  ctx.fillStyle = theme.accent;
  for (let i = 0; i < NR; i++) {
    const height = most > 0 ? 52 * bins[i] / most : 0;

    ctx.fillRect(i * width, 56 - height, Math.max(width - 1, 1), height);
  }
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Samples over the bytes of the function");
  const axis = panelElement("p", "", "axis");

  axis.append(panelElement("span", "+0"), panelElement("span", "+0x" + size.toString(16)));
  body.append(axis);
}

function panelAddress(symbol, offset) {
  // Addresses can be larger than the largest integer that a JavaScript number holds exactly.
  return "0x" + (BigInt(symbols.address[symbol] || 0) + BigInt(Math.round(offset))).toString(16);
}

// Shows the samples by address. If the panel lists instructions, shows only the histogram.
function panelAddresses(body, symbol, listed) {
  const keys = panelKeys(symbol).sort((a, b) => b.values[LAST] - a.values[LAST] || b.values[0] - a.values[0]);
  const total = keys.reduce((sum, key) => sum + key.values[LAST], 0);

  if (!keys.length)
    return;
  body.append(panelElement("h3", (listed ? "Samples from the first byte to the last" : "Addresses") + (state.time ? ", of all time" : "")));
  if (symbols.size[symbol] > 0)
    panelHistogram(body, keys, symbols.size[symbol]);
  if (listed)
    return;
  body.append(panelTable(keys.slice(0, PANEL_LINES).map((key) => ({
    cells: [["num", showPercent(key.values[LAST], total)], ["name", panelAddress(symbol, key.offset)],
      ["soft", key.place ? meta.placesText[key.place - 1] : ""]],
  }))));
  if (keys.length > PANEL_LINES)
    body.append(panelElement("p", "and " + showNumber(keys.length - PANEL_LINES) + " more"));
}

// ---- code ----

function panelCode(symbol) {
  if (!cache.code)
    cache.code = new Map((meta.code || []).map((one) => [one.symbol, one]));
  return cache.code.get(symbol);
}

function panelListing(body, head, lines, total) {
  const list = document.createElement("div");
  const most = lines.reduce((max, line) => Math.max(max, line.value), 0);
  let hottest = null;

  body.append(panelElement("h3", head + (state.time ? ", of all time" : "")));
  list.className = "listing";
  for (const line of lines) {
    const row = document.createElement("div");

    row.append(cell("num", line.value ? showPercent(line.value, total) : ""), cell("at", line.at), cell("code", line.text));
    if (line.value) {
      row.style.setProperty("--part", line.value / most);
      row.className = "hot";
    }
    list.append(row);
    if (line.value === most && most)
      hottest = row;
  }
  body.append(list);
  if (hottest)
    list.scrollTop = Math.max(hottest.offsetTop - list.clientHeight / 2, 0);
}

function panelSource(body, symbol) {
  const code = panelCode(symbol);

  if (!code || !code.lines)
    return;
  const file = cache.placeFile || (cache.placeFile = readArray("placeFile", Uint32Array));
  const line = cache.placeLine || (cache.placeLine = readArray("placeLine", Uint32Array));
  const values = new Float64Array(code.lines.length);
  let total = 0;

  for (const key of panelKeys(symbol)) {
    const place = key.place - 1;

    total += key.values[LAST];
    if (place >= 0 && file[place] === code.file && line[place] >= code.first && line[place] - code.first < values.length)
      values[line[place] - code.first] += key.values[LAST];
  }
  panelListing(body, shortName(meta.files[code.file]),
    code.lines.map((text, i) => ({ value: values[i], at: String(code.first + i), text: text.replace(/\t/g, "    ") })), total);
}

function panelAssembly(body, symbol) {
  const code = panelCode(symbol);

  if (!code || !code.at)
    return false;
  const values = new Float64Array(code.at.length);
  let total = 0;

  for (const key of panelKeys(symbol)) {
    let low = 0, high = code.at.length;

    while (high - low > 1) {
      const middle = (low + high) >> 1;

      if (code.at[middle] <= key.offset)
        low = middle;
      else
        high = middle;
    }
    values[low] += key.values[LAST];
    total += key.values[LAST];
  }
  panelListing(body, "Instructions",
    code.at.map((at, i) => ({ value: values[i], at: "+" + at.toString(16), text: code.text[i] })), total);
  return true;
}

// Shows why there are no instructions or no source lines.
function panelNoCode(body, symbol) {
  const code = panelCode(symbol);

  if (code && code.note)
    body.append(panelElement("p", "No instructions: " + code.note + ".", "lack"));
  if (code && !code.lines && symbols.place && symbols.place[symbol])
    body.append(panelElement("p", "No source: its file was not found, or its lines with samples lie too far apart.", "lack"));
}

function panelNeighbours(body, symbol) {
  const path = meta.images[symbols.image[symbol]].path;
  const label = tree.labels.findIndex((name, i) => name === symbols.name[symbol] && tree.labelImage[i] === path);

  if (!tree.hasStacks || label < 0)
    return;
  const { callers, callees } = treeNeighbours(label, LAST);
  const whole = tree.total[LAST][0];
  const lines = (list) => panelTable(list.slice(0, PANEL_LINES / 2).map(([other, value]) => ({
    cells: [["num", showPercent(value, whole)], ["name", symbolText(tree.labels[other], tree.labelImage[other])]],
    title: tree.labels[other] + (tree.labelImage[other] ? "\n" + tree.labelImage[other] : ""),
    go: () => panelOpenLabel(other),
  })));

  for (const [head, list] of [["Called by", callers], ["Calls", callees]])
    if (list.length) {
      body.append(panelElement("h3", head));
      body.append(lines(list));
    }
}

function panelShares(body, symbol) {
  for (let side = 0; side < NR_SIDES; side++) {
    const value = sums.symbols[side][symbol];

    body.append(panelElement("p", (IS_DIFF ? (side ? "after: " : "before: ") : "") +
      showPercent(value, sums.all[side]) + ", " + showValue(value) + " " + showUnit()));
  }
}

function panelActions(body, symbol) {
  const actions = panelElement("div", "", "actions");
  const add = (text, act) => {
    const button = panelElement("button", text);

    button.type = "button";
    button.addEventListener("click", act);
    actions.append(button);
  };
  const image = symbols.image[symbol];

  add("Show in the graph", () => { searchFor(symbols.name[symbol]); });
  add(state.image === image ? "All images" : "Only this image", () => {
    state.image = state.image === image ? -1 : image;
    refresh();
  });
  body.append(actions);
}

// Shows a long name shortened, with a button that shows the whole name.
function panelName(name) {
  const head = panelElement("h2", shortSymbol(name), "name");

  if (shortSymbol(name) === name)
    return head;
  const whole = panelElement("button", "whole name");

  whole.type = "button";
  whole.addEventListener("click", () => { head.textContent = name; });
  head.append(" ", whole);
  return head;
}

function panelFill() {
  const symbol = state.symbol;
  const body = document.getElementById("panel-body");
  const place = symbols.place && symbols.place[symbol];

  body.textContent = "";
  body.append(panelName(symbols.name[symbol]));
  body.append(panelElement("p", meta.images[symbols.image[symbol]].path));
  if (symbols.size[symbol] > 0)
    body.append(panelElement("p", panelAddress(symbol, 0) + ", " + showNumber(symbols.size[symbol]) + " bytes" +
      (place ? ", " + meta.placesText[place - 1] : "")));
  panelShares(body, symbol);
  panelActions(body, symbol);
  panelNeighbours(body, symbol);
  panelSource(body, symbol);
  const listed = panelAssembly(body, symbol);

  panelNoCode(body, symbol);
  panelAddresses(body, symbol, listed);
}

// Moves the keyboard focus to the panel. panelClose() returns the focus to the element that had it before.
function panelOpen(symbol) {
  const panel = document.getElementById("panel");

  if (panel.hidden)
    cache.panelFrom = document.activeElement;
  state.symbol = symbol;
  panel.hidden = false;
  panel.scrollTop = 0;
  panelFill();
  panel.focus({ preventScroll: true });
}

function panelOpenLabel(label) {
  const path = tree.labelImage[label];
  const find = (names) => symbols.name.findIndex((name, i) =>
    names.includes(name) && meta.images[symbols.image[i]].path === path);
  let symbol = find([tree.labels[label]]);

  // A frame without a function name belongs to the row "(no symbols)" of its image.
  if (symbol < 0)
    symbol = find(["(no symbols)", path]);
  if (symbol >= 0)
    panelOpen(symbol);
}

function panelClose() {
  state.symbol = -1;
  document.getElementById("panel").hidden = true;
  if (cache.panelFrom)
    cache.panelFrom.focus({ preventScroll: true });
}
