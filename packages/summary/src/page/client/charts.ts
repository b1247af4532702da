import type { Chart, ChartData, ChartGroup, ChartSeries, SeriesStyle, Shared } from "./chart_group.ts";
import type { ChartTexts } from "./chart_texts.ts";
import type { Create } from "./create_element.ts";
import type { Plotter } from "./plot.ts";
import type { rangeChoice as RangeChoice } from "./range_choice.ts";
import type { UserChoice } from "./user_choice.ts";

/** The other parts of the script. */
interface Parts {
  create: Create;
  texts: ChartTexts;
  plots: Plotter;
  users: UserChoice;
  rangeChoice: typeof RangeChoice;
}

/**
 * Makes the charts of the page. Charts of a group share the pointer and the range of time. It is embedded as text, so it
 * uses nothing outside of this function except for its parameters.
 */
export function drawCharts({ create, texts, plots, users, rangeChoice }: Parts): void {
  const LINE_COLOURS = ["c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7", "c-8"];
  const DASHES = [[], [7, 4], [2, 3]];
  /** Largest numbers of periods that are labelled themselves; charts of more periods have labels of the calendar. */
  const SPARSE = { hour: 7, day: 7, week: 14, month: 7 };
  const STEPS = { hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 };

  document.querySelectorAll(".charts").forEach((container, index) => {
    const data = container.querySelector(".chart-data");
    if (data === null) return;
    const group = JSON.parse(data.textContent) as ChartGroup;
    const shared: Shared = {
      group,
      key: `group-${index}`,
      step: STEPS[group.bucket],
      isSparse: group.x.length <= SPARSE[group.bucket],
      range: undefined,
      at: group.x.length - 1,
      charts: [],
    };
    for (const chart of group.charts) shared.charts.push(addChart(container, chart, shared));
    const choice = rangeChoice(shared, create, plots.padded);
    if (choice) container.prepend(choice);
    addEventListener("themechange", () => {
      for (const chart of shared.charts) chart.draw();
    });
  });

  function addChart(container: Element, data: ChartData, shared: Shared): Chart {
    const figure = create("figure", data.chosen ? "chart chosen" : "chart");
    const caption = create("figcaption");
    const title = create("span", "title");
    title.textContent = data.title;
    const when = create("span", "when");
    const legend = create("ul", "legend");
    caption.append(title, when, legend);
    const area = create("div", "plot");
    area.tabIndex = 0;
    area.setAttribute("role", "slider");
    area.setAttribute("aria-label", `${data.title}, ${perPeriod(shared)}`);
    area.setAttribute("aria-valuemin", "1");
    area.setAttribute("aria-valuemax", String(shared.group.x.length));
    figure.append(caption, area);
    container.append(figure);

    let shown = data.chosen ? data.series.slice(0, data.shown) : data.series;
    const slots = new Map<ChartSeries, number>();
    const styleOf = (series: ChartSeries): SeriesStyle => {
      if (!data.chosen) return { name: series.colour, dash: [] };
      const slot = slots.get(series) ?? 0;
      const dash = DASHES[Math.floor(slot / LINE_COLOURS.length) % DASHES.length]!;
      return { name: LINE_COLOURS[slot % LINE_COLOURS.length]!, dash };
    };
    const chart: Chart = { plot: undefined, draw, move: showValues };
    const values = data.chosen ? users.valuesTable(shared) : undefined;
    if (values) figure.append(users.chooser(data, shown, choose), values.element);
    choose(shown);
    new ResizeObserver(() => {
      const width = area.clientWidth;
      if (width === 0) return;
      if (chart.plot === undefined) draw();
      else if (chart.plot.width !== width) chart.plot.setSize({ width, height: chart.plot.height });
    }).observe(area);
    area.addEventListener("keydown", (event) => {
      const last = shared.group.x.length - 1;
      const page = Math.max(1, Math.round(last / 20));
      const steps: Record<string, number> = {
        ArrowLeft: -1,
        ArrowDown: -1,
        ArrowRight: 1,
        ArrowUp: 1,
        PageDown: -page,
        PageUp: page,
        Home: -Infinity,
        End: Infinity,
      };
      const step = Object.hasOwn(steps, event.key) ? steps[event.key]! : 0;
      if (step === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      shared.at = Math.min(last, Math.max(0, shared.at + step));
      for (const other of shared.charts) other.move(shared.at, true);
    });
    area.addEventListener("blur", () => {
      for (const other of shared.charts) other.plot?.setCursor({ left: -10, top: -10 }, false);
    });
    return chart;

    function choose(chosen: ChartSeries[]): void {
      for (const series of slots.keys()) if (!chosen.includes(series)) slots.delete(series);
      for (const series of chosen) {
        if (slots.has(series)) continue;
        const used = new Set(slots.values());
        let free = 0;
        while (used.has(free)) free += 1;
        slots.set(series, free);
      }
      shown = chosen;
      legend.replaceChildren(
        ...shown.map((series) => {
          const item = create("li");
          const value = create("b");
          item.append(keyOf(styleOf(series), data.kind), `${series.name} `, value);
          return item;
        }),
      );
      values?.fill(shown, data);
      draw();
    }

    function draw(): void {
      chart.plot?.destroy();
      chart.plot = undefined;
      if (area.clientWidth > 0) chart.plot = plots.plotOf(data, shown, styleOf, area, shared);
      showValues(shared.at, false);
    }

    /** Shows the values of a period in the legend, and marks the period in the chart. */
    function showValues(index: number, marked: boolean): void {
      const x = shared.group.x[index];
      if (x === undefined) return;
      when.textContent = texts.periodName(x, shared);
      const shownValues = shown.map((series) => texts.formatted(series.values[index] ?? null, data.format));
      legend.querySelectorAll("b").forEach((value, position) => (value.textContent = shownValues[position] ?? ""));
      area.setAttribute("aria-valuenow", String(index + 1));
      const words = shown.map(({ name }, position) => `${name} ${shownValues[position]!}`).join(", ");
      area.setAttribute("aria-valuetext", `${texts.periodName(x, shared)}: ${words || "no user is chosen"}`);
      if (marked) chart.plot?.setCursor({ left: chart.plot.valToPos(x, "x"), top: -10 }, false);
    }
  }

  function perPeriod({ group: { bucket, x } }: Shared): string {
    if (x.length === 1) return `1 ${bucket}`;
    return `${x.length.toLocaleString("en-US")} ${bucket}s; arrow keys move between them`;
  }

  function keyOf({ name, dash }: SeriesStyle, kind: ChartData["kind"]): HTMLElement {
    const key = create("i", `${kind === "lines" ? "key line" : "key"} ${name}`);
    if (dash.length > 0) key.classList.add("dashed");
    return key;
  }
}
