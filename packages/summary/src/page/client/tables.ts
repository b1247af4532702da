import type { Create } from "./create_element.ts";

/**
 * Script of the page: lets readers sort and search the tables, and shows the first rows only. It is embedded as text,
 * so it uses nothing outside of this function except for its parameters.
 */
export function enhanceTables(create: Create): void {
  const FIRST_ROWS = 10;
  const MORE_ROWS = 200;
  const collator = new Intl.Collator("en", { numeric: true });

  interface Row {
    element: HTMLTableRowElement;
    text: string;
  }

  for (const element of document.querySelectorAll<HTMLElement>(".data-table")) enhance(element);

  function enhance(container: HTMLElement): void {
    const table = container.querySelector("table")!;
    const body = table.tBodies[0]!;
    const rows: Row[] = Array.from(body.rows, (row) => ({ element: row, text: row.textContent.toLowerCase() }));
    const heads = Array.from(table.tHead!.rows[0]!.cells);
    let sorted = rows;
    let limit = FIRST_ROWS;
    const choice = filterOf(container, rows);
    const search = searchOf(container, rows);
    const status = create("output", "status");
    const pager = create("div", "pager");
    const more = button(pager, "");
    const all = button(pager, "");
    more.addEventListener("click", () => show(limit + MORE_ROWS));
    all.addEventListener("click", () => show(Infinity));
    if (rows.length > 1) heads.forEach((head, column) => makeSortable(head, column));
    if (search || choice) {
      const tools = create("div", "tools");
      if (search) tools.append(search);
      if (choice) tools.append(labelled(container.dataset["filterLabel"]!, choice));
      tools.append(status);
      for (const [format, textOf] of [
        ["CSV", csvOf],
        ["JSON", jsonOf],
      ] as const) {
        const save = button(tools, format);
        save.title = `Save the rows that match as a ${format} file`;
        save.setAttribute("aria-label", `Save as ${format}: ${container.dataset["name"]!}`);
        save.addEventListener("click", () => download(container.dataset["name"]!, format, textOf(matching())));
      }
      container.querySelector(".scroll")!.before(tools);
    }
    container.append(pager);
    search?.addEventListener("input", () => show(FIRST_ROWS));
    choice?.addEventListener("input", () => show(FIRST_ROWS));
    addEventListener("beforeprint", () => render(500));
    addEventListener("afterprint", () => render(limit));
    show(FIRST_ROWS);

    function show(most: number): void {
      const focused = document.activeElement === more || document.activeElement === all;
      limit = most;
      render(most);
      // A button that disappears would lose the focus to the page.
      if (focused && pager.hidden) container.querySelector<HTMLElement>(".scroll")!.focus();
    }

    function matching(): Row[] {
      const words = (search?.value ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const wanted = choice?.value ?? "";
      return sorted.filter(
        ({ element, text }) =>
          (wanted === "" || element.dataset["filter"] === wanted) && words.every((word) => text.includes(word)),
      );
    }

    function render(most: number): void {
      const found = matching();
      const visible = found.slice(0, most);
      body.replaceChildren(...visible.map(({ element }) => element));
      const count = (value: number): string => value.toLocaleString("en-US");
      const others = found.length < rows.length ? ` (${count(rows.length)} without the search)` : "";
      status.textContent =
        found.length === 0 ? "No row matches" : `${count(visible.length)} of ${count(found.length)} rows${others}`;
      pager.hidden = visible.length === found.length;
      more.hidden = found.length - visible.length <= MORE_ROWS;
      more.textContent = `Show ${count(MORE_ROWS)} more`;
      all.textContent = `Show all ${count(found.length)} rows`;
    }

    function csvOf(found: readonly Row[]): string {
      const lines = [heads, ...found.map(({ element }) => Array.from(element.cells))].map((cells) =>
        cells.map((cell) => csvCell(cell.textContent.trim())).join(","),
      );
      return `${lines.join("\r\n")}\r\n`;
    }

    /** An object for each row: numbers where a column has numbers, null for missing ones, and otherwise the text. */
    function jsonOf(found: readonly Row[]): string {
      // A key of the metadata may have the name of another column.
      const titles = heads
        .map((head) => head.textContent.trim())
        .map((name, column, names) => (names.indexOf(name) === column ? name : `${name} (${column + 1})`));
      const valueOf = (cell: HTMLTableCellElement, column: number): string | number | null => {
        if (!isNumber(column)) return cell.textContent.trim();
        const value = numberOf(cell);
        return Number.isNaN(value) ? null : value;
      };
      const objects = found.map(({ element }) =>
        Object.fromEntries(Array.from(element.cells, (cell, column) => [titles[column]!, valueOf(cell, column)])),
      );
      return `${JSON.stringify(objects, null, 2)}\n`;
    }

    function download(name: string, format: "CSV" | "JSON", text: string): void {
      const extension = format.toLowerCase();
      const link = create("a");
      link.href = URL.createObjectURL(new Blob([text], { type: format === "CSV" ? "text/csv" : "application/json" }));
      link.download = `${name.replace(/[^\p{L}\p{N}.]+/gu, "_")}.${extension}`;
      link.click();
      URL.revokeObjectURL(link.href);
    }

    /** Sorted by their values, first from high to low. */
    function isNumber(column: number): boolean {
      return table.classList.contains(`n${column + 1}`);
    }

    function makeSortable(head: HTMLTableCellElement, column: number): void {
      const press = create("button", "sort");
      press.type = "button";
      press.append(...head.childNodes);
      head.append(press);
      head.setAttribute("aria-sort", "none");
      press.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const ascending = before === "none" ? !isNumber(column) : before === "descending";
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
        sorted = inOrder(rows, column, isNumber(column), ascending);
        show(Math.max(limit, FIRST_ROWS));
      });
    }
  }

  /** A cell as in RFC 4180. Spreadsheets would run text that begins like a formula. */
  function csvCell(text: string): string {
    const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  }

  function inOrder(rows: Row[], column: number, byNumber: boolean, ascending: boolean): Row[] {
    const direction = ascending ? 1 : -1;
    if (!byNumber) {
      const texts = new Map(rows.map((row) => [row, row.element.cells[column]!.textContent.trim()]));
      return rows.toSorted((one, other) => direction * collator.compare(texts.get(one)!, texts.get(other)!));
    }
    const values = new Map(rows.map((row) => [row, numberOf(row.element.cells[column]!)]));
    return rows.toSorted((one, other) => {
      const [a, b] = [values.get(one)!, values.get(other)!];
      // Rows without a value are last in both directions.
      if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
      return direction * (a - b);
    });
  }

  function numberOf(cell: HTMLTableCellElement): number {
    return Number.parseFloat(cell.dataset["order"] ?? cell.textContent.replace(/[,<>\s]/g, ""));
  }

  function searchOf(container: HTMLElement, rows: Row[]): HTMLInputElement | undefined {
    if (rows.length < 6) return undefined;
    const input = create("input");
    input.type = "search";
    input.autocomplete = "off";
    input.spellcheck = false;
    input.placeholder = "Search";
    input.setAttribute("aria-label", `Search in ${container.dataset["name"]!}`);
    return input;
  }

  function filterOf(container: HTMLElement, rows: Row[]): HTMLSelectElement | undefined {
    if (container.dataset["filterLabel"] === undefined) return undefined;
    const values = new Set(rows.map(({ element }) => element.dataset["filter"] ?? ""));
    if (values.size < 2) return undefined;
    const select = create("select");
    select.append(new Option("all", ""), ...[...values].map((value) => new Option(value, value)));
    return select;
  }

  function labelled(text: string, control: HTMLElement): HTMLElement {
    const label = create("label");
    const words = create("span");
    words.textContent = text;
    label.append(words, control);
    return label;
  }

  function button(parent: HTMLElement, text: string): HTMLButtonElement {
    const made = create("button");
    made.type = "button";
    made.textContent = text;
    parent.append(made);
    return made;
  }
}
