// SPDX-License-Identifier: GPL-2.0-or-later
// The tree that the flame graph shows. If there are call stacks, it is the call tree; otherwise its levels are
// application, image and function. Nodes are in depth-first order, each before its children, so that sums and positions
// are computed in one pass each.

const tree = {
  nr: 0, hasStacks: false,
  depth: null, parent: null, end: null, // end: the first later node that is not below this one
  label: null, // index in labels of the name of each node's function
  labels: [], labelImage: [], // labelImage: path of the image; "" for marks and applications
  app: null, // index of each node's application; -1 for the root
  self: [], total: [], // samples in each node, and in and below each node; one array per side
  width: null, x: null, // width and left edge of each node; the root's width is 1
  maxDepth: 0,
};

function treeShape(depths, labels) {
  const nr = depths.length;
  const path = [];

  tree.nr = nr;
  tree.depth = depths;
  tree.label = labels;
  tree.parent = new Int32Array(nr);
  tree.end = new Uint32Array(nr);
  for (let i = 0; i < nr; i++) {
    const depth = depths[i];

    for (let level = path.length - 1; level >= depth; level--)
      tree.end[path[level]] = i;
    path.length = depth;
    tree.parent[i] = depth ? path[depth - 1] : -1;
    path.push(i);
    if (depth > tree.maxDepth)
      tree.maxDepth = depth;
  }
  for (const node of path)
    tree.end[node] = nr;
}

// Applications are the children of the root.
function treeApps(appOfLabel) {
  tree.app = new Int32Array(tree.nr).fill(-1);
  for (let i = 1; i < tree.nr; i++)
    tree.app[i] = tree.depth[i] === 1 ? appOfLabel(tree.label[i]) : tree.app[tree.parent[i]];
}

function treeFromStacks() {
  const nrApps = meta.treeApps.length;

  tree.hasStacks = true;
  tree.labels = ["all"].concat(meta.treeApps, meta.treeNames);
  tree.labelImage = [""].concat(meta.treeApps.map(() => ""));
  for (const image of readArray("treeImage", Uint32Array))
    tree.labelImage.push(image ? meta.treeImages[image - 1] : "");
  treeShape(readArray("treeDepth", Uint32Array), readArray("treeLabel", Uint32Array));
  tree.kernelApart = treeKernelApart();
  const byPath = new Map(meta.apps.map((app, i) => [app, i]));

  treeApps((label) => {
    const app = label <= nrApps ? byPath.get(meta.treeApps[label - 1]) : undefined;

    return app === undefined ? -1 : app;
  });
}

// Returns the node of the kernel if the kernel is an application whose stacks contain frames of programs; otherwise -1.
function treeKernelApart() {
  const isKernel = (path) => /^(vmlinux|\[?kallsyms)/.test(shortName(path));

  for (let i = 1, app = 0; i < tree.nr; i++) {
    if (tree.depth[i] === 1)
      app = isKernel(tree.labels[tree.label[i]]) ? i : 0;
    else if (app && tree.depth[i] === 2 && tree.labelImage[tree.label[i]].startsWith("/") &&
             !isKernel(tree.labelImage[tree.label[i]]))
      return app;
  }
  return -1;
}

// Makes the tree from the profile's rows, which are sorted by application, then by image. Each leaf has the samples of
// one row.
function treeFromRows() {
  const nrApps = meta.apps.length, nrImages = meta.images.length;
  const depths = [0], labels = [0];
  let app = -1, image = -1;

  tree.labels = ["all"].concat(meta.apps, meta.images.map((one) => one.path), symbols.name);
  tree.labelImage = [""].concat(meta.apps.map(() => ""), meta.images.map((one) => one.path));
  for (let i = 0; i < NR_SYMBOLS; i++)
    tree.labelImage.push(meta.images[symbols.image[i]].path);
  tree.rowNode = new Uint32Array(NR_ROWS);
  for (let row = 0; row < NR_ROWS; row++) {
    const here = symbols.image[rows.symbol[row]];

    if (rows.app[row] !== app) {
      app = rows.app[row];
      image = -1;
      depths.push(1);
      labels.push(1 + app);
    }
    if (here !== image) {
      image = here;
      depths.push(2);
      labels.push(1 + nrApps + image);
    }
    tree.rowNode[row] = depths.length;
    depths.push(3);
    labels.push(1 + nrApps + nrImages + rows.symbol[row]);
  }
  treeShape(Uint32Array.from(depths), Uint32Array.from(labels));
  treeApps((label) => label - 1);
}

function treeStart() {
  if (hasArray("treeDepth"))
    treeFromStacks();
  else
    treeFromRows();
  tree.width = new Float64Array(tree.nr);
  tree.x = new Float64Array(tree.nr);
}

function treeHasTime() {
  return !tree.hasStacks || hasArray("treeTimeNodes");
}

function treeTimedSelf(self, range) {
  const first = cache.treeFirst || (cache.treeFirst = toFirst(readArray("treeTimeNodes", Uint32Array)));
  const stretch = cache.treeStretch || (cache.treeStretch = readArray("treeTimeStretch", Uint32Array));
  const value = column("treeTime", 0);

  for (let node = 0; node < tree.nr; node++)
    for (let i = first[node]; i < first[node + 1]; i++)
      if (stretch[i] >= range[0] && stretch[i] <= range[1])
        self[node] += value[i];
}

function treeSelf(side) {
  const self = new Float64Array(tree.nr);

  if (!tree.hasStacks)
    for (let row = 0; row < NR_ROWS; row++)
      self[tree.rowNode[row]] = sums.rows[side][row];
  else if (state.time && treeHasTime())
    treeTimedSelf(self, state.time);
  else
    self.set(column("tree", side));
  // If the chosen application is the kernel, also keep its frames below programs that called it.
  if (state.app >= 0)
    for (let i = 0; i < tree.nr; i++)
      if (tree.app[i] !== state.app && tree.labelImage[tree.label[i]] !== meta.apps[state.app])
        self[i] = 0;
  if (state.image >= 0) {
    const path = meta.images[state.image].path;
    const isIn = tree.labelImage.map((image) => image === path);

    for (let i = 0; i < tree.nr; i++)
      if (!isIn[tree.label[i]])
        self[i] = 0;
  }
  return self;
}

// Sums samples and computes widths. With two sides, a node's width is the mean of its shares on both sides, so that
// functions that have samples on only one side are visible, too.
function treeSum() {
  const { nr, parent, width, x } = tree;

  for (let side = 0; side < NR_SIDES; side++) {
    const total = treeSelf(side);

    tree.self[side] = total.slice();
    for (let i = nr - 1; i > 0; i--)
      total[parent[i]] += total[i];
    tree.total[side] = total;
  }
  const before = tree.total[0], after = tree.total[LAST];
  const scaleBefore = before[0] > 0 ? 1 / before[0] : 0, scaleAfter = after[0] > 0 ? 1 / after[0] : 0;
  const share = (scaleBefore > 0) + (scaleAfter > 0) || 1;

  for (let i = 0; i < nr; i++)
    width[i] = (before[i] * scaleBefore + after[i] * scaleAfter) / share;
  const next = new Float64Array(nr);

  x[0] = 0;
  for (let i = 1; i < nr; i++) {
    const up = parent[i];

    x[i] = next[up];
    next[up] += width[i];
    next[i] = x[i];
  }
}

// Returns the change of a node's share, from -1 (only before) to 1 (only after).
function treeChange(node) {
  const before = tree.total[0][0] > 0 ? tree.total[0][node] / tree.total[0][0] : 0;
  const after = tree.total[1][0] > 0 ? tree.total[1][node] / tree.total[1][0] : 0;

  return before + after > 0 ? (after - before) / (before + after) : 0;
}

function treeIsNoise(node) {
  return isNoise(tree.total[0][node], tree.total[1][node], tree.total[0][0], tree.total[1][0]);
}

// Returns the text to write into the node's frame.
function treeText(node) {
  const label = tree.label[node];

  if (!tree.text)
    tree.text = [];
  if (tree.text[label] === undefined) {
    const name = tree.labels[label];
    const app = tree.depth[node] === 1 ? meta.apps.indexOf(name) : -1;

    tree.text[label] = app >= 0 ? appNames[app]
      : tree.depth[node] === 1 || name === tree.labelImage[label] ? shortName(name) : symbolText(name, tree.labelImage[label]);
  }
  return tree.text[label];
}

// Returns an array with 1 for each label that the search finds, or null if nothing is searched.
function treeFind() {
  const text = state.search.trim().toLowerCase();

  if (!text)
    return null;
  if (!tree.lower)
    tree.lower = tree.labels.map((label) => label.toLowerCase());
  const found = new Uint8Array(tree.labels.length);

  for (let i = 1; i < found.length; i++)
    found[i] = tree.lower[i].includes(text) || tree.labelImage[i].toLowerCase().includes(text) ? 1 : 0;
  return found;
}

// Returns the share of the samples that are in or below one of the found nodes. Each sample counts once.
function treeFoundShare(found) {
  let share = 0;

  for (let i = 1; i < tree.nr;) {
    if (found[tree.label[i]] && (tree.hasStacks || tree.depth[i] > 1)) {
      share += tree.width[i];
      i = tree.end[i];
    } else {
      i++;
    }
  }
  return share;
}

// Returns the callers and callees of the functions with this name and image, as pairs [label, value] sorted by value.
function treeNeighbours(label, side) {
  const callers = new Map(), callees = new Map();
  const total = tree.total[side];
  const add = (map, key, value) => { if (value > 0) map.set(key, (map.get(key) || 0) + value); };
  const sorted = (map) => Array.from(map).sort((a, b) => b[1] - a[1]);

  for (let i = 1; i < tree.nr; i++) {
    const up = tree.parent[i];

    if (tree.label[i] === label && tree.label[up] !== label)
      add(callers, tree.label[up], total[i]);
    if (tree.label[up] === label && tree.label[i] !== label)
      add(callees, tree.label[i], total[i]);
  }
  return { callers: sorted(callers), callees: sorted(callees) };
}
