// SPDX-License-Identifier: GPL-2.0-or-later
// The flame graph. The root is at the top; callees are below their callers. Frames narrower than half a pixel are not
// drawn, so that the time to draw depends on the visible frames, not on the size of the tree.

const flame = {
  canvas: null, box: null, zoom: 0, from: 0, to: 1, // from, to: the visible part of the root's width
  at: -1, hover: -1, found: null, colours: null, width: 0, frame: 0, animation: null,
};
const FRAME_HEIGHT = 19, FRAME_MIN = 0.5, ZOOM_MS = 160;
const KERNEL_TOLD = 0.05; // the hint mentions the kernel if its share is larger

function flameColours() {
  const byImage = new Map();

  flame.colours = tree.labelImage.map((image, label) => {
    if (!byImage.has(image))
      byImage.set(image, image ? imageColour(image) : theme.same);
    return tree.labels[label][0] === "[" && !image ? theme.same : byImage.get(image);
  });
}

function flameColour(node) {
  if (IS_DIFF)
    return changeColour(treeChange(node) * (treeIsNoise(node) ? 0.15 : 1));
  return flame.colours[tree.label[node]];
}

function flameText(ctx, node, left, right, y) {
  const room = right - left - 8;

  if (room < 18)
    return;
  ctx.fillText(fitText(ctx, treeText(node), room), left + 4, y + FRAME_HEIGHT / 2);
}

function flameDrawNode(ctx, node, scale, above) {
  const left = Math.max((tree.x[node] - flame.from) * scale, 0);
  const right = Math.min((tree.x[node] + tree.width[node] - flame.from) * scale, flame.width);
  const y = tree.depth[node] * FRAME_HEIGHT - above;
  const isAbove = tree.depth[node] < tree.depth[flame.zoom];
  const label = tree.label[node];

  if (right - left < FRAME_MIN)
    return;
  ctx.globalAlpha = isAbove ? 0.5 : flame.found && !flame.found[label] ? 0.28 : 1;
  ctx.fillStyle = flame.found && flame.found[label] ? theme.match : flameColour(node);
  ctx.fillRect(left, y, Math.max(right - left - (right - left > 3 ? 1 : 0), FRAME_MIN), FRAME_HEIGHT - 1);
  if (node === flame.hover || (node === flame.at && document.activeElement === flame.canvas)) {
    ctx.strokeStyle = node === flame.at ? theme.focus : theme.ink;
    ctx.lineWidth = node === flame.at ? 2 : 1;
    ctx.strokeRect(left + 0.5, y + 0.5, Math.max(right - left - 2, 1), FRAME_HEIGHT - 2);
  }
  ctx.globalAlpha = isAbove ? 0.7 : 1;
  ctx.fillStyle = flame.found && flame.found[label] ? theme.onMatch : theme.frameInk;
  flameText(ctx, node, left, right, y);
}

// Draws all visible frames. If a frame is too narrow or outside the visible part, skips it with all frames below it.
function flameDrawAll(ctx, height, above) {
  const { x, width, end, depth, nr } = tree;
  const scale = flame.width / (flame.to - flame.from);
  const least = FRAME_MIN / scale;

  for (let i = 0; i < nr;) {
    const y = depth[i] * FRAME_HEIGHT - above;

    if (width[i] < least || x[i] >= flame.to || x[i] + width[i] <= flame.from || y > height) {
      i = end[i];
      continue;
    }
    if (y > -FRAME_HEIGHT)
      flameDrawNode(ctx, i, scale, above);
    i++;
  }
}

function flameDepth() {
  const { x, width, end, depth, nr } = tree;
  const least = FRAME_MIN * (flame.to - flame.from) / Math.max(flame.width, 1);
  let deepest = 0;

  for (let i = 0; i < nr;) {
    if (width[i] < least || x[i] >= flame.to || x[i] + width[i] <= flame.from) {
      i = end[i];
      continue;
    }
    deepest = Math.max(deepest, depth[i]);
    i++;
  }
  return deepest + 1;
}

function flameDraw() {
  const begin = performance.now();
  const height = Math.min(flame.height, flame.box.clientHeight || 560);
  const ctx = prepareCanvas(flame.canvas, height);

  flame.width = flame.canvas.clientWidth;
  ctx.clearRect(0, 0, flame.width, height);
  ctx.font = "11.5px " + theme.font;
  ctx.textBaseline = "middle";
  flameDrawAll(ctx, height, flame.box.scrollTop);
  ctx.globalAlpha = 1;
  frameTimes.push(performance.now() - begin);
}

function flameSize() {
  flame.width = flame.canvas.clientWidth;
  flame.height = flameDepth() * FRAME_HEIGHT + 2;
  document.getElementById("flame-space").style.height = flame.height + "px";
  flame.box.style.height = Math.min(flame.height, 560) + "px";
}

function flameSchedule() {
  if (!flame.frame)
    flame.frame = requestAnimationFrame(() => { flame.frame = 0; flameDraw(); });
}

function flameStep(begin, from, to) {
  const part = Math.min((performance.now() - begin) / ZOOM_MS, 1);
  const ease = part * (2 - part);
  const target = flame.target;

  flame.from = from + (target[0] - from) * ease;
  flame.to = to + (target[1] - to) * ease;
  flameDraw();
  if (part < 1) {
    flame.animation = requestAnimationFrame(() => flameStep(begin, from, to));
  } else {
    flame.animation = null;
    flameSize();
    flameDraw();
  }
}

function flameZoom(node) {
  const empty = !(tree.width[node] > 0);

  flame.zoom = empty ? 0 : node;
  flame.target = [tree.x[flame.zoom], tree.x[flame.zoom] + (tree.width[flame.zoom] || 1)];
  document.getElementById("unzoom").hidden = flame.zoom === 0;
  if (flame.animation)
    cancelAnimationFrame(flame.animation);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    [flame.from, flame.to] = flame.target;
    flameSize();
    flameDraw();
    return;
  }
  flameStep(performance.now(), flame.from, flame.to);
}

// To be called when sums have changed. Keeps the zoomed frame, unless it has no samples any more.
function flameUpdate() {
  treeSum();
  flame.found = treeFind();
  if (!(tree.width[flame.zoom] > 0))
    flame.zoom = 0;
  flame.from = tree.x[flame.zoom];
  flame.to = flame.from + (tree.width[flame.zoom] || 1);
  document.getElementById("unzoom").hidden = flame.zoom === 0;
  flameSize();
  flameDraw();
  flameHint();
}

function flameHint() {
  const hint = document.getElementById("flame-hint");
  const text = [];

  if (!tree.hasStacks)
    text.push("No call stacks were recorded (operf -g): the graph shows application, image and function.");
  else if (state.time && !treeHasTime())
    text.push("Stacks are not separated by time: the graph shows the whole profile.");
  if (tree.hasStacks && tree.kernelApart > 0 && tree.width[tree.kernelApart] > KERNEL_TOLD)
    text.push("The kernel's samples are shown separately from the programs that called it; record with --separate=kernel to show them there.");
  if (flame.found)
    text.push(flame.found.includes(1) ? showPercent(treeFoundShare(flame.found), 1) + " match." : "Nothing matches.");
  if (meta.stacksMissing)
    text.push(showNumber(meta.stacksMissing) + " samples have no stack.");
  hint.textContent = text.join(" ");
}

function flameNodeAt(x, y) {
  const depth = Math.floor((y + flame.box.scrollTop) / FRAME_HEIGHT);
  const place = flame.from + x / flame.width * (flame.to - flame.from);
  let node = 0;

  if (depth < 0)
    return -1;
  while (tree.depth[node] < depth) {
    let below = node + 1;
    const end = tree.end[node];

    while (below < end && !(place >= tree.x[below] && place < tree.x[below] + tree.width[below]))
      below = tree.end[below];
    if (below >= end)
      return -1;
    node = below;
  }
  return node;
}

function flameLines(node) {
  const lines = [];
  const image = tree.labelImage[tree.label[node]];

  if (image && image !== tree.labels[tree.label[node]])
    lines.push(image);
  for (let side = 0; side < NR_SIDES; side++) {
    const total = tree.total[side][node], self = tree.self[side][node], whole = tree.total[side][0];

    lines.push((IS_DIFF ? (side ? "after: " : "before: ") : "") + showPercent(total, whole) + ", " + showValue(total) +
      " " + showUnit() + (tree.end[node] > node + 1 ? "; itself " + showPercent(self, whole) : ""));
  }
  if (IS_DIFF && node && treeIsNoise(node))
    lines.push("within the sampling error");
  return lines;
}

function flameSay(node) {
  document.getElementById("flame-said").textContent = node < 0 ? ""
    : shortSymbol(tree.labels[tree.label[node]]) + " \u2014 " + flameLines(node).join(" \u00b7 ");
}

function flameHeaviest(node) {
  let best = -1;

  for (let i = node + 1; i < tree.end[node]; i = tree.end[i])
    if (tree.width[i] > 0 && (best < 0 || tree.width[i] > tree.width[best]))
      best = i;
  return best;
}

function flameSibling(node, step) {
  const up = tree.parent[node];
  let before = -1;

  if (up < 0)
    return node;
  for (let i = up + 1; i < tree.end[up]; i = tree.end[i]) {
    if (!(tree.width[i] > 0))
      continue;
    if (step > 0 && before === node)
      return i;
    if (i === node && step < 0)
      return before < 0 ? node : before;
    before = i;
  }
  return node;
}

function flameKey(event) {
  const at = flame.at < 0 ? flame.zoom : flame.at;
  let to = -1;

  if (event.key === "ArrowUp")
    to = Math.max(tree.parent[at], 0);
  else if (event.key === "ArrowDown")
    to = flameHeaviest(at);
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
    to = flameSibling(at, event.key === "ArrowLeft" ? -1 : 1);
  else if (event.key === "Enter" || event.key === " ")
    flameZoom(at);
  else if (event.key === "i")
    panelOpenLabel(tree.label[at]);
  else
    return;
  event.preventDefault();
  if (to < 0)
    return;
  flame.at = to;
  const y = tree.depth[to] * FRAME_HEIGHT;

  if (y < flame.box.scrollTop || y > flame.box.scrollTop + flame.box.clientHeight - FRAME_HEIGHT)
    flame.box.scrollTop = y - flame.box.clientHeight / 2;
  flameSay(to);
  flameSchedule();
}

function flameLegend() {
  const legend = document.getElementById("legend");

  if (!IS_DIFF)
    return;
  for (const [text, change] of [["less than before", -0.8], ["the same, or within the sampling error", 0], ["more", 0.8]]) {
    const mark = document.createElement("i");
    const one = document.createElement("span");

    mark.style.background = changeColour(change);
    one.append(mark, text);
    legend.append(one);
  }
}

function flameStart() {
  flame.canvas = document.getElementById("flame-canvas");
  flame.box = document.getElementById("flame-box");
  treeStart();
  flameColours();
  flameLegend();
  flame.box.addEventListener("scroll", flameSchedule);
  flame.canvas.addEventListener("pointermove", (event) => {
    const box = flame.canvas.getBoundingClientRect();
    const node = flameNodeAt(event.clientX - box.left, event.clientY - box.top);

    if (node !== flame.hover) {
      flame.hover = node;
      flameSchedule();
    }
    if (node < 0)
      hideTip();
    else
      showTip(event, tree.labels[tree.label[node]], flameLines(node));
  });
  flame.canvas.addEventListener("pointerleave", () => { flame.hover = -1; hideTip(); flameSchedule(); });
  flame.canvas.addEventListener("click", (event) => {
    const box = flame.canvas.getBoundingClientRect();
    const node = flameNodeAt(event.clientX - box.left, event.clientY - box.top);

    if (node < 0)
      return;
    flame.at = node;
    flameSay(node);
    if (node === flame.zoom && node)
      panelOpenLabel(tree.label[node]);
    else
      flameZoom(node);
  });
  flame.canvas.addEventListener("keydown", flameKey);
  flame.canvas.addEventListener("focus", flameSchedule);
  flame.canvas.addEventListener("blur", flameSchedule);
  document.getElementById("unzoom").addEventListener("click", () => flameZoom(0));
}
