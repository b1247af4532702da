/**
 * Script of the page: the button for the colours, and the links to sections. It is embedded as text, so it uses nothing
 * outside of this function. The charts listen to the event `themechange`.
 */
export function startPage(): void {
  const root = document.documentElement;
  const button = document.querySelector<HTMLButtonElement>("#theme")!;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function current(): string {
    return root.dataset["theme"] ?? (dark.matches ? "dark" : "light");
  }

  function show(): void {
    const other = current() === "dark" ? "light" : "dark";
    button.textContent = other === "light" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    dispatchEvent(new Event("themechange"));
  }

  /** Opens the section that the address names, and moves to it. */
  function follow(): void {
    const target = location.hash.length < 2 ? null : document.getElementById(location.hash.slice(1));
    if (target === null) return;
    const details = target.querySelector(":scope > details");
    if (details instanceof HTMLDetailsElement) details.open = true;
    target.scrollIntoView();
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    root.dataset["theme"] = current() === "dark" ? "light" : "dark";
    show();
  });
  dark.addEventListener("change", show);
  show();

  // A closed section would be missing on paper, and dark charts would be unreadable there.
  let open: HTMLDetailsElement[] = [];
  let theme: string | undefined;
  addEventListener("beforeprint", () => {
    open = Array.from(document.querySelectorAll<HTMLDetailsElement>("details.source:not([open])"));
    for (const details of open) details.open = true;
    theme = root.dataset["theme"];
    root.dataset["theme"] = "light";
    dispatchEvent(new Event("themechange"));
  });
  addEventListener("afterprint", () => {
    for (const details of open) details.open = false;
    if (theme === undefined) delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
    dispatchEvent(new Event("themechange"));
  });
  addEventListener("hashchange", follow);
  follow();
}
