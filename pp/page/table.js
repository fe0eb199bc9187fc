// SPDX-License-Identifier: GPL-2.0-or-later
// The tables: functions, images, applications. Only visible rows have elements, so that tables may have any number of
// rows.

const ROW_HEIGHT = 26;
const table = { tab: "symbols", order: new Uint32Array(0), sort: "value", down: true, at: -1, box: null };

const TABS = {
  symbols: { many: "functions", nr: () => NR_SYMBOLS, values: () => sums.symbols, name: (i) => symbols.name[i],
    more: (i) => meta.images[symbols.image[i]].path, moreHead: "image", head: "function" },
  images: { many: "images", nr: () => meta.images.length, values: () => sums.images, name: (i) => meta.images[i].path,
    more: (i) => meta.images[i].note || "", moreHead: "symbols", head: "image" },
  apps: { many: "applications", nr: () => meta.apps.length, values: () => sums.apps, name: (i) => meta.apps[i], more: () => "",
    moreHead: "", head: "application" },
};

function tableWhole(side) {
  return sums.all[side];
}

function tableChange(i) {
  const values = TABS[table.tab].values();
  const before = sums.all[0] > 0 ? values[0][i] / sums.all[0] : 0;
  const after = sums.all[1] > 0 ? values[1][i] / sums.all[1] : 0;

  return after - before;
}

function tableFound() {
  const text = state.search.trim().toLowerCase();

  if (!text)
    return null;
  if (table.tab === "symbols")
    return findSymbols();
  const names = table.tab === "images" ? lower.images : lower.apps;

  return Uint8Array.from(names, (name) => (name.includes(text) ? 1 : 0));
}

function tableCompare() {
  const tab = TABS[table.tab];
  const values = tab.values()[LAST];
  const sign = table.down ? -1 : 1;
  const byText = (text) => (a, b) => sign * (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0) || values[b] - values[a];

  if (table.sort === "name")
    return byText(tab.name);
  if (table.sort === "more")
    return byText(tab.more);
  if (table.sort === "change") {
    const change = new Float64Array(tab.nr());

    for (let i = 0; i < change.length; i++)
      change[i] = Math.abs(tableChange(i));
    return (a, b) => sign * (change[a] - change[b]) || values[b] - values[a];
  }
  return (a, b) => sign * (values[a] - values[b]) || a - b;
}

function tableOrder() {
  const tab = TABS[table.tab];
  const found = tableFound();
  const values = tab.values();
  const order = new Uint32Array(tab.nr());
  let nr = 0;

  for (let i = 0; i < order.length; i++)
    if ((values[LAST][i] > 0 || (IS_DIFF && values[0][i] > 0)) && (!found || found[i]))
      order[nr++] = i;
  table.order = order.subarray(0, nr).sort(tableCompare());
}

// In a narrow window, the style sheet hides columns for which there is no space.
function tableHead() {
  const head = document.getElementById("table-head");
  const tab = TABS[table.tab];
  const columns = IS_DIFF
    ? [["value", "before", "num"], ["value", "after", "num"], ["change", "change", "num"], ["value", showUnit() || "time", "num amount"]]
    : [["value", "", "share"], ["value", "share", "num"], ["value", showUnit() || "time", "num amount"]];

  head.textContent = "";
  for (const [sort, text, kind] of columns.concat([["name", tab.head, ""], ["more", tab.moreHead, "other"]])) {
    const column = cell(kind, "");
    const button = document.createElement("button");

    column.setAttribute("role", "columnheader");
    button.type = "button";
    button.textContent = text;
    if (text)
      column.append(button);
    if (sort === table.sort && text && (sort !== "value" || text === (IS_DIFF ? "after" : "share")))
      column.setAttribute("aria-sort", table.down ? "descending" : "ascending");
    button.addEventListener("click", () => tableSort(sort));
    head.append(column);
  }
}

function cell(kind, text) {
  const element = document.createElement("span");

  element.className = kind;
  element.textContent = text;
  return element;
}

function shareCell(share) {
  const element = cell("share", "");
  const bar = document.createElement("i");

  bar.style.width = Math.min(100 * share, 100) + "%";
  element.append(bar);
  return element;
}

function tableCells(i) {
  const values = TABS[table.tab].values();
  const after = values[LAST][i], whole = tableWhole(LAST);

  if (!IS_DIFF)
    return [shareCell(table.most > 0 ? after / table.most : 0), cell("num", showPercent(after, whole)),
      cell("num soft amount", showValue(after))];
  const change = tableChange(i);
  const noise = isNoise(values[0][i], after, tableWhole(0), whole);
  const changed = cell("num " + (noise ? "soft" : change > 0 ? "more" : "less"), showChange(values[0][i], after) + (noise ? " ~" : ""));

  if (noise)
    changed.title = "within the sampling error";
  return [cell("num soft", showPercent(values[0][i], tableWhole(0))), cell("num", showPercent(after, whole)),
    changed, cell("num soft amount", showValue(after))];
}

function tableRow(place) {
  const i = table.order[place];
  const tab = TABS[table.tab];
  const row = document.createElement("div");
  const isSymbol = table.tab === "symbols";
  const name = cell(isSymbol ? "name" : "", isSymbol ? shortSymbol(tab.name(i)) : tab.name(i));
  const more = cell("soft other", isSymbol ? shortName(tab.more(i)) : tab.more(i));

  row.className = place === table.at ? "row at" : "row";
  row.id = "row-" + place;
  row.setAttribute("role", "row");
  row.setAttribute("aria-rowindex", place + 2);
  row.setAttribute("aria-selected", place === table.at ? "true" : "false");
  name.title = tab.name(i);
  more.title = tab.more(i);
  row.append(...tableCells(i), name, more);
  for (const one of row.children)
    one.setAttribute("role", "gridcell");
  row.addEventListener("click", () => { table.at = place; tableChoose(i); });
  return row;
}

// Returns an element that explains why there are no rows.
function tableEmpty() {
  const search = state.search.trim();

  return cell("empty", search ? "No " + TABS[table.tab].many + " match \u201c" + search + "\u201d. Press Esc to clear the search."
    : state.time || state.app >= 0 || state.image >= 0 ? "No rows match these filters. Press r to clear them."
    : "There are no samples.");
}

function tableDraw() {
  const begin = performance.now();
  const first = Math.floor(table.box.scrollTop / ROW_HEIGHT);
  const nr = Math.ceil(table.box.clientHeight / ROW_HEIGHT) + 1;
  const list = document.getElementById("table-rows");
  const drawn = document.createDocumentFragment();

  for (let place = first; place < Math.min(first + nr, table.order.length); place++)
    drawn.append(tableRow(place));
  if (!table.order.length)
    drawn.append(tableEmpty());
  list.replaceChildren(drawn);
  const grid = document.getElementById("table");

  if (table.at >= first && table.at < first + nr)
    grid.setAttribute("aria-activedescendant", "row-" + table.at);
  else
    grid.removeAttribute("aria-activedescendant");
  list.style.transform = "translateY(" + -(table.box.scrollTop - first * ROW_HEIGHT) + "px)";
  frameTimes.push(performance.now() - begin);
}

function tableUpdate() {
  tableOrder();
  tableHead();
  table.most = TABS[table.tab].values()[LAST].reduce((most, value) => Math.max(most, value), 0);
  document.getElementById("table").setAttribute("aria-rowcount", table.order.length + 1);
  table.at = Math.min(table.at, table.order.length - 1);
  // Browsers limit the height of an element to some millions of pixels, which is enough for 1e5 rows.
  document.getElementById("table-space").style.height = table.order.length * ROW_HEIGHT + "px";
  table.box.style.height = Math.min(Math.max(table.order.length, 3), 22) * ROW_HEIGHT + "px";
  const nr = TABS[table.tab].nr();

  document.getElementById("table-hint").textContent =
    (table.order.length === nr ? "" : showNumber(table.order.length) + " of ") + showNumber(nr) + " " +
    (nr === 1 ? TABS[table.tab].head : TABS[table.tab].many);
  tableDraw();
}

function tableSort(by) {
  table.down = table.sort === by ? !table.down : by === "value" || by === "change";
  table.sort = by;
  table.box.scrollTop = 0;
  tableUpdate();
}

function tableTab(name) {
  table.tab = name;
  table.at = -1;
  for (const tab of Object.keys(TABS))
    document.getElementById("tab-" + tab).setAttribute("aria-selected", tab === name ? "true" : "false");
  table.box.scrollTop = 0;
  tableUpdate();
}

// Handles the choice of a row: a function opens its panel; an image or an application becomes a filter.
function tableChoose(i) {
  if (table.tab === "symbols") {
    panelOpen(i);
    tableDraw();
  } else {
    const key = table.tab === "images" ? "image" : "app";

    state[key] = state[key] === i ? -1 : i;
    refresh();
  }
}

function tableKey(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[event.key];

  if (event.target !== event.currentTarget)
    return;
  if (step && table.order.length) {
    table.at = Math.min(Math.max(table.at + step, 0), table.order.length - 1);
    const top = table.at * ROW_HEIGHT;

    if (top < table.box.scrollTop)
      table.box.scrollTop = top;
    else if (top + ROW_HEIGHT > table.box.scrollTop + table.box.clientHeight)
      table.box.scrollTop = top + ROW_HEIGHT - table.box.clientHeight;
    event.preventDefault();
    tableDraw();
  } else if (event.key === "Enter" && table.at >= 0) {
    tableChoose(table.order[table.at]);
  }
}

function tableStart() {
  table.box = document.getElementById("table-box");
  document.getElementById("table").classList.toggle("diff", IS_DIFF);
  table.sort = IS_DIFF ? "change" : "value";
  table.box.addEventListener("scroll", tableDraw);
  document.getElementById("table").addEventListener("keydown", tableKey);
  for (const tab of Object.keys(TABS))
    document.getElementById("tab-" + tab).addEventListener("click", () => tableTab(tab));
}
