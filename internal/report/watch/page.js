
'use strict';
(function () {
  // A snapshot of the logs, as the program sends it. Runs have a list for each key, an entry an epoch, null where the
  // log has nothing.
  var view = JSON.parse(document.getElementById('view').textContent);
  var logs = new Map(); // by id
  var chosen = new Map(); // by a run's name: whether it was chosen by hand
  var most = 10; // runs that are shown unasked
  var colours = 8;
  var lost = false;
  var from = 1; // the first epoch of the charts

  var share = function (v) { return (100 * v).toFixed(2) + ' %'; };
  var whole = function (v) { return String(v).replace(/\B(?=(\d{3})+$)/g, ','); };
  var charts = [
    { id: 'loss', title: 'Training loss', of: 'nats', text: function (v) { return v.toFixed(4); },
      kinds: [{ key: 'loss', name: 'loss', on: true }] },
    { id: 'accuracy', title: 'Accuracy', of: '%', by: 100, text: share,
      kinds: [{ key: 'test', name: 'test', on: true }, { key: 'validation', name: 'validation', on: true },
        { key: 'train', name: 'training', on: true }, { key: 'relaxed', name: 'test, relaxed network', on: false },
        { key: 'balanced', name: 'test, balanced', on: false }, { key: 'f1', name: 'test, macro F1', on: false }] },
    { id: 'luts', title: 'Look-up tables, estimated', of: '', text: whole,
      kinds: [{ key: 'total', name: 'total', on: true }, { key: 'gates', name: 'gates', on: false },
        { key: 'head', name: 'head', on: false }, { key: 'encoder', name: 'encoder', on: false }] },
    { id: 'rate', title: 'Learning rate', of: '', zero: true, text: function (v) { return String(Number(v.toPrecision(4))); },
      kinds: [{ key: 'rate', name: 'learning rate', on: true }] },
  ];

  function add(parent, children) {
    children.forEach(function (c) { if (c !== null) parent.append(c); });
    return parent;
  }
  function html(tag, attributes) {
    var e = document.createElement(tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    return add(e, Array.from(arguments).slice(2));
  }
  function svg(tag, attributes) {
    var e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    return add(e, Array.from(arguments).slice(2));
  }
  function last(list) { return list[list.length - 1]; }
  function has(list) { return list !== undefined && list.some(function (v) { return v !== null; }); }

  // take takes a snapshot, in which logs without runs are as they were.
  function take(s) {
    var before = logs;
    logs = new Map();
    s.logs.forEach(function (l) {
      if (!l.fresh && before.has(l.id)) l.runs = before.get(l.id).runs;
      logs.set(l.id, l);
    });
    view.session = s.session;
    view.version = s.version;
  }

  // runs returns all runs with their numbers, and whether they are shown: those that were chosen, else the last ones.
  function runs() {
    var all = [];
    logs.forEach(function (l) { (l.runs || []).forEach(function (r) { all.push(r); }); });
    all.forEach(function (r, i) {
      r.number = i + 1;
      r.colour = i % colours;
      r.shown = chosen.has(r.name) ? chosen.get(r.name) : i >= all.length - most;
    });
    return all;
  }

  // shapes are marks about the origin: what tells runs apart without colours.
  var shapes = ['M-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0', 'M-3 -3H3V3H-3Z', 'M0 -4L4 3H-4Z', 'M0 -4.5L4.5 0L0 4.5L-4.5 0Z',
    'M-3 -3L3 3M-3 3L3 -3', 'M-4 0H4M0 -4V4', 'M0 4L4 -3H-4Z'];
  function mark(r, x, y) {
    return svg('path', { 'class': 'mark c' + r.colour, d: shapes[(r.number - 1) % shapes.length],
      transform: 'translate(' + x.toFixed(1) + ' ' + y.toFixed(1) + ')' });
  }
  function sample(r) {
    return svg('svg', { width: 28, height: 12, viewBox: '-14 -6 28 12', 'aria-hidden': 'true' },
      svg('path', { 'class': 'curve c' + r.colour, d: 'M-14 0H14' }), mark(r, 0, 0));
  }

  // ticks returns round numbers that reach from one value to another, at least as far apart as least, and as numbers of
  // that size can be told apart.
  function ticks(from, to, count, least) {
    var rough = Math.max((to - from) / count, least, Math.abs(from) * 1e-9, Math.abs(to) * 1e-9);
    var unit = Math.pow(10, Math.floor(Math.log10(rough)));
    var step = unit * [1, 2, 5, 10].find(function (m) { return m * unit >= rough * 0.999; });
    var list = [];
    for (var i = Math.ceil(from / step - 1e-9); i * step <= to + step * 1e-9; i++) list.push(i * step);
    return { step: step, list: list };
  }
  function spread(from, to) {
    var t = ticks(from, to === from ? from + (Math.abs(from) || 1) / 10 : to, 5, 1e-12);
    return { step: t.step, from: Math.floor(from / t.step + 1e-9) * t.step, to: Math.ceil((to === from ? from + t.step / 2 : to) / t.step - 1e-9) * t.step };
  }
  function label(v, step) {
    var digits = Math.max(0, Math.min(10, -Math.floor(Math.log10(step) + 1e-9)));
    return Number(v.toFixed(digits)) >= 1000 ? whole(v.toFixed(digits)) : v.toFixed(digits);
  }

  // Chart is a figure that is drawn anew when something changes.
  function Chart(c) {
    this.c = c;
    this.at = null; // the epoch under the pointer
    this.box = html('div', { 'class': 'kinds' });
    this.hold = html('figure', { id: c.id }, html('figcaption', {}, c.title), this.box);
    var self = this;
    if (c.kinds.length > 1) {
      c.kinds.forEach(function (k, i) {
        var input = html('input', { type: 'checkbox' });
        input.checked = k.on;
        input.addEventListener('change', function () { k.on = input.checked; self.draw(); });
        k.box = html('label', {}, input,
          svg('svg', { width: 28, height: 6, viewBox: '0 -3 28 6', 'aria-hidden': 'true' }, svg('path', { 'class': 'sample k' + i, d: 'M0 0H28' })), k.name);
        self.box.append(k.box);
      });
    }
  }

  // lines returns what is drawn: the kinds that are on of the runs that are shown.
  Chart.prototype.lines = function () {
    var list = [], c = this.c;
    runs().forEach(function (r) {
      var at = r.epoch.findIndex(function (e) { return e >= from; });
      c.kinds.forEach(function (k, i) {
        var y = at < 0 ? [] : (r[k.key] || []).slice(at).map(function (v) { return v === null ? null : v * (c.by || 1); });
        if (r.shown && k.on && has(y)) list.push({ run: r, kind: k, dash: i, epoch: r.epoch.slice(at), y: y });
      });
    });
    return list;
  };

  Chart.prototype.draw = function () {
    var c = this.c, all = runs(), lines = this.lines(), old = this.hold.querySelector(':scope > svg, :scope > p');
    c.kinds.forEach(function (k) { if (k.box) k.box.hidden = !all.some(function (r) { return has(r[k.key]); }); });
    var focused = old !== null && document.activeElement === old;
    if (old) old.remove();
    if (lines.length === 0) {
      this.values(null);
      var known = all.some(function (r) { return c.kinds.some(function (k) { return has(r[k.key]); }); });
      this.hold.append(html('p', {}, known ? 'Nothing of it is chosen.' : all.length > 0 ? 'The logs do not say it.' : 'There is no epoch yet.'));
      return;
    }
    var w = Math.max(280, this.hold.clientWidth), h = Math.round(Math.min(320, Math.max(220, w * 0.55)));
    var xs = [].concat.apply([], lines.map(function (l) { return l.epoch; }));
    var ys = [].concat.apply([], lines.map(function (l) { return l.y; })).filter(function (v) { return v !== null; });
    var low = c.zero ? 0 : Infinity, high = -Infinity, first = Infinity, end = -Infinity;
    ys.forEach(function (v) { low = Math.min(low, v); high = Math.max(high, v); });
    xs.forEach(function (v) { first = Math.min(first, v); end = Math.max(end, v); });
    if (end === first) end = first + 1;
    var y = spread(low, high), g = this.g = { left: 62, right: w - 44, top: 12, bottom: h - 40, first: first, end: end, lines: lines };
    g.x = function (v) { return g.left + (v - first) / (end - first) * (g.right - g.left); };
    g.y = function (v) { return g.bottom - (v - y.from) / (y.to - y.from) * (g.bottom - g.top); };
    var e = this.svg = svg('svg', { viewBox: '0 0 ' + w + ' ' + h, role: 'img', tabindex: 0,
      'aria-label': c.title + ' by epoch of ' + lines.map(function (l) { return l.run.name + ', ' + l.kind.name; }).join('; ') + '. Arrow keys show values.' });
    for (var v = y.from, i = 0; v <= y.to + y.step / 2; v = y.from + ++i * y.step) {
      e.append(svg('path', { 'class': 'grid', d: 'M' + g.left + ' ' + g.y(v).toFixed(1) + 'H' + g.right }),
        svg('text', { x: g.left - 6, y: (g.y(v) + 4).toFixed(1), 'text-anchor': 'end' }, label(v, y.step)));
    }
    ticks(first, end, Math.min(10, w / 70), 1).list.forEach(function (v) {
      e.append(svg('path', { 'class': 'axis', d: 'M' + g.x(v).toFixed(1) + ' ' + g.bottom + 'v4' }),
        svg('text', { x: g.x(v).toFixed(1), y: g.bottom + 17, 'text-anchor': 'middle' }, String(v)));
    });
    e.append(svg('path', { 'class': 'axis', d: 'M' + g.left + ' ' + g.bottom + 'H' + g.right }),
      svg('text', { x: (g.left + g.right) / 2, y: h - 6, 'text-anchor': 'middle' }, 'epoch'));
    if (c.of) e.append(svg('text', { transform: 'translate(13 ' + (g.top + g.bottom) / 2 + ') rotate(-90)', 'text-anchor': 'middle' }, c.of));
    numbers(e, lines.map(function (l) { return curve(e, g, l); }));
    this.listen();
    this.hold.append(e);
    if (focused) e.focus();
    this.values(this.at);
  };

  // curve draws a line, broken where the log has nothing, with marks, and returns where it ends.
  function curve(e, g, l) {
    var d = '', pen = false, n = l.y.length, every = n > 15 ? Math.ceil(n / 10) : 1, end = -1;
    l.y.forEach(function (v, i) {
      if (v === null) { pen = false; return; }
      d += (pen ? 'L' : 'M') + g.x(l.epoch[i]).toFixed(1) + ' ' + g.y(v).toFixed(1);
      pen = true;
      end = i;
    });
    e.append(svg('path', { 'class': 'curve c' + l.run.colour + ' k' + l.dash, d: d }));
    l.y.forEach(function (v, i) {
      if (v !== null && (i % every === 0 || i === end)) e.append(mark(l.run, g.x(l.epoch[i]), g.y(v)));
    });
    return { x: g.x(l.epoch[end]), y: g.y(l.y[end]), number: l.run.number };
  }

  // numbers writes the numbers of runs where their lines end, those that would be over each other beside each other.
  function numbers(e, ends) {
    var places = [];
    ends.forEach(function (end) {
      var p = places.find(function (q) { return Math.abs(q.x - end.x) < 20 && Math.abs(q.y - end.y) < 12; });
      if (!p) places.push(p = { x: end.x, y: end.y, all: [] });
      if (!p.all.includes(end.number)) p.all.push(end.number);
    });
    places.forEach(function (p) {
      var text = p.all.length > 3 ? p.all.slice(0, 2).join(' ') + ' \u2026' : p.all.join(' ');
      e.append(svg('text', { x: (p.x + 7).toFixed(1), y: (p.y + 4).toFixed(1) }, text));
    });
  }

  Chart.prototype.listen = function () {
    var self = this, g = this.g, e = this.svg;
    function to(epoch) { self.values(Math.max(g.first, Math.min(g.end, epoch))); }
    e.addEventListener('pointermove', function (ev) {
      var box = e.getBoundingClientRect(), x = (ev.clientX - box.left) * e.viewBox.baseVal.width / box.width;
      to(Math.round(g.first + (x - g.left) / (g.right - g.left) * (g.end - g.first)));
    });
    e.addEventListener('pointerleave', function () { self.values(null); });
    e.addEventListener('blur', function () { self.values(null); });
    e.addEventListener('keydown', function (ev) {
      var by = { ArrowLeft: -1, ArrowRight: 1 }[ev.key];
      if (by) { to(self.at === null ? (by > 0 ? g.first : g.end) : self.at + by); ev.preventDefault(); }
      if (ev.key === 'Escape') self.values(null);
    });
  };

  // values shows what the lines are at an epoch, and hides it for null.
  Chart.prototype.values = function (epoch) {
    this.at = epoch;
    this.hold.querySelectorAll('.values, .at').forEach(function (e) { e.remove(); });
    if (epoch === null) return;
    var g = this.g, c = this.c, rows = [], head = html('tr', {}, html('th', { scope: 'col' }, 'epoch ' + epoch));
    var kinds = c.kinds.filter(function (k) { return g.lines.some(function (l) { return l.kind === k; }); });
    kinds.forEach(function (k) { head.append(html('th', { scope: 'col' }, k.name)); });
    new Set(g.lines.map(function (l) { return l.run; })).forEach(function (r) {
      var at = r.epoch.indexOf(epoch);
      if (at < 0) return;
      var row = html('tr', {}, html('th', { scope: 'row' }, r.number + ' ' + r.name));
      kinds.forEach(function (k) { row.append(html('td', {}, has(r[k.key]) && r[k.key][at] !== null ? c.text(r[k.key][at]) : '')); });
      rows.push(row);
    });
    this.svg.append(svg('path', { 'class': 'at', d: 'M' + g.x(epoch).toFixed(1) + ' ' + g.top + 'V' + g.bottom }));
    var side = epoch > (g.first + g.end) / 2 ? 'left' : 'right';
    this.hold.append(html('div', { 'class': 'values ' + side, role: 'status' },
      html('table', {}, html('thead', {}, head), add(html('tbody', {}), rows))));
  };

  // best returns the largest value and its epoch.
  function best(r) {
    var at = r.test.indexOf(r.test.reduce(function (a, b) { return Math.max(a, b); }, -1));
    return share(r.test[at]) + ' (' + r.epoch[at] + ')';
  }

  // columns of the table: the heading, and what stands in it, '' where a run has nothing. Those of the class late are left
  // out where there is little room.
  var columns = [
    ['epoch', function (r) { return String(last(r.epoch)); }],
    ['loss', function (r) { return last(r.loss).toFixed(4); }],
    ['training', function (r) { return share(last(r.train)); }],
    ['validation', function (r) { return has(r.validation) && last(r.validation) !== null ? share(last(r.validation)) : ''; }],
    ['test', function (r) { return share(last(r.test)); }],
    ['balanced', function (r) { return has(r.balanced) && last(r.balanced) !== null ? share(last(r.balanced)) : ''; }, 'late'],
    ['macro F1', function (r) { return has(r.f1) && last(r.f1) !== null ? share(last(r.f1)) : ''; }, 'late'],
    ['best test (epoch)', best],
    ['LUTs, estimated', function (r) { return has(r.total) && last(r.total) !== null ? whole(last(r.total)) + ' LUT' + r.inputs : ''; }],
    ['seconds', function (r) { return last(r.seconds).toFixed(1); }, 'late'],
    ['written', function (r) { return r.written.replace('T', ' ').replace('Z', ''); }, 'late'],
  ];

  function table() {
    var focused = document.activeElement && document.activeElement.dataset.run;
    var all = runs(), body = html('tbody', {}), head = html('tr', {}, html('th', { scope: 'col' }, 'run'));
    var used = columns.filter(function (c) { return all.some(function (r) { return c[1](r) !== ''; }); });
    used.forEach(function (c) { head.append(html('th', { scope: 'col', 'class': c[2] || '' }, c[0])); });
    all.forEach(function (r) {
      var input = html('input', { type: 'checkbox', 'data-run': r.name });
      input.checked = r.shown;
      input.addEventListener('change', function () { chosen.set(r.name, input.checked); draw(); });
      var row = html('tr', {}, html('th', { scope: 'row' }, html('label', {}, input, sample(r), html('span', {}, r.number + ' ' + r.name))));
      used.forEach(function (c) { row.append(html('td', { 'class': c[2] || '' }, c[1](r))); });
      body.append(row);
    });
    var t = document.getElementById('runs');
    t.replaceChildren();
    if (all.length > 0) t.append(html('caption', { hidden: '' }, 'Runs and their last epochs'), html('thead', {}, head), body);
    t.querySelectorAll('input').forEach(function (input) { if (input.dataset.run === focused) input.focus(); });
    document.getElementById('several').hidden = all.length < 2;
  }

  function problems() {
    var list = document.querySelector('#problems ul');
    list.replaceChildren();
    logs.forEach(function (l) {
      function say(text) { list.append(html('li', {}, l.path + ': ' + text)); }
      if (l.trouble) say(l.trouble);
      (l.problems || []).forEach(function (p) { say('line ' + p.line + ': ' + p.text); });
      if (l.more) say('and ' + l.more + ' more lines');
    });
    (view.notes || []).forEach(function (n) { list.append(html('li', {}, n)); });
    document.getElementById('problems').hidden = list.children.length === 0;
  }

  function status() {
    var n = runs().length, e = document.getElementById('status');
    var text = n + (n === 1 ? ' run in ' : ' runs in ') + logs.size + (logs.size === 1 ? ' log' : ' logs');
    if (view.live) text += lost ? '; ialgn watch does not answer any more, and this is what it read last' : '; goes on as they grow';
    e.textContent = text + '.';
    e.className = lost ? 'lost' : '';
  }

  var figures = charts.map(function (c) { return new Chart(c); });
  figures.forEach(function (f) { document.getElementById('charts').append(f.hold); });
  function draw() {
    table();
    figures.forEach(function (f) { f.draw(); });
    problems();
    status();
  }
  function choose(all) {
    runs().forEach(function (r) { chosen.set(r.name, all); });
    draw();
  }
  document.getElementById('all').addEventListener('click', function () { choose(true); });
  document.getElementById('none').addEventListener('click', function () { choose(false); });

  document.getElementById('from').addEventListener('input', function (ev) {
    from = Math.max(1, Math.floor(Number(ev.target.value)) || 1);
    figures.forEach(function (f) { f.draw(); });
  });

  // poll asks for what has changed since the last answer, again and again.
  function poll() {
    var again = function () { setTimeout(poll, 1000); };
    fetch('data?session=' + view.session + '&version=' + view.version, { cache: 'no-store' }).then(function (r) {
      if (!r.ok) throw new Error(r.statusText);
      return r.json();
    }).then(function (s) {
      var changed = lost || s.version !== view.version || s.session !== view.session;
      lost = false;
      if (changed) { view.notes = s.notes; take(s); draw(); }
      again();
    }).catch(function () {
      if (!lost) { lost = true; status(); }
      again();
    });
  }

  take(view);
  draw();
  var wide = document.documentElement.clientWidth;
  window.addEventListener('resize', function () {
    if (document.documentElement.clientWidth !== wide) { wide = document.documentElement.clientWidth; draw(); }
  });
  if (view.live) poll();
})();
