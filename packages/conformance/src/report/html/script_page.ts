/** What goes on around the filters: links into the page, copying a command, opening everything, light and dark. */
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
follow();
`;
