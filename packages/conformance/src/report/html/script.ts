/**
 * The script of the filters. The page's policy allows only this text, so it contains no data of the report; it reads
 * them from the elements. The state of the filters is in the URL's hash, so that a view can be linked to.
 */
export const FILTER_SCRIPT: string = `
"use strict";
const byId = (id) => document.getElementById(id);
const fields = { q: byId("filter-q"), verdict: byId("filter-verdict"), level: byId("filter-level"), section: byId("filter-section") };
const attention = byId("filter-attention");
const lower = (element) => (element ? element.textContent.toLowerCase() : "");
const cases = Array.from(document.querySelectorAll(".case"), (element) => {
  const requirement = element.closest(".requirement");
  const { id, verdict, level, sections } = element.dataset;
  // The command that repeats a case would match nearly every word.
  const text = lower(element).replace(lower(element.querySelector(".again")), "");
  return {
    element, id, verdict, level, sections: sections.split(" "), attention: "attention" in element.dataset,
    text: text + " " + (requirement ? lower(requirement.querySelector("summary")) : ""),
  };
});
const hasAttention = cases.some((item) => item.attention);
const references = Array.from(document.querySelectorAll(".see"));
const requirements = Array.from(document.querySelectorAll(".requirement"), (element) => ({ element, open: element.open }));
// On a phone the sections come before the cases: those without a shown case would only push these down.
const links = Array.from(document.querySelectorAll(".contents a"));
const parts = Array.from(document.querySelectorAll(".part")).filter((part) => part.querySelector(".case, .see"));

function isWanted(item) {
  const { q, verdict, level, section } = fields;
  const words = q.value.toLowerCase().split(/\\s+/).filter(Boolean);
  return (
    (verdict.value === "" || verdict.value === item.verdict) &&
    (level.value === "" || level.value === item.level) &&
    (section.value === "" || item.sections.includes(section.value)) &&
    (!attention.checked || item.attention) &&
    words.every((word) => item.text.includes(word))
  );
}

function isFiltering() {
  return attention.checked || Object.values(fields).some((field) => field.value.trim() !== "");
}

function apply() {
  const shown = new Set();
  for (const item of cases) {
    const wanted = isWanted(item);
    item.element.hidden = !wanted;
    if (wanted) shown.add(item.id);
  }
  for (const reference of references) reference.hidden = !shown.has(reference.dataset.case);
  const visible = (element) => element.querySelector(".case:not([hidden]), .see:not([hidden])") !== null;
  const filtering = isFiltering();
  for (const { element, open } of requirements) {
    element.hidden = !visible(element);
    element.open = filtering ? !element.hidden : open;
  }
  for (const part of parts) part.hidden = !visible(part);
  for (const link of links) link.parentElement.hidden = byId(link.hash.slice(1)).closest(".part[hidden]") !== null;
  byId("count").textContent = filtering ? "Showing " + shown.size + " of " + cases.length + " cases" : cases.length + " cases";
  byId("nothing").hidden = shown.size > 0 || cases.length === 0;
  byId("reset").hidden = !filtering;
}

function writeHash() {
  const state = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) if (field.value.trim() !== "") state.set(name, field.value.trim());
  if (attention.checked) state.set("attention", "1");
  // Without any state the page opens on the cases that need attention.
  else if (state.size === 0 && hasAttention) state.set("attention", "0");
  const hash = state.toString();
  history.replaceState(null, "", hash === "" ? location.pathname + location.search : "#" + hash);
}

function readHash() {
  const hash = location.hash.slice(1);
  if (!hash.includes("=")) return false;
  const state = new URLSearchParams(hash);
  for (const [name, field] of Object.entries(fields)) {
    const value = state.get(name) || "";
    field.value = value;
    // A select keeps no value that it does not offer; then nothing is chosen.
    if (field.value !== value) field.value = "";
  }
  attention.checked = state.get("attention") === "1";
  apply();
  return true;
}

// Browsers limit how often a page may change its address, and some people type fast.
let waiting;
// True while the page shows only cases that need attention because it opened so: any filter of the reader replaces that.
let opened = false;
function changed(event) {
  if (opened && event.target !== attention) attention.checked = false;
  opened = false;
  apply();
  clearTimeout(waiting);
  waiting = setTimeout(writeHash, 200);
}

function showAll() {
  clearTimeout(waiting);
  for (const field of Object.values(fields)) field.value = "";
  attention.checked = false;
  apply();
}
`;

/** The script for links within the page, the copying of commands, expanding all cases, and the colour scheme. */
export const PAGE_SCRIPT: string = `
function follow() {
  if (readHash()) return;
  let id = "";
  try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
  const target = id === "" ? null : byId(id);
  if (target === null) return;
  // Where a link leads must be visible, whatever is filtered, and open.
  if (target.closest("[hidden]")) showAll();
  for (let element = target; element; element = element.parentElement) if (element.tagName === "DETAILS") element.open = true;
  target.scrollIntoView();
}

async function copy(button) {
  const code = button.parentElement.querySelector("code");
  const selection = getSelection();
  selection.selectAllChildren(code);
  let done = false;
  try {
    await navigator.clipboard.writeText(code.textContent);
    done = true;
  } catch {
    // A page from the disk may have no clipboard: the old way needs only the selection.
    done = document.execCommand("copy");
  }
  if (done) selection.removeAllRanges();
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function showTheme(button) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  button.textContent = now === "dark" ? "Light" : "Dark";
  button.setAttribute("aria-label", "Switch to " + (now === "dark" ? "light" : "dark") + " colours");
  return now;
}

const theme = byId("theme");
theme.hidden = false;
theme.addEventListener("click", () => {
  document.documentElement.dataset.theme = showTheme(theme) === "dark" ? "light" : "dark";
  showTheme(theme);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showTheme(theme));
showTheme(theme);

byId("filters").hidden = false;
byId("filters").addEventListener("input", changed);
byId("reset").addEventListener("click", () => { showAll(); writeHash(); fields.q.focus(); });
byId("fold").addEventListener("click", (event) => {
  const open = event.target.textContent === "Open all";
  for (const details of document.querySelectorAll("details")) details.open = open;
  event.target.textContent = open ? "Close all" : "Open all";
});
for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(button));
}
addEventListener("hashchange", follow);
if (location.hash === "" && hasAttention) {
  attention.checked = true;
  opened = true;
  apply();
}
follow();
`;
