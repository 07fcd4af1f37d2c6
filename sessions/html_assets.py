"""The look and the behaviour of an exported page. Nothing is loaded from anywhere."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --bg: #ffffff; --fg: #1f2328; --dim: #656d76; --line: #d8dee4; --soft: #f6f8fa;
  --user: #ddf4ff; --accent: #0969da; --add: #dafbe1; --del: #ffebe9; --error: #cf222e; }
:root.dark { color-scheme: dark; --bg: #0d1117; --fg: #e6edf3; --dim: #8d96a0; --line: #30363d; --soft: #161b22;
  --user: #132339; --accent: #58a6ff; --add: #12351f; --del: #451a1d; --error: #ff7b72; }
@media (prefers-color-scheme: dark) { :root:not(.light) { --bg: #0d1117; --fg: #e6edf3; --dim: #8d96a0; --line: #30363d;
  --soft: #161b22; --user: #132339; --accent: #58a6ff; --add: #12351f; --del: #451a1d; --error: #ff7b72; } }
* { box-sizing: border-box; }
body { margin: 0; display: flex; height: 100vh; background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; }
nav { width: 20rem; flex: none; overflow: auto; border-right: 1px solid var(--line); background: var(--soft); padding: .75rem; }
nav .tools { position: sticky; top: -.75rem; background: var(--soft); padding: .75rem 0 .5rem; margin-top: -.75rem; }
nav input { width: 100%; padding: .35rem .5rem; border: 1px solid var(--line); border-radius: 6px; background: var(--bg);
  color: var(--fg); font: inherit; }
nav button { margin-top: .4rem; font: inherit; font-size: 13px; cursor: pointer; }
nav a { display: block; color: var(--fg); text-decoration: none; font-size: 13px; line-height: 1.7; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; border-radius: 4px; padding: 0 .3rem; }
nav a.quiet { display: none; }
nav a.off { color: var(--dim); }
nav a.current { background: var(--user); }
nav a .label { color: var(--accent); font-weight: 600; }
main { flex: 1; overflow: auto; padding: 1.5rem max(1.5rem, calc(50% - 30rem)); }
header { border-bottom: 1px solid var(--line); margin-bottom: 1rem; padding-bottom: .75rem; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
header p, .meta { color: var(--dim); font-size: 13px; margin: .1rem 0; overflow-wrap: anywhere; }
article { margin: 0 0 1rem; overflow-wrap: anywhere; }
article.user { background: var(--user); border-radius: 8px; padding: .5rem .9rem; }
article.user .text, .plain { white-space: pre-wrap; }
article.note { color: var(--dim); font-size: 13px; }
article:target { outline: 2px solid var(--accent); outline-offset: 4px; }
details { border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { cursor: pointer; padding: .35rem .75rem; background: var(--soft); border-radius: 8px; font-size: 13px; }
summary .error, .failed { color: var(--error); }
details > .meta { padding: .3rem .75rem 0; }
pre { margin: 0; padding: .6rem .75rem; overflow: auto; font: 13px/1.45 ui-monospace, monospace; white-space: pre; tab-size: 4; }
.markdown pre { background: var(--soft); border-radius: 8px; margin: .5rem 0; }
code { font: 13px ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 4px; }
pre code { padding: 0; background: none; }
pre .add, pre .del, pre .hunk { display: block; }
pre .add { background: var(--add); } pre .del { background: var(--del); } pre .hunk { color: var(--dim); }
.thinking { color: var(--dim); white-space: pre-wrap; font-style: italic; padding: .5rem .75rem; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left; }
img { max-width: 100%; } svg.usage { width: 100%; height: 90px; } svg .tokens { fill: var(--accent); } svg .cost { fill: var(--error); }
[hidden] { display: none !important; }
@media (max-width: 50rem) { body { display: block; height: auto; } nav { width: auto; max-height: 40vh; } }
@media print { nav { display: none; } body { display: block; height: auto; } }
"""

SCRIPT = """
"use strict";
const cells = [...document.querySelectorAll("main article")];
const links = new Map([...document.querySelectorAll("nav a")].map(a => [a.dataset.id, a]));
const byId = new Map(cells.map(c => [c.id, c]));
const parents = new Map([...links].map(([id, a]) => [id, a.dataset.parent]));
const lastChild = new Map();
for (const [id, parent] of parents) if (parent) lastChild.set(parent, id);

function pathThrough(id) {
  const path = new Set();
  for (let at = id; at && !path.has(at); at = parents.get(at)) path.add(at);
  for (let at = lastChild.get(id); at && !path.has(at); at = lastChild.get(at)) path.add(at);
  return path;
}

function show(id) {
  const path = pathThrough(id);
  for (const cell of cells) cell.hidden = !path.has(cell.id);
  for (const [other, a] of links) {
    a.classList.toggle("off", !path.has(other));
    a.classList.toggle("current", other === id);
  }
}

document.querySelector("nav").addEventListener("click", event => {
  const a = event.target.closest("a");
  if (!a) return;
  if (a.classList.contains("off") || !byId.has(a.dataset.id)) show(a.dataset.id);
  for (const other of links.values()) other.classList.toggle("current", other === a);
});

const search = document.getElementById("search");
const count = document.getElementById("count");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  let found = 0;
  for (const [id, a] of links) {
    const cell = byId.get(id);
    const text = (a.textContent + " " + (cell ? cell.textContent : "")).toLowerCase();
    a.hidden = !words.every(word => text.includes(word));
    if (!a.hidden) found++;
  }
  count.textContent = words.length ? found + " found" : "";
});

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement.classList;
  const isDark = root.contains("dark") || (!root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.toggle("dark", !isDark);
  root.toggle("light", isDark);
});

document.getElementById("fold").addEventListener("click", () => {
  const all = [...document.querySelectorAll("main details")];
  const open = all.some(d => !d.open);
  for (const d of all) d.open = open;
});
"""
