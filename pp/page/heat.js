// SPDX-License-Identifier: GPL-2.0-or-later
// The heat map. Each row is one of the applications with the most samples, each column a stretch of time. Colours show
// rates, so that stretches of a minute and of an hour can be compared. Dragging the mouse over the map chooses a time
// range for the whole page.

const heat = { canvas: null, apps: [], cells: null, most: 0, drag: null, at: -1, width: 0, left: 168 };
const HEAT_ROWS = 9, HEAT_ROW = 20, HEAT_BELOW = 20;
const HEAT_CELL_MOST = 120; // maximum width of a cell, for profiles with few stretches

function heatSeconds(stretch) {
  return Math.max((stretches[stretch][1] - stretches[stretch][0]) / 1000, 0.001);
}

// Computes the rates. The rows are the applications with the most samples in the whole profile; the last row is the sum
// of all other applications.
function heatSum() {
  const { first, stretch, value } = byTime();
  const nr = stretches.length;
  const total = new Float64Array(meta.apps.length);
  const values = column("row", 0);

  for (let row = 0; row < NR_ROWS; row++)
    total[rows.app[row]] += values[row];
  const order = Array.from(total.keys()).filter((app) => total[app] > 0).sort((a, b) => total[b] - total[a]);
  heat.apps = order.slice(0, order.length > HEAT_ROWS + 1 ? HEAT_ROWS : HEAT_ROWS + 1);
  const line = new Int32Array(meta.apps.length).fill(heat.apps.length);

  heat.apps.forEach((app, i) => { line[app] = i; });
  heat.hasRest = order.length > heat.apps.length;
  heat.cells = new Float64Array((heat.apps.length + 1) * nr);
  for (let row = 0; row < NR_ROWS; row++) {
    if (state.image >= 0 && symbols.image[rows.symbol[row]] !== state.image)
      continue;
    for (let i = first[row]; i < first[row + 1]; i++)
      heat.cells[line[rows.app[row]] * nr + stretch[i]] += value[i];
  }
  heat.most = 0;
  for (let i = 0; i < heat.cells.length; i++) {
    heat.cells[i] /= heatSeconds(i % nr);
    heat.most = Math.max(heat.most, heat.cells[i]);
  }
}

function heatCells() {
  return Math.max(Math.min(heat.width - heat.left, HEAT_CELL_MOST * stretches.length), 1);
}

function heatX(stretch) {
  return heat.left + heatCells() * stretch / stretches.length;
}

function heatStretch(x) {
  const at = Math.floor((x - heat.left) / heatCells() * stretches.length);

  return Math.min(Math.max(at, 0), stretches.length - 1);
}

function heatLines() {
  return heat.apps.length + (heat.hasRest ? 1 : 0);
}

function heatDrawCells(ctx) {
  const nr = stretches.length;

  for (let line = 0; line < heatLines(); line++) {
    const faded = state.app >= 0 && heat.apps[line] !== state.app;

    for (let i = 0; i < nr; i++) {
      const x = heatX(i), value = heat.cells[line * nr + i];
      const isIn = !state.time || (i >= state.time[0] && i <= state.time[1]);

      ctx.globalAlpha = (faded ? 0.35 : 1) * (isIn ? 1 : 0.4);
      ctx.fillStyle = heatColour(heat.most > 0 ? Math.sqrt(value / heat.most) : 0);
      ctx.fillRect(x, line * HEAT_ROW, Math.max(heatX(i + 1) - x - (nr < 300 ? 1 : 0), 1), HEAT_ROW - 1);
    }
  }
  ctx.globalAlpha = 1;
}

function heatDrawNames(ctx) {
  ctx.textBaseline = "middle";
  ctx.font = "12px " + theme.font;
  for (let line = 0; line < heatLines(); line++) {
    const app = heat.apps[line];
    const name = app === undefined ? "others" : appNames[app];

    ctx.fillStyle = app !== undefined && app === state.app ? theme.accent : theme.soft;
    ctx.fillText(fitText(ctx, name, heat.left - 18), 0, line * HEAT_ROW + HEAT_ROW / 2);
  }
}

function heatDrawTimes(ctx) {
  const y = heatLines() * HEAT_ROW + HEAT_BELOW / 2 + 2;
  const nr = stretches.length;
  const long = stretches[nr - 1][1] - stretches[0][0] > DAY_MS;
  const room = long ? 100 : 70;
  const step = Math.ceil(nr / Math.max(Math.floor(heatCells() / (room + 15)), 1));

  ctx.fillStyle = theme.faint;
  for (let i = 0; i < nr; i += step)
    if (heatX(i) + room < heat.width || i === 0)
      ctx.fillText(showClock(stretches[i][0], long), heatX(i), y);
  if (heatX(nr) + room < heat.width)
    ctx.fillText(showClock(stretches[nr - 1][1], long), heatX(nr), y);
}

// Shows which rates the colours stand for.
function heatLegend() {
  const legend = document.getElementById("heat-legend");
  const scale = document.createElement("i");

  scale.className = "scale";
  legend.replaceChildren("0", scale, showValue(heat.most) + " " + showUnit() + " a second");
}

function heatDraw() {
  if (!HAS_TIME || IS_DIFF)
    return;
  const height = heatLines() * HEAT_ROW + HEAT_BELOW;
  const ctx = prepareCanvas(heat.canvas, height);

  heat.width = heat.canvas.clientWidth;
  heat.left = heat.width < 600 ? 96 : 168;
  heatLegend();
  ctx.clearRect(0, 0, heat.width, height);
  heatDrawCells(ctx);
  heatDrawNames(ctx);
  heatDrawTimes(ctx);
  const range = heat.drag || state.time;

  if (range) {
    const from = Math.min(range[0], range[1]), to = Math.max(range[0], range[1]);

    ctx.strokeStyle = theme.accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(heatX(from), 0.75, heatX(to + 1) - heatX(from) - 1, heatLines() * HEAT_ROW - 1.5);
  }
  if (heat.at >= 0 && document.activeElement === heat.canvas) {
    ctx.fillStyle = theme.focus;
    ctx.fillRect(heatX(heat.at), heatLines() * HEAT_ROW, Math.max(heatX(heat.at + 1) - heatX(heat.at), 2), 2);
  }
}

function heatTip(event, x, y) {
  const line = Math.floor(y / HEAT_ROW);
  const at = heatStretch(x);

  if (x < heat.left || x >= heatX(stretches.length) || line >= heatLines()) {
    hideTip();
    return;
  }
  const app = heat.apps[line];
  const rate = heat.cells[line * stretches.length + at];

  showTip(event, app === undefined ? "others" : meta.apps[app],
    [showStretch(stretches[at][0], stretches[at][1]), showValue(rate) + " " + showUnit() + " a second"]);
}

function heatChoose(from, to) {
  const range = [Math.min(from, to), Math.max(from, to)];

  state.time = range[0] === 0 && range[1] === stretches.length - 1 ? null : range;
  refresh();
}

function heatKey(event) {
  const last = stretches.length - 1;
  const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;

  if (step) {
    const before = heat.at < 0 ? (state.time ? state.time[0] : 0) : heat.at;

    heat.at = heat.at < 0 ? before : Math.min(Math.max(before + step, 0), last);
    if (event.shiftKey)
      heatChoose(state.time ? (step < 0 ? Math.min(state.time[0], heat.at) : state.time[0]) : before,
        state.time ? (step > 0 ? Math.max(state.time[1], heat.at) : state.time[1]) : heat.at);
    event.preventDefault();
    heatDraw();
  } else if (event.key === "Enter" && heat.at >= 0) {
    heatChoose(heat.at, heat.at);
  }
}

function heatStart() {
  heat.canvas = document.getElementById("heat-canvas");
  const hint = document.getElementById("heat-hint");

  if (IS_DIFF || !HAS_TIME) {
    heat.canvas.hidden = true;
    hint.textContent = IS_DIFF ? "Two profiles are compared: each is shown as a whole."
      : stretches.length && stretches[0][0] ? "All samples are of one time range, " + showStretch(stretches[0][0], stretches[0][1]) +
        ": time is stored per minute, so there is nothing to compare."
        : "The samples have no times.";
    return;
  }
  hint.textContent = "Drag to choose a time range for everything below; click a name to choose one application.";
  const place = (event) => { const box = heat.canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };

  heat.canvas.addEventListener("pointerdown", (event) => {
    const [x, y] = place(event);
    const app = heat.apps[Math.floor(y / HEAT_ROW)];

    if (x < heat.left) {
      if (app !== undefined) {
        state.app = state.app === app ? -1 : app;
        refresh();
      }
      return;
    }
    heat.canvas.setPointerCapture(event.pointerId);
    heat.drag = [heatStretch(x), heatStretch(x)];
    heatDraw();
  });
  heat.canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);

    heatTip(event, x, y);
    if (heat.drag && heat.drag[1] !== heatStretch(x)) {
      heat.drag[1] = heatStretch(x);
      heatDraw();
    }
  });
  heat.canvas.addEventListener("pointerup", () => {
    const drag = heat.drag;

    heat.drag = null;
    if (!drag)
      return;
    const again = state.time && drag[0] === drag[1] && state.time[0] === drag[0] && state.time[1] === drag[1];

    if (again) {
      state.time = null;
      refresh();
    } else {
      heatChoose(drag[0], drag[1]);
    }
  });
  heat.canvas.addEventListener("pointerleave", hideTip);
  heat.canvas.addEventListener("keydown", heatKey);
  heat.canvas.addEventListener("focus", heatDraw);
  heat.canvas.addEventListener("blur", heatDraw);
}
