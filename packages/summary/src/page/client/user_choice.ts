import type { ChartData, ChartSeries, Shared } from "./chart_group.ts";
import type { ChartTexts } from "./chart_texts.ts";
import type { Create } from "./create_element.ts";

/**
 * The list from which users of the page choose series, and the table of the chosen series. It is embedded as text, so it
 * uses nothing outside of this function except for its parameters.
 */
export function userChoice(create: Create, { periodName, formatted }: ChartTexts): UserChoice {
  return { chooser, valuesTable };

  /** The list from which users choose series, with a search. */
  function chooser(data: ChartData, first: ChartSeries[], choose: (chosen: ChartSeries[]) => void): HTMLElement {
    const MOST = 200;
    const chosen = new Set(first);
    const box = create("div", "chooser");
    const search = create("input");
    search.type = "search";
    search.placeholder = `Search ${data.series.length} users`;
    search.setAttribute("aria-label", "Search the users of the chart");
    search.autocomplete = "off";
    search.spellcheck = false;
    const list = create("ul");
    list.tabIndex = 0;
    list.setAttribute("aria-label", "Users of the chart");
    const buttons = create("div", "buttons");
    const last = ({ values }: ChartSeries): number => values.at(-1) ?? 0;
    const sets: [string, () => ChartSeries[]][] = [
      ["Lowest trust", () => data.series.toSorted((one, other) => last(one) - last(other)).slice(0, 5)],
      ["Highest trust", () => data.series.toSorted((one, other) => last(other) - last(one)).slice(0, 5)],
      ["Most operations", () => data.series.slice(0, 5)],
      ["None", () => []],
    ];
    for (const [name, make] of sets) {
      const press = create("button");
      press.type = "button";
      press.textContent = name;
      press.addEventListener("click", () => {
        chosen.clear();
        for (const series of make()) chosen.add(series);
        fill();
        choose([...chosen]);
      });
      buttons.append(press);
    }
    search.addEventListener("input", fill);
    if (data.series.length > 8) box.append(search);
    if (data.series.length > 5) box.append(buttons);
    box.append(list);
    fill();
    return box;

    function fill(): void {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const found = data.series.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
      // Chosen users are listed first, so that they can be removed.
      const ordered = [...found.filter((one) => chosen.has(one)), ...found.filter((one) => !chosen.has(one))];
      list.replaceChildren(
        ...ordered.slice(0, MOST).map((series) => {
          const item = create("li");
          const label = create("label");
          const check = create("input");
          check.type = "checkbox";
          check.checked = chosen.has(series);
          check.addEventListener("input", () => {
            if (check.checked) chosen.add(series);
            else chosen.delete(series);
            choose([...chosen]);
          });
          const name = create("span", "name");
          name.textContent = series.name;
          const detail = create("span", "quiet");
          detail.textContent = series.detail ?? "";
          label.append(check, name, detail);
          item.append(label);
          return item;
        }),
      );
      if (found.length === 0) list.textContent = "No user matches.";
    }
  }

  /** A table of the chosen series that is filled while it is open, the newest period first. */
  function valuesTable(shared: Shared): {
    element: HTMLElement;
    fill: (shown: ChartSeries[], data: ChartData) => void;
  } {
    const element = create("details", "values");
    const heading = create("summary");
    heading.textContent = "Values of the chosen users as a table";
    const scroll = create("div", "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Values of the chosen users");
    element.append(heading, scroll);
    let last: [ChartSeries[], ChartData] | undefined;
    element.addEventListener("toggle", () => last && fill(...last));
    return { element, fill };

    function fill(shown: ChartSeries[], data: ChartData): void {
      last = [shown, data];
      if (!element.open) return;
      const table = create("table", "data");
      const head = table.createTHead().insertRow();
      const body = table.createTBody();
      const add = (row: HTMLTableRowElement, scope: string, text: string): void => {
        const cell = create("th");
        cell.scope = scope;
        cell.textContent = text;
        row.append(cell);
      };
      for (const name of ["Period", ...shown.map((series) => series.name)]) add(head, "col", name);
      shared.group.x.forEach((start, index) => {
        const row = body.insertRow(0);
        add(row, "row", periodName(start, shared));
        for (const { values } of shown) row.insertCell().textContent = formatted(values[index] ?? null, data.format);
      });
      scroll.replaceChildren(table);
    }
  }
}

export interface UserChoice {
  /** The list with a search; `choose` receives the chosen series. */
  chooser: (data: ChartData, first: ChartSeries[], choose: (chosen: ChartSeries[]) => void) => HTMLElement;
  valuesTable: (shared: Shared) => { element: HTMLElement; fill: (shown: ChartSeries[], data: ChartData) => void };
}
