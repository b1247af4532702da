import type { Shared } from "./chart_group.ts";
import type { Create } from "./create_element.ts";

/**
 * A field that chooses the range of time of all charts of a group; undefined for few periods. It is embedded as text, so
 * it uses nothing outside of this function except for its parameters.
 */
export function rangeChoice(shared: Shared, create: Create, padded: Padded): HTMLElement | undefined {
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

/** The shown range of time for a chosen one: whole periods, with half a period before and after their starts. */
export type Padded = (min: number | null, max: number | null, shared: Shared) => [from: number, to: number];
