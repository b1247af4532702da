import type UPlot from "uplot";
import type { ChartData, ChartGroup, ChartSeries } from "./chart_group.ts";

/** The page contains uPlot before this script. */
declare const uPlot: typeof UPlot;

/**
 * Script of the page: draws the charts with uPlot. Charts of a group share the pointer and the range of time. It is
 * embedded as text, so it uses nothing outside of this function.
 */
export function drawCharts(): void {
  const LINE_COLOURS = ["c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7", "c-8"];
  const DASHES = [[], [7, 4], [2, 3]];
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const HOUR = 3600;
  const DAY = 86_400;
  const STEPS = { hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };
  const FONT = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
  const days = [1, 2, 3, 4, 5, 7, 10, 14].map((count) => count * DAY);
  const longer = [30, 60, 90, 120, 180, 365, 730, 1825, 3650].map((count) => count * DAY);
  const wholeSteps = Array.from({ length: 48 }, (_each, index) => [1, 2, 5][index % 3]! * 10 ** Math.floor(index / 3));
  const hours = [1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR);

  /** The charts of a group, and what they have in common. */
  interface Shared {
    group: ChartGroup;
    key: string;
    step: number;
    /** Chosen range of time; undefined for all periods. */
    range: [from: number, to: number] | undefined;
    at: number;
    charts: Chart[];
  }

  interface Chart {
    plot: UPlot | undefined;
    draw: () => void;
    move: (index: number, marked: boolean) => void;
  }

  const probe = document.createElement("span");
  probe.hidden = true;
  document.body.append(probe);

  /** A colour of the style in the current theme. */
  function colour(name: string): string {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }

  document.querySelectorAll(".charts").forEach((container, index) => {
    const data = container.querySelector(".chart-data");
    if (data === null) return;
    const group = JSON.parse(data.textContent) as ChartGroup;
    const shared: Shared = {
      group,
      key: `group-${index}`,
      step: STEPS[group.bucket],
      range: undefined,
      at: group.x.length - 1,
      charts: [],
    };
    for (const chart of group.charts) shared.charts.push(addChart(container, chart, shared));
    const choice = rangeChoice(shared);
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
    const styleOf = (series: ChartSeries): { name: string; dash: number[] } => {
      if (!data.chosen) return { name: series.colour, dash: [] };
      const slot = slots.get(series) ?? 0;
      const dash = DASHES[Math.floor(slot / LINE_COLOURS.length) % DASHES.length]!;
      return { name: LINE_COLOURS[slot % LINE_COLOURS.length]!, dash };
    };
    const chart: Chart = { plot: undefined, draw, move: showValues };
    const values = data.chosen ? valuesTable(shared) : undefined;
    if (values) figure.append(chooser(data, shown, choose), values.element);
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
      if (area.clientWidth > 0) chart.plot = plotOf(data, shown, styleOf, area, shared);
      showValues(shared.at, false);
    }

    /** Shows the values of a period in the legend, and marks the period in the chart. */
    function showValues(index: number, marked: boolean): void {
      const x = shared.group.x[index];
      if (x === undefined) return;
      when.textContent = periodName(x, shared);
      const texts = shown.map((series) => formatted(series.values[index] ?? null, data.format));
      legend.querySelectorAll("b").forEach((value, position) => (value.textContent = texts[position] ?? ""));
      area.setAttribute("aria-valuenow", String(index + 1));
      const words = shown.map(({ name }, position) => `${name} ${texts[position]!}`).join(", ");
      area.setAttribute("aria-valuetext", `${periodName(x, shared)}: ${words || "no user is chosen"}`);
      if (marked) chart.plot?.setCursor({ left: chart.plot.valToPos(x, "x"), top: -10 }, false);
    }
  }

  function plotOf(
    data: ChartData,
    shown: ChartSeries[],
    styleOf: (series: ChartSeries) => { name: string; dash: number[] },
    area: HTMLElement,
    shared: Shared,
  ): UPlot {
    const { x } = shared.group;
    const isBars = data.kind !== "lines";
    const sums = x.map((_start, index) => shown.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
    const lower = x.map(() => 0);
    const drawn = shown.map((series) => ({
      series,
      values: !isBars
        ? series.values
        : series.values.map((value, index) => {
            lower[index]! += value ?? 0;
            if (data.kind === "stack") return lower[index]!;
            return sums[index] === 0 ? null : lower[index]! / sums[index]!;
          }),
    }));
    // The tallest bars are drawn first, the others in front of them.
    if (isBars) drawn.reverse();
    const [quiet, line] = [colour("quiet"), colour("line")];
    const axis = { stroke: quiet, font: FONT, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    const format = data.kind === "share" ? "percent" : data.format;
    const options: UPlot.Options = {
      width: area.clientWidth,
      height: data.chosen ? 260 : 170,
      padding: [10, 10, 0, 0],
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      legend: { show: false },
      cursor: {
        y: false,
        sync: { key: shared.key, setSeries: false, scales: ["x", null] },
        points: { show: !isBars, size: 7 },
        drag: { x: true, y: false, dist: 8 },
      },
      scales: {
        x: { range: (_plot, min, max) => padded(min, max, shared) },
        y: { range: (_plot, min, max) => valueRange(min, max, format) },
      },
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks: { show: true, stroke: line, size: 4 },
          incrs: shared.step < DAY ? [...hours, ...days, ...longer] : [...days, ...longer],
          space: 64,
          gap: 3,
          size: 42,
          lineGap: 1.25,
          values: (_plot, splits, _axis, _space, step) => timeLabels(splits, step),
        },
        {
          ...axis,
          size: 52,
          gap: 4,
          space: 28,
          // Numbers of operations have no fractions.
          ...(format === "count" ? { incrs: wholeSteps } : {}),
          values: (_plot, splits) => splits.map((value) => axisText(value, format)),
        },
      ],
      series: [
        {},
        ...drawn.map(({ series, values }): UPlot.Series => {
          const style = styleOf(series);
          const stroke = colour(style.name);
          if (isBars)
            return {
              stroke,
              fill: stroke,
              width: 0,
              paths: uPlot.paths.bars!({ size: [0.82, 40, 1] }),
              points: { show: false },
            };
          // The first of two equal lines stays visible below the second.
          const width = series.colour === "c-before" ? 5 : 1.75;
          const alone = values.flatMap((value, at) =>
            value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
          );
          return {
            stroke,
            width,
            dash: style.dash,
            points: {
              show: false,
              filter: () => (alone.length === 0 ? null : alone),
              size: 5,
              fill: stroke,
            },
          };
        }),
      ],
      hooks: {
        setCursor: [
          (plot) => {
            const index = plot.cursor.idx ?? x.length - 1;
            shared.at = index;
            for (const chart of shared.charts) if (chart.plot === plot) chart.move(index, false);
          },
        ],
        setScale: [
          (plot, key) => {
            if (key === "x") dispatchEvent(new CustomEvent(shared.key, { detail: plot.scales["x"]! }));
          },
        ],
      },
    };
    const plot = new uPlot(options, [x, ...drawn.map(({ values }) => values)], area);
    if (shared.range) plot.setScale("x", { min: shared.range[0], max: shared.range[1] });
    return plot;
  }

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

  /** A field that chooses the range of time of all charts of a group; undefined for few periods. */
  function rangeChoice(shared: Shared): HTMLElement | undefined {
    const { x, bucket } = shared.group;
    const first = x[0];
    const last = x.at(-1);
    if (first === undefined || last === undefined || x.length < 20) return undefined;
    const label = create("label", "range");
    const words = create("span");
    words.textContent = "Range";
    const select = create("select");
    select.append(new Option(`all ${x.length.toLocaleString("en-US")} ${bucket}s`, String(x.length)));
    for (const count of [7, 14, 30, 90, 180, 365].filter((size) => size * 1.5 < x.length))
      select.append(new Option(`last ${count} ${bucket}s`, String(count)));
    const selected = new Option("selected in a chart", "selected");
    selected.hidden = true;
    select.append(selected);
    select.addEventListener("input", () => {
      const from = x[x.length - Number(select.value)];
      if (from === undefined) return;
      shared.range = from === first ? undefined : [from, last];
      for (const { plot } of shared.charts) plot?.setScale("x", { min: from, max: last });
      selected.hidden = true;
    });
    addEventListener(shared.key, (event) => {
      const { min, max } = (event as CustomEvent<{ min: number; max: number }>).detail;
      const [from, to] = padded(...(shared.range ?? [first, last]), shared);
      if (min === from && max === to) return;
      const isAll = min <= first && max >= last;
      shared.range = isAll ? undefined : [min, max];
      selected.hidden = isAll;
      if (isAll) select.selectedIndex = 0;
      else select.value = "selected";
    });
    const help = create("span", "quiet");
    help.textContent = "Drag across a chart to enlarge a range; double-click to show all.";
    label.append(words, select);
    const row = create("div", "range-row");
    row.append(label, help);
    return row;
  }

  function padded(min: number | null, max: number | null, { group: { x }, step }: Shared): [number, number] {
    const [from, to] = [min ?? x[0] ?? 0, max ?? x.at(-1) ?? 0];
    const half = step / 2;
    // Bars are centred at the starts of their periods.
    return [x.includes(from) ? from - half : from, x.includes(to) ? to + half : to];
  }

  function valueRange(min: number | null, max: number | null, format: ChartData["format"]): [number, number] {
    if (format === "fraction") return [0, 1];
    if (format === "percent") return [min === null || min < 0.5 ? 0 : Math.floor(min * 10 - 0.01) / 10, 1];
    return [0, max === null || max <= 0 ? 1 : max * 1.05];
  }

  /** Labels of the axis of time; the year is in a second line where it changes. */
  function timeLabels(splits: number[], step: number): string[] {
    let before = "";
    return splits.map((seconds) => {
      const date = new Date(seconds * 1000);
      const year = String(date.getUTCFullYear());
      const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]!}`;
      if (step >= 365 * DAY) return year;
      const [label, second] =
        step < DAY
          ? [date.toISOString().slice(11, 16), day]
          : [step >= 28 * DAY ? MONTHS[date.getUTCMonth()]! : day, year];
      const text = second === before ? label : `${label}\n${second}`;
      before = second;
      return text;
    });
  }

  function perPeriod({ group: { bucket, x } }: Shared): string {
    return `${x.length.toLocaleString("en-US")} ${bucket}s; arrow keys move between them`;
  }

  function periodName(seconds: number, { group: { bucket } }: Shared): string {
    const text = new Date(seconds * 1000).toISOString();
    if (bucket === "hour") return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
    if (bucket === "month") return text.slice(0, 7);
    return bucket === "week" ? `week of ${text.slice(0, 10)}` : text.slice(0, 10);
  }

  function formatted(value: number | null, format: ChartData["format"]): string {
    if (value === null) return "–";
    if (format === "percent") return value === 0 || value === 1 ? `${value * 100}%` : `${(value * 100).toFixed(1)}%`;
    if (format === "fraction") return value.toFixed(2);
    if (format === "milliseconds") return `${value.toLocaleString("en-US", { maximumFractionDigits: 1 })} ms`;
    return value.toLocaleString("en-US");
  }

  function axisText(value: number, format: ChartData["format"]): string {
    if (format === "percent") return `${Number((value * 100).toFixed(1))}%`;
    if (format === "fraction") return value.toFixed(1);
    const text = value.toLocaleString("en-US", { notation: value >= 10_000 ? "compact" : "standard" });
    return format === "milliseconds" ? `${text} ms` : text;
  }

  function keyOf({ name, dash }: { name: string; dash: number[] }, kind: ChartData["kind"]): HTMLElement {
    const key = create("i", `${kind === "lines" ? "key line" : "key"} ${name}`);
    if (dash.length > 0) key.classList.add("dashed");
    return key;
  }

  function create<Name extends keyof HTMLElementTagNameMap>(name: Name, className = ""): HTMLElementTagNameMap[Name] {
    const element = document.createElement(name);
    if (className !== "") element.className = className;
    return element;
  }
}
