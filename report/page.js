"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const kinds = data.kinds, spent = data.spent;
const kIssue = 8, kTransfer = 9;
const labelWidth = 132, valueWidth = 74, axisHeight = 22;
const waitColour = {
  port: "--w-port", matrix: "--w-matrix", "matrix pipe": "--w-matrix", vmcnt: "--w-memory", memory_path: "--w-memory",
  lgkmcnt: "--w-lds", lds_path: "--w-lds", barrier: "--w-barrier",
};
const waitOf = reason => waitColour[spent[reason].replace(/ /g, "_")] || waitColour[spent[reason]] || "--w-other";

// A row of spans in order of their begin: where they are drawn, hit, summed up and stepped through.
function makeRow(label, height) { return { label, height, spans: [], longest: 0 }; }
function add(row, span) { row.spans.push(span); }
function finish(row) {
  row.spans.sort((a, b) => a.b - b.b || a.e - b.e);
  for (const s of row.spans) row.longest = Math.max(row.longest, s.e - s.b);
}
// Number of the first span that may reach to time t.
function firstNear(row, t) {
  let low = 0, high = row.spans.length;
  const from = t - row.longest;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (row.spans[mid].b < from) low = mid + 1; else high = mid;
  }
  return low;
}

function prepare(run) {
  run.pipes = []; run.ports = []; run.waveRows = [];
  for (let s = 0; s < run.simds; s++) {
    run.pipes.push(makeRow("matrix pipe", 24));
    run.ports.push(makeRow("vector port", 24));
  }
  const seen = new Map();  // waves of a SIMD, in order
  run.wave_simd.forEach((simd, w) => {
    const before = seen.get(simd) || 0;
    seen.set(simd, before + 1);
    const row = makeRow("wave " + w, 26);
    const rows = run.waves[w];
    let able = 0;
    for (let i = 0; i < rows.length; i += kIssue) {
      const place = rows[i];
      able = rows[i + 1];
      const waited = rows[i + 2], reason = rows[i + 3], port = rows[i + 4], pipe = rows[i + 5], pipeTime = rows[i + 6];
      const at = able + waited, kind = run.code[place][2];
      const info = { type: "issue", place, wave: w, able, at, reason, port, pipe: at + pipe, pipeTime };
      if (waited > 0) add(row, { b: able, e: at, wait: reason, info });
      add(row, { b: at, e: at + rows[i + 7], kind, info });
      if (port) add(run.ports[simd], { b: at, e: at + port, kind, alt: before, info });
      if (pipeTime) add(run.pipes[simd], { b: at + pipe, e: at + pipe + pipeTime, kind, alt: before, info });
    }
    run.waveRows.push(row);
  });
  run.lds = makeRow("LDS", 22);
  run.path = makeRow("memory path", 22);
  run.flight = makeRow("loads in flight", 30);
  const steps = [];
  for (let i = 0; i < run.transfers.length; i += kTransfer) {
    const [kind, wave, place, issued, wait, time, arrives, bytes, conflicts] = run.transfers.slice(i, i + kTransfer);
    const info = { type: "transfer", place, wave, issued, begin: issued + wait, end: issued + wait + time, arrives: issued + arrives, bytes, conflicts };
    const colour = kind === 2 ? 5 : kind < 2 ? 4 : 5;
    if (time > 0) add(kind <= 2 ? run.lds : run.path, { b: info.begin, e: info.end, kind: colour, info });
    if (kind >= 2) steps.push([issued, 1], [issued + arrives, -1]);
  }
  steps.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  run.steps = [];
  let now = 0, most = 1;
  for (const [t, d] of steps) {
    now += d;
    most = Math.max(most, now);
    run.steps.push([t, now]);
  }
  run.mostInFlight = most;
  for (const row of [...run.pipes, ...run.ports, ...run.waveRows, run.lds, run.path]) finish(row);
}
data.runs.forEach(prepare);

const state = { simd: 0, views: data.runs.map(r => ({ from: 0, to: r.cycles })), picked: null };
const el = id => document.getElementById(id);
const runsBox = el("runs"), tip = document.createElement("div");
tip.id = "tip";
document.body.append(tip);

function rowsOf(run) {
  if (state.simd === "all")
    return [...run.pipes.map((p, s) => ({ ...p, label: "SIMD " + s + " matrix", busy: true, row: p })),
            ...run.ports.map((p, s) => ({ ...p, label: "SIMD " + s + " port", busy: true, row: p })),
            { row: run.lds, ...run.lds, busy: true }, { row: run.path, ...run.path, busy: true }];
  const s = state.simd, rows = [{ row: run.pipes[s], ...run.pipes[s], busy: true }, { row: run.ports[s], ...run.ports[s], busy: true }];
  run.wave_simd.forEach((simd, w) => { if (simd === s) rows.push({ row: run.waveRows[w], ...run.waveRows[w], wave: w }); });
  rows.push({ row: run.lds, ...run.lds, busy: true }, { row: run.path, ...run.path, busy: true }, { row: run.flight, ...run.flight, flight: true });
  return rows;
}

const panels = data.runs.map((run, n) => {
  const section = document.createElement("section");
  const title = document.createElement("h2"), about = document.createElement("p"), canvas = document.createElement("canvas");
  const table = document.createElement("div");
  title.textContent = run.name;
  about.className = "about";
  about.textContent = run.about + ". Workgroup " + run.workgroup + ", cycles " + run.begin + " to " + (run.begin + run.cycles) + ".";
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-label", "Timeline of " + run.name + ". Arrow keys move, plus and minus zoom, n and p step through instructions.");
  table.className = "scroll";
  section.append(title, about, canvas, table);
  runsBox.append(section);
  return { run, n, canvas, table, rows: [] };
});

let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const names = ["--back", "--text", "--soft", "--line", "--row", "--focus", "--w-port", "--w-matrix", "--w-memory", "--w-lds", "--w-barrier", "--w-other"];
  for (let k = 0; k < kinds.length; k++) names.push("--k" + k);
  for (const name of names) colours[name] = style.getPropertyValue(name).trim();
}

function niceStep(range, pixels) {
  const raw = range * 90 / Math.max(pixels, 1);
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(raw, 1))));
  return Math.max(4, [1, 2, 5, 10].map(m => m * power).find(m => m >= raw) || 10 * power);
}
function busyIn(row, from, to) {
  let sum = 0, end = from;
  for (let i = firstNear(row, from); i < row.spans.length && row.spans[i].b < to; i++) {
    const s = row.spans[i], b = Math.max(s.b, end), e = Math.min(s.e, to);
    if (e > b) { sum += e - b; end = e; }
  }
  return 100 * sum / Math.max(to - from, 1);
}

function draw(panel) {
  const { canvas, run } = panel, view = state.views[panel.n];
  panel.rows = rowsOf(run);
  const height = axisHeight + panel.rows.reduce((h, r) => h + r.height + 6, 0) + 4;
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const c = canvas.getContext("2d");
  c.setTransform(scale, 0, 0, scale, 0, 0);
  c.fillStyle = colours["--back"];
  c.fillRect(0, 0, width, height);
  const left = labelWidth, right = width - valueWidth, plot = Math.max(right - left, 10);
  const x = t => left + (t - view.from) * plot / (view.to - view.from);
  panel.time = px => view.from + (px - left) * (view.to - view.from) / plot;
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  const step = niceStep(view.to - view.from, plot);
  c.fillStyle = colours["--soft"];
  c.strokeStyle = colours["--line"];
  for (let t = Math.ceil((view.from + run.begin) / step) * step; t <= view.to + run.begin; t += step) {
    const px = Math.round(x(t - run.begin)) + .5;
    c.beginPath(); c.moveTo(px, axisHeight - 4); c.lineTo(px, height); c.stroke();
    c.fillText(String(t), px + 3, 10);
  }
  let y = axisHeight;
  for (const r of panel.rows) {
    r.y = y;
    c.globalAlpha = 1;
    c.fillStyle = colours["--row"];
    c.fillRect(left, y, plot, r.height);
    c.fillStyle = colours["--text"];
    c.fillText(r.label, 6, y + r.height / 2);
    c.save();
    c.beginPath(); c.rect(left, y, plot, r.height); c.clip();
    if (r.flight) {
      c.fillStyle = colours["--k5"];
      c.globalAlpha = .55;
      for (let i = 0; i + 1 < run.steps.length; i++) {
        const [t, count] = run.steps[i], next = run.steps[i + 1][0];
        if (next < view.from || t > view.to || !count) continue;
        const h = r.height * count / run.mostInFlight;
        c.fillRect(x(t), y + r.height - h, Math.max(x(next) - x(t), .5), h);
      }
    } else {
      const row = r.row;
      for (let i = firstNear(row, view.from); i < row.spans.length && row.spans[i].b < view.to; i++) {
        const s = row.spans[i];
        if (s.e < view.from) continue;
        const a = x(s.b), w = Math.max(x(s.e) - a, .6);
        if (s.wait !== undefined) {
          c.globalAlpha = .55;
          c.fillStyle = colours[waitOf(s.wait)];
          c.fillRect(a, y + r.height * .3, w, r.height * .4);
          continue;
        }
        c.globalAlpha = s.alt ? .55 : 1;
        c.fillStyle = colours["--k" + s.kind];
        c.fillRect(a, y + 1, w > 3 ? w - .6 : w, r.height - 2);
        const from = Math.max(a, left), room = Math.min(a + w, right) - from - 8;
        if (room > 46) {
          c.globalAlpha = 1;
          c.fillStyle = s.alt ? colours["--text"] : colours["--back"];
          const text = run.code[s.info.place][1].split(" ")[0].replace(/^v_/, "");
          c.fillText(text, from + 4, y + r.height / 2, room);
        }
      }
    }
    if (r.wave !== undefined) {
      c.globalAlpha = .8;
      c.fillStyle = colours["--w-barrier"];
      for (const b of run.barriers) if (b >= view.from && b <= view.to) c.fillRect(x(b), y, 1, r.height);
    }
    const p = state.picked;
    if (p && p.run === panel.n && p.label === r.label && !r.flight) {
      c.globalAlpha = 1;
      c.strokeStyle = colours["--focus"];
      c.lineWidth = 2;
      const s = p.span, a = x(s.b);
      c.strokeRect(a, y + 1, Math.max(x(s.e) - a, 2), r.height - 2);
      c.lineWidth = 1;
      c.strokeStyle = colours["--line"];
    }
    c.restore();
    c.globalAlpha = 1;
    c.fillStyle = colours["--soft"];
    if (r.busy) c.fillText(busyIn(r.row, view.from, view.to).toFixed(1) + " %", right + 8, y + r.height / 2);
    if (r.flight) c.fillText("max " + run.mostInFlight, right + 8, y + r.height / 2);
    y += r.height + 6;
  }
  panel.left = left; panel.right = right;
}

// Where the visible time of each wave goes.
function tabulate(panel) {
  const { run } = panel, view = state.views[panel.n], used = new Set(), rows = [];
  run.wave_simd.forEach((simd, w) => {
    if (state.simd !== "all" && simd !== state.simd) return;
    const sums = {}, row = run.waveRows[w];
    for (let i = firstNear(row, view.from); i < row.spans.length && row.spans[i].b < view.to; i++) {
      const s = row.spans[i];
      const t = Math.min(s.wait === undefined ? s.b + 4 : s.e, view.to) - Math.max(s.b, view.from);
      const name = s.wait === undefined ? spent[0] : spent[s.wait];
      if (t > 0) { sums[name] = (sums[name] || 0) + t; used.add(name); }
    }
    rows.push(["wave " + w, sums]);
  });
  const names = spent.filter(n => used.has(n)), table = document.createElement("table");
  const line = (cells, tag) => {
    const tr = document.createElement("tr");
    for (const text of cells) { const td = document.createElement(tag); td.textContent = text; tr.append(td); }
    table.append(tr);
  };
  line(["percent of the shown time", ...names.map(n => n.replace(/_/g, " "))], "th");
  for (const [name, sums] of rows)
    line([name, ...names.map(n => (100 * (sums[n] || 0) / (view.to - view.from)).toFixed(1))], "td");
  panel.table.replaceChildren(table);
}

function describe(run, info) {
  const [address, text] = run.code[info.place], at = t => String(t + run.begin), box = document.createElement("div");
  const add = (what, code) => {
    const p = document.createElement(code ? "code" : "div");
    p.textContent = what;
    box.append(p);
  };
  add("0x" + address.toString(16).padStart(4, "0") + "  " + text, true);
  if (info.type === "issue") {
    const waited = info.at - info.able;
    add("wave " + info.wave + ", issued at cycle " + at(info.at) + (waited ? ", waited " + waited + " cycles from " + at(info.able) + " on, most of them for: " +
        spent[info.reason].replace(/_/g, " ") : ", without waiting"));
    if (info.port) add("vector port: " + info.port + " cycles" + (info.pipeTime ? "; matrix pipe: " + info.pipeTime + " cycles from " + at(info.pipe) + " on" : ""));
  } else {
    add("wave " + info.wave + ", issued at cycle " + at(info.issued) + ", served " + at(info.begin) + " to " + at(info.end) + ", complete at " + at(info.arrives) +
        " (" + (info.arrives - info.issued) + " cycles)");
    add(info.bytes + " bytes" + (info.conflicts ? ", " + info.conflicts + " cycles of bank conflicts" : ""));
  }
  return box;
}

let pending = false;
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    for (const p of panels) { draw(p); tabulate(p); }
    const v = state.views[0];
    el("range").textContent = "cycles " + Math.round(v.from + data.runs[0].begin) + " to " + Math.round(v.to + data.runs[0].begin) + " (" + Math.round(v.to - v.from) + ")";
    if (state.picked) el("details").replaceChildren(describe(data.runs[state.picked.run], state.picked.span.info));
    else el("details").textContent = "Point at an instruction, or focus a timeline and press n.";
  });
}
function setView(n, from, to) {
  const all = el("link").checked ? panels.map(p => p.n) : [n];
  for (const m of all) {
    const cycles = data.runs[m].cycles, span = Math.min(Math.max(to - from, 40), Math.max(...data.runs.map(r => r.cycles)));
    const low = Math.min(Math.max(from, 0), Math.max(cycles - span, 0));
    state.views[m] = { from: low, to: low + span };
  }
  redraw();
}
function zoom(n, factor, centre) {
  const v = state.views[n], at = centre === undefined ? (v.from + v.to) / 2 : centre;
  setView(n, at - (at - v.from) * factor, at + (v.to - at) * factor);
}
function hit(panel, px, py) {
  const r = panel.rows.find(q => py >= q.y && py < q.y + q.height);
  if (!r || r.flight || px < panel.left || px > panel.right) return null;
  const t = panel.time(px);
  let best = null;
  for (let i = firstNear(r.row, t); i < r.row.spans.length && r.row.spans[i].b <= t; i++)
    if (r.row.spans[i].e > t) best = { run: panel.n, label: r.label, span: r.row.spans[i], index: i };
  return best;
}
function pick(panel, r, index) {
  const span = r.row.spans[index];
  if (!span) return;
  state.picked = { run: panel.n, label: r.label, span, index };
  const v = state.views[panel.n];
  if (span.b < v.from || span.e > v.to) setView(panel.n, span.b - (v.to - v.from) / 2, span.b + (v.to - v.from) / 2);
  redraw();
}

for (const panel of panels) {
  const c = panel.canvas;
  let drag = null;
  const place = e => { const box = c.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
  c.addEventListener("wheel", e => {
    e.preventDefault();
    const [px] = place(e);
    if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
      const v = state.views[panel.n], d = e.deltaX * (v.to - v.from) / 1200;
      setView(panel.n, v.from + d, v.to + d);
    } else zoom(panel.n, Math.exp(e.deltaY / 400), panel.time(Math.max(px, panel.left)));
  }, { passive: false });
  c.addEventListener("pointerdown", e => { const [px, py] = place(e); drag = { px, py, view: { ...state.views[panel.n] }, moved: false }; c.setPointerCapture(e.pointerId); });
  c.addEventListener("pointermove", e => {
    const [px, py] = place(e);
    if (drag) {
      const v = drag.view, d = (drag.px - px) * (v.to - v.from) / (panel.right - panel.left);
      if (Math.abs(drag.px - px) > 3) drag.moved = true;
      if (drag.moved) setView(panel.n, v.from + d, v.to + d);
      return;
    }
    const found = hit(panel, px, py);
    tip.style.display = found ? "block" : "none";
    if (!found) return;
    tip.replaceChildren(describe(panel.run, found.span.info));
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - wide - 8)) + "px";
    tip.style.top = (e.clientY + 18 + high > innerHeight ? e.clientY - high - 10 : e.clientY + 18) + "px";
  });
  c.addEventListener("pointerup", e => {
    if (drag && !drag.moved) { state.picked = hit(panel, ...place(e)); redraw(); }
    drag = null;
  });
  c.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  c.addEventListener("keydown", e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const v = state.views[panel.n], d = (v.to - v.from) / 5, rows = panel.rows.filter(r => !r.flight);
    const p = state.picked && state.picked.run === panel.n ? state.picked : null;
    const at = p ? rows.findIndex(r => r.label === p.label) : -1;
    const near = r => { const t = p ? p.span.b : v.from; let i = firstNear(r.row, t); while (i + 1 < r.row.spans.length && r.row.spans[i].b < t) i++; return i; };
    switch (e.key) {
      case "ArrowLeft": setView(panel.n, v.from - d, v.to - d); break;
      case "ArrowRight": setView(panel.n, v.from + d, v.to + d); break;
      case "ArrowUp": { const r = rows[Math.max(at - 1, 0)]; pick(panel, r, near(r)); break; }
      case "ArrowDown": { const r = rows[Math.min(at + 1, rows.length - 1)]; pick(panel, r, near(r)); break; }
      case "n": if (p && at >= 0) pick(panel, rows[at], p.index + 1); else pick(panel, rows[0], near(rows[0])); break;
      case "p": if (p && at >= 0) pick(panel, rows[at], p.index - 1); break;
      case "Escape": state.picked = null; redraw(); break;
      case "+": case "=": zoom(panel.n, 1 / 1.6, p ? p.span.b : undefined); break;
      case "-": zoom(panel.n, 1.6, p ? p.span.b : undefined); break;
      case "0": setView(panel.n, 0, panel.run.cycles); break;
      default: return;
    }
    e.preventDefault();
  });
}
const focused = () => { const n = panels.findIndex(p => p.canvas === document.activeElement); return n < 0 ? 0 : n; };
el("in").onclick = () => zoom(focused(), 1 / 1.6);
el("out").onclick = () => zoom(focused(), 1.6);
el("fit").onclick = () => setView(0, 0, Math.max(...data.runs.map(r => r.cycles)));
function toggleTheme() {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  readColours();
  legend();
  redraw();
}
el("theme").onclick = toggleTheme;
document.addEventListener("keydown", e => { if (e.key === "t" && !/INPUT|SELECT/.test(document.activeElement.tagName)) toggleTheme(); });
const simds = el("simd");
for (let s = 0; s < data.runs[0].simds; s++) simds.add(new Option(String(s), String(s)));
simds.add(new Option("all, pipes only", "all"));
simds.onchange = () => { state.simd = simds.value === "all" ? "all" : Number(simds.value); state.picked = null; redraw(); };
if (data.runs.length < 2) el("link_label").hidden = true;

function legend() {
  const items = kinds.map((name, k) => [name, "--k" + k, ""]);
  for (const [name, colour] of [["waits: port", "--w-port"], ["matrix pipe", "--w-matrix"], ["memory", "--w-memory"], ["LDS", "--w-lds"], ["barrier", "--w-barrier"], ["other", "--w-other"]])
    items.push([name, colour, "wait"]);
  el("legend").replaceChildren(...items.map(([name, colour, type]) => {
    const li = document.createElement("li"), i = document.createElement("i");
    i.className = type;
    i.style.background = colours[colour];
    li.append(i, name);
    return li;
  }));
}
readColours();
legend();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); legend(); redraw(); });
addEventListener("resize", redraw);
const start = location.hash.match(/^#(\d+)-(\d+)$/);  // page.html#FROM-TO, cycles of the first run
if (start) setView(0, start[1] - data.runs[0].begin, start[2] - data.runs[0].begin);
redraw();
