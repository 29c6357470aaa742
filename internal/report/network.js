'use strict';
// The viewer of a network. It draws what is visible of it on a canvas, once a frame and only where something has changed.
// Where a node is narrower than a few pixels, a column of pixels shows the mean of some nodes in it.
(function () {
  const head = JSON.parse(document.getElementById('head').textContent);
  const bytes = decode(document.getElementById('data'));
  const canvas = document.getElementById('canvas'), said = document.getElementById('said');
  const width = head.width, layers = head.layers, depth = layers.length, classes = head.classes;
  const perClass = width / classes.length;

  // Room around the drawing, and the largest and smallest sizes of a node, in pixels.
  const LEFT = 52, BOTTOM = 24, LARGEST = 72, NARROW = 3;
  const KINDS = ['constant', 'passes a pin on', 'negates a pin', 'two pins', 'XOR, XNOR', 'three pins', 'four pins',
    'five or six pins'];
  const OPERATIONS = ['FALSE', 'A AND B', 'A AND NOT B', 'A', 'NOT A AND B', 'B', 'XOR', 'OR', 'NOR', 'XNOR', 'NOT B',
    'A OR NOT B', 'NOT A', 'NOT A OR B', 'NAND', 'TRUE'];
  const MOST = 4000; // nodes that are marked as those that one depends on
  const LIVE = 8, ONE = 16; // bits of a node's byte beside its kind

  let view = null, chosen = null, pointed = null, cone = [], found = null, colours = null, pending = false, dragged = null;
  const fingers = new Map();
  const occurs = []; // kinds that some node is of, and after them whether nothing depends on some node
  let scheme = head.sample ? 'value' : 'kind';

  // decode turns the text of an element into bytes, and frees the text.
  function decode(element) {
    const text = atob(element.textContent.trim()), out = new Uint8Array(text.length);
    for (let i = 0; i < out.length; i++) out[i] = text.charCodeAt(i);
    element.textContent = '';
    return out;
  }

  // array returns a part of the data as an array of numbers of so many bytes each.
  function array(part, length) {
    const types = {1: Uint8Array, 2: Uint16Array, 4: Uint32Array};
    return new types[part.bytes](bytes.buffer, part.at, length);
  }

  for (const layer of layers) {
    layer.kinds = array({at: layer.kind, bytes: 1}, layer.width);
    layer.tables = layer.table.bytes > 4 ? array({at: layer.table.at, bytes: 4}, 2 * layer.width) : array(layer.table, layer.width);
    for (const pin of layer.pins) pin.index = pin.own ? null : array(pin, layer.width);
    layer.unit = width / layer.width; // width of a node in the units of the last layer's
    for (const kind of layer.kinds) occurs[kind & LIVE ? kind & 7 : KINDS.length] = true;
  }
  canvas.style.setProperty('--high', depth * LARGEST + BOTTOM + 2 + 'px');

  // reads returns the number of what a pin of a node reads.
  function reads(pin, node) { return pin.own ? node : pin.index[node]; }

  // table returns that of a node in hexadecimal digits.
  function table(layer, node) {
    const digits = Math.max(1, (1 << layer.pins.length) / 4);
    if (layer.table.bytes <= 4) return layer.tables[node].toString(16).padStart(digits, '0');
    return layer.tables[2 * node + 1].toString(16).padStart(8, '0') + layer.tables[2 * node].toString(16).padStart(8, '0');
  }

  // output returns that of a node at a line of its table, of which the line of zeros is the highest digit.
  function output(layer, node, line) {
    const digit = (1 << layer.pins.length) - 1 - line;
    if (layer.table.bytes <= 4) return layer.tables[node] >>> digit & 1;
    return layer.tables[2 * node + (digit >> 5)] >>> (digit & 31) & 1;
  }

  // depends reports whether a node's table depends on a pin, of which pin A is the highest digit of a line.
  function depends(layer, node, pin) {
    const bit = 1 << layer.pins.length - 1 - pin;
    for (let line = 0; line < 1 << layer.pins.length; line++) {
      if (!(line & bit) && output(layer, node, line) !== output(layer, node, line | bit)) return true;
    }
    return false;
  }

  // input returns the meaning of an input bit.
  function input(bit) {
    const f = Math.floor(bit / head.bits), rows = head.thresholds, threshold = rows[rows.length > 1 ? f : 0][bit % head.bits];
    const q = head.quantiser;
    if (q && q.cuts) return feature(f) + ' > ' + Number(q.cuts[f][bit % head.bits].toPrecision(6));
    if (q && q.scale[f]) return feature(f) + ' >= ' + Number((q.offset[f] + (threshold + 0.5) / q.scale[f]).toPrecision(6));
    return feature(f) + ' > ' + threshold;
  }

  // feature returns the name of a feature, with its place in an image.
  function feature(f) {
    let name = head.names ? head.names[f] : 'feature ' + f;
    if (head.shape) {
      const area = head.shape.Height * head.shape.Width;
      name += ' (' + (head.shape.Planes > 1 ? 'plane ' + Math.floor(f / area) + ', ' : '') + 'row ' +
        Math.floor(f % area / head.shape.Width) + ', column ' + f % head.shape.Width + ')';
    }
    return name;
  }

  // value returns what a pin reads in the sample, -1 where there is none.
  function value(l, pin, node) {
    if (!head.sample) return -1;
    const i = reads(pin, node);
    if (pin.from) return layers[l - 1].kinds[i] & ONE ? 1 : 0;
    const f = Math.floor(i / head.bits), rows = head.thresholds;
    return head.sample[f] > rows[rows.length > 1 ? f : 0][i % head.bits] ? 1 : 0;
  }

  // describe says in words what a node is.
  function describe(node) {
    const l = node.layer, n = node.node, layer = layers[l], kind = layer.kinds[n];
    const op = layer.pins.length === 2 ? OPERATIONS[layer.tables[n]] : 'table 0x' + table(layer, n);
    let text = 'Layer ' + (l + 1) + ', node ' + n + (l === depth - 1 ? ', votes for ' + classes[Math.floor(n / perClass)] : '') +
      ': ' + op + (kind & LIVE ? '' : ', which nothing depends on');
    let pins = '', line = 0;
    layer.pins.forEach(function (pin, p) {
      const i = reads(pin, n), v = value(l, pin, n);
      line = 2 * line + v;
      pins += '\n' + 'ABCDEF'[p] + ': ' + (pin.from ? 'layer ' + l + ', node ' + i : input(i)) + (v < 0 ? '' : ' = ' + v) +
        (depends(layer, n, p) ? '' : ', on which it does not depend');
    });
    return text + (head.sample ? '. In the sample ' + (kind & ONE ? 1 : 0) + ', line ' + line + ' of its table' : '') + pins;
  }

  // place returns the box in the canvas that is drawn in.
  function place() { return {w: Math.max(1, canvas.clientWidth - LEFT), h: Math.max(1, canvas.clientHeight - BOTTOM)}; }

  // fit shows all of the network.
  function fit() {
    const box = place();
    view = {x: 0, y: 0, sx: Math.min(LARGEST, box.w / width), sy: Math.min(LARGEST, box.h / depth)};
    redraw();
  }

  // hold keeps the view within the network, and the sizes within their bounds.
  function hold() {
    const box = place();
    view.sx = Math.min(LARGEST, Math.max(view.sx, Math.min(LARGEST, box.w / width)));
    view.sy = Math.min(LARGEST, Math.max(view.sy, Math.min(LARGEST, box.h / depth)));
    view.x = Math.max(0, Math.min(view.x, width - box.w / view.sx));
    view.y = Math.max(0, Math.min(view.y, depth - box.h / view.sy));
    redraw();
  }

  // zoom changes the sizes around a point of the canvas.
  function zoom(factor, px, py) {
    const box = place();
    px = px === undefined ? box.w / 2 : px - LEFT;
    py = py === undefined ? box.h / 2 : py;
    const x = view.x + px / view.sx, y = view.y + py / view.sy;
    view.sx = Math.min(LARGEST, Math.max(view.sx * factor, Math.min(LARGEST, box.w / width)));
    view.sy = Math.min(LARGEST, Math.max(view.sy * factor, Math.min(LARGEST, box.h / depth)));
    view.x = x - px / view.sx;
    view.y = y - py / view.sy;
    hold();
  }

  // nodeAt returns the node at a point of the canvas, null where there is none.
  function nodeAt(px, py) {
    const l = Math.floor(view.y + py / view.sy), x = view.x + (px - LEFT) / view.sx;
    if (px < LEFT || py > place().h || l < 0 || l >= depth || x < 0 || x >= width) return null;
    return {layer: l, node: Math.floor(x / layers[l].unit)};
  }

  // choose marks a node and what it depends on.
  function choose(at, show) {
    chosen = at;
    cone = at ? below(at) : [];
    if (at) {
      said.textContent = describe(at) + '\nDepends on ' + (cone.length > MOST ? 'more than ' + MOST : cone.length - 1) + ' nodes.';
      if (show) reveal(at);
    } else {
      said.textContent = '';
    }
    redraw();
  }

  // below returns the nodes that one depends on, itself first.
  function below(at) {
    const all = [at], seen = new Set([at.layer + ' ' + at.node]);
    for (let i = 0; i < all.length && all.length <= MOST; i++) {
      const l = all[i].layer, n = all[i].node;
      layers[l].pins.forEach(function (pin, p) {
        const next = {layer: l - 1, node: reads(pin, n)}, key = next.layer + ' ' + next.node;
        if (pin.from && !seen.has(key) && depends(layers[l], n, p)) { seen.add(key); all.push(next); }
      });
    }
    return all;
  }

  // reveal moves the view where a node is not in it, or too small to be seen.
  function reveal(at) {
    const box = place(), unit = layers[at.layer].unit, x = (at.node + 0.5) * unit, y = at.layer + 0.5;
    if (view.sx * unit < 12) view.sx = Math.min(LARGEST, 24 / Math.min(unit, 24));
    if (view.sy < 12) view.sy = Math.min(LARGEST, 24);
    const px = (x - view.x) * view.sx, py = (y - view.y) * view.sy;
    if (px < 0 || px > box.w) view.x = x - box.w / view.sx / 2;
    if (py < 0 || py > box.h) view.y = y - box.h / view.sy / 2;
    hold();
  }

  function redraw() {
    if (pending) return;
    pending = true;
    requestAnimationFrame(function () { pending = false; draw(); });
  }

  // readColours takes them from the style of the page, which is another in the dark and on paper.
  function readColours() {
    const style = getComputedStyle(document.documentElement), get = function (name) { return style.getPropertyValue(name).trim(); };
    colours = {ink: get('--ink'), paper: get('--paper'), faint: get('--faint'), line: get('--line'), mark: get('--mark'),
      dead: get('--dead'), zero: get('--zero'), one: get('--one'), kinds: KINDS.map(function (_, k) { return get('--k' + k); })};
    const parts = function (c) { return [1, 3, 5].map(function (i) { return parseInt(c.slice(i, i + 2), 16); }); };
    colours.parts = new Map([colours.dead, colours.zero, colours.one].concat(colours.kinds).map(function (c) { return [c, parts(c)]; }));
  }

  // colour returns that of a node by its byte.
  function colour(kind) {
    if (scheme === 'value') return kind & ONE ? colours.one : colours.zero;
    if (!(kind & LIVE)) return colours.dead;
    return scheme === 'live' ? colours.one : colours.kinds[kind & 7];
  }

  // draw draws the visible part.
  function draw() {
    const ratio = window.devicePixelRatio || 1, box = place();
    const w = Math.round((box.w + LEFT) * ratio), h = Math.round((box.h + BOTTOM) * ratio);
    if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
    if (!colours) readColours();
    const pen = canvas.getContext('2d');
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, box.w + LEFT, box.h + BOTTOM);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, 0, box.w, box.h);
    pen.clip();
    const first = Math.max(0, Math.floor(view.y)), last = Math.min(depth - 1, Math.floor(view.y + box.h / view.sy));
    for (let l = first; l <= last; l++) {
      if (layers[l].unit * view.sx < NARROW) drawMeans(pen, l, box);
      else drawNodes(pen, l, box);
    }
    drawFound(pen, first, last);
    drawCone(pen);
    pen.restore();
    drawNames(pen, box, first, last);
    if (!performance.getEntriesByName('network drawn').length) performance.mark('network drawn');
  }

  const row = document.createElement('canvas'); // one row of means

  // drawMeans draws a layer whose nodes are too narrow, a column of pixels the mean of at most so many nodes in it.
  function drawMeans(pen, l, box) {
    const layer = layers[l], wide = Math.ceil(box.w), image = pen.createImageData(wide, 1), data = image.data;
    const palette = [];
    for (let k = 0; k < 32; k++) palette.push(colours.parts.get(colour(k)) || [0, 0, 0]);
    for (let px = 0; px < wide; px++) {
      const from = Math.floor((view.x + px / view.sx) / layer.unit), to = (view.x + (px + 1) / view.sx) / layer.unit;
      const step = Math.max(1, (to - from) / 16);
      let r = 0, g = 0, b = 0, n = 0;
      for (let i = from; i < to && i < layer.width; i += step) {
        const c = palette[layer.kinds[Math.floor(i)] & 31];
        r += c[0]; g += c[1]; b += c[2]; n++;
      }
      if (n) { data[4 * px] = r / n; data[4 * px + 1] = g / n; data[4 * px + 2] = b / n; data[4 * px + 3] = 255; }
    }
    if (row.width !== wide) { row.width = wide; row.height = 1; }
    row.getContext('2d').putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(row, 0, 0, wide, 1, LEFT, (l - view.y) * view.sy, wide, Math.max(1, view.sy - (view.sy > 6 ? 1 : 0)));
  }

  // drawNodes draws the visible nodes of a layer one by one, with their operations where there is room.
  function drawNodes(pen, l, box) {
    const layer = layers[l], size = layer.unit * view.sx, gap = size > 8 && view.sy > 8 ? 1.5 : 0;
    const from = Math.max(0, Math.floor(view.x / layer.unit));
    const to = Math.min(layer.width, Math.ceil((view.x + box.w / view.sx) / layer.unit));
    for (let i = from; i < to; i++) {
      pen.fillStyle = colour(layer.kinds[i]);
      pen.fillRect(left(l, i), (l - view.y) * view.sy, Math.max(1, size - gap), Math.max(1, view.sy - gap));
    }
    if (size < 56 || view.sy < 18) return;
    pen.font = '11px system-ui, sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    for (let i = from; i < to; i++) {
      const text = layer.pins.length === 2 ? OPERATIONS[layer.tables[i]] : table(layer, i), kind = layer.kinds[i];
      pen.fillStyle = contrast(colour(kind));
      pen.fillText(text, left(l, i) + size / 2, (l - view.y + 0.5) * view.sy, size - 6);
    }
  }

  // contrast returns the colour of text on another one.
  function contrast(on) {
    const c = colours.parts.get(on);
    return 0.3 * c[0] + 0.6 * c[1] + 0.1 * c[2] > 128 ? '#000' : '#fff';
  }

  function left(l, node) { return LEFT + (node * layers[l].unit - view.x) * view.sx; }
  function middle(at) { return {x: left(at.layer, at.node + 0.5), y: (at.layer - view.y + 0.5) * view.sy}; }

  // outline draws a frame around a node, which may be narrower than it.
  function outline(pen, at) {
    const size = Math.max(4, layers[at.layer].unit * view.sx), high = Math.max(4, view.sy), m = middle(at);
    pen.strokeRect(m.x - size / 2, m.y - high / 2, size, high);
  }

  // drawCone draws what the chosen node depends on.
  function drawCone(pen) {
    pen.strokeStyle = colours.mark;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const node of cone) {
      layers[node.layer].pins.forEach(function (pin, p) {
        if (!pin.from || !depends(layers[node.layer], node.node, p)) return;
        const a = middle({layer: node.layer - 1, node: reads(pin, node.node)}), b = middle(node);
        pen.moveTo(a.x, a.y);
        pen.lineTo(b.x, b.y);
      });
    }
    pen.stroke();
    if (pointed) outline(pen, pointed);
    pen.lineWidth = 3;
    if (chosen) outline(pen, chosen);
  }

  // drawFound frames the visible nodes that were found.
  function drawFound(pen, first, last) {
    if (!found || found.all.length < 2) return;
    pen.strokeStyle = colours.mark;
    pen.lineWidth = 2;
    for (const at of found.all) if (at.layer >= first && at.layer <= last) outline(pen, at);
  }

  // drawNames draws the numbers of the layers, and the names of the classes where there is room for them.
  function drawNames(pen, box, first, last) {
    pen.font = '12px system-ui, sans-serif';
    pen.fillStyle = colours.ink;
    pen.textBaseline = 'middle';
    pen.textAlign = 'right';
    const step = Math.ceil(16 / view.sy);
    for (let l = first; l <= last; l++) {
      const y = (l - view.y + 0.5) * view.sy;
      if (l % step === 0 && y > 6 && y < box.h - 6) pen.fillText(String(l + 1), LEFT - 8, y);
    }
    const below = Math.min(box.h, (depth - view.y) * view.sy);
    pen.textAlign = 'center';
    pen.strokeStyle = colours.line;
    pen.lineWidth = 1;
    for (let c = 0; c < classes.length; c++) {
      const from = Math.max(LEFT, left(depth - 1, c * perClass)), to = Math.min(LEFT + box.w, left(depth - 1, (c + 1) * perClass));
      if (to <= from) continue;
      pen.strokeRect(from + 0.5, below + 2.5, to - from - 1, BOTTOM - 4);
      if (pen.measureText(classes[c]).width < to - from - 4) pen.fillText(classes[c], (from + to) / 2, below + BOTTOM / 2);
    }
  }

  // search finds a node, a class, or all nodes that read a feature.
  function search(text) {
    let m;
    text = text.trim();
    if ((m = /^(?:chain|node)?\s*(\d+)$/i.exec(text)) && +m[1] < width) return [{layer: depth - 1, node: +m[1]}];
    if ((m = /^(?:layer)?\s*(\d+)\s*(?:,|\/|\s)\s*(?:node|chain)?\s*(\d+)$/i.exec(text)) && +m[1] >= 1 && +m[1] <= depth &&
      +m[2] < layers[m[1] - 1].width) return [{layer: m[1] - 1, node: +m[2]}];
    const c = classes.indexOf(text.replace(/^class\s+/i, ''));
    if (c >= 0 && !/^pixel/i.test(text)) return [{layer: depth - 1, node: c * perClass, all: c}];
    const f = head.names ? head.names.indexOf(text) : (m = /^feature\s+(\d+)$/i.exec(text)) ? +m[1] : -1;
    return f < 0 ? [] : readers(f);
  }

  // readers returns the live nodes that read a feature, the most that are marked.
  function readers(f) {
    const out = [], from = f * head.bits, to = from + head.bits;
    for (let l = 0; l < depth; l++) {
      layers[l].pins.forEach(function (pin, p) {
        if (pin.from) return;
        for (let i = 0; i < layers[l].width && out.length < MOST; i++) {
          if (pin.index[i] >= from && pin.index[i] < to && layers[l].kinds[i] & LIVE && depends(layers[l], i, p)) {
            out.push({layer: l, node: i});
          }
        }
      });
    }
    return out;
  }

  // find goes to the first that was found, and to the next one if it is asked for again.
  function find(text) {
    if (!found || found.text !== text) found = {text: text, all: search(text), at: -1};
    if (!found.all.length) {
      found = null;
      said.textContent = 'Nothing was found of "' + text + '": try chain 0, layer 1 node 0, class ' + classes[0] + ', ' + feature(0).replace(/ \(.*/, '') + '.';
      redraw();
      return;
    }
    found.at = (found.at + 1) % found.all.length;
    const at = found.all[found.at];
    if (at.all !== undefined) {
      view.sx = Math.min(LARGEST, place().w / perClass);
      view.x = at.node;
      hold();
    }
    choose(at, at.all === undefined);
    if (found.all.length > 1) said.textContent = 'Reads it: ' + (found.at + 1) + ' of ' + found.all.length +
      (found.all.length >= MOST ? ' or more' : '') + '.\n' + said.textContent;
  }

  // step goes from the chosen node to one beside it.
  function step(dl, dn) {
    if (!chosen) {
      const box = place();
      return choose(nodeAt(LEFT + Math.min(box.w, width * view.sx) / 2, Math.min(box.h, depth * view.sy) / 2), true);
    }
    const l = Math.max(0, Math.min(depth - 1, chosen.layer + dl));
    const n = dl ? Math.floor((chosen.node + 0.5) * layers[chosen.layer].unit / layers[l].unit) : chosen.node + dn;
    choose({layer: l, node: Math.max(0, Math.min(layers[l].width - 1, n))}, true);
  }

  // pan moves the view by so many pixels.
  function pan(dx, dy) { view.x += dx / view.sx; view.y += dy / view.sy; hold(); }

  const ARROWS = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
  const KEYS = {
    '+': function () { zoom(1.5); }, '=': function () { zoom(1.5); }, '-': function () { zoom(1 / 1.5); },
    '0': fit, Home: fit, Escape: function () { found = null; choose(null); },
    Enter: function () { if (chosen) { view.sx = view.sy = LARGEST; reveal(chosen); } }
  };

  canvas.addEventListener('keydown', function (e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const arrow = ARROWS[e.key], pin = chosen && e.key.length === 1 ? 'abcdef'.indexOf(e.key.toLowerCase()) : -1;
    if (arrow && e.shiftKey) pan(80 * arrow[1], 80 * arrow[0]);
    else if (arrow) step(arrow[0], arrow[1]);
    else if (KEYS[e.key]) KEYS[e.key]();
    else if (pin >= 0 && pin < layers[chosen.layer].pins.length) {
      const p = layers[chosen.layer].pins[pin];
      if (p.from) choose({layer: chosen.layer - 1, node: reads(p, chosen.node)}, true);
    } else return;
    e.preventDefault();
  });

  function position(e) {
    const box = canvas.getBoundingClientRect();
    return {x: e.clientX - box.left - 1, y: e.clientY - box.top - 1};
  }

  canvas.addEventListener('pointerdown', function (e) {
    const p = position(e);
    fingers.set(e.pointerId, p);
    dragged = {x: p.x, y: p.y, far: fingers.size > 1};
    canvas.setPointerCapture(e.pointerId);
  });
  canvas.addEventListener('pointermove', function (e) {
    const p = position(e), before = fingers.get(e.pointerId);
    if (!before) {
      pointed = nodeAt(p.x, p.y);
      if (!chosen) said.textContent = pointed ? describe(pointed) : '';
      canvas.title = pointed ? describe(pointed) : '';
      redraw();
      return;
    }
    fingers.set(e.pointerId, p);
    if (fingers.size === 2) {
      const other = Array.from(fingers).find(function (f) { return f[0] !== e.pointerId; })[1];
      const apart = function (q) { return Math.max(10, Math.hypot(q.x - other.x, q.y - other.y)); };
      zoom(apart(p) / apart(before), (p.x + other.x) / 2, (p.y + other.y) / 2);
      return;
    }
    if (Math.hypot(p.x - dragged.x, p.y - dragged.y) > 4) dragged.far = true;
    if (dragged.far) pan(before.x - p.x, before.y - p.y);
  });
  function release(e) {
    const p = fingers.get(e.pointerId);
    fingers.delete(e.pointerId);
    if (e.type === 'pointerup' && p && dragged && !dragged.far) choose(nodeAt(p.x, p.y), false);
  }
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', function () { pointed = null; redraw(); });
  canvas.addEventListener('wheel', function (e) {
    const p = position(e);
    e.preventDefault();
    zoom(Math.exp(-Math.max(-200, Math.min(200, e.deltaY)) / 400), p.x, p.y);
  }, {passive: false});

  document.getElementById('find').addEventListener('submit', function (e) {
    e.preventDefault();
    find(document.getElementById('what').value);
  });
  document.getElementById('in').addEventListener('click', function () { zoom(1.5); });
  document.getElementById('out').addEventListener('click', function () { zoom(1 / 1.5); });
  document.getElementById('all').addEventListener('click', fit);

  // legend says what the colours mean.
  function legend() {
    const list = {
      kind: KINDS.map(function (name, k) { return ['--k' + k, name]; }).concat([['--dead', 'nothing depends on it']])
        .filter(function (_, k) { return occurs[k]; }),
      live: [['--one', 'the classes depend on it'], ['--dead', 'nothing depends on it']],
      value: [['--one', '1 in the sample'], ['--zero', '0 in the sample']]
    }[scheme];
    const items = list.map(function (entry) {
      const item = document.createElement('li'), mark = document.createElement('i');
      mark.style.background = 'var(' + entry[0] + ')';
      item.append(mark, entry[1]);
      return item;
    });
    document.getElementById('legend').replaceChildren.apply(document.getElementById('legend'), items);
  }

  const choice = document.getElementById('colours');
  [['kind', 'Operation'], ['live', 'What is live']].concat(head.sample ? [['value', 'Value in the sample']] : []).forEach(function (c) {
    choice.append(new Option(c[1], c[0], false, c[0] === scheme));
  });
  choice.addEventListener('change', function () { scheme = choice.value; legend(); redraw(); });

  // repaint draws at once with the colours that hold now.
  function repaint() { colours = null; hold(); draw(); }
  for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', repaint);
  new ResizeObserver(function () { hold(); }).observe(canvas);

  legend();
  fit();
  draw();
  if (head.chosen >= 0) choose({layer: depth - 1, node: head.chosen}, false);
})();
