import type { Chart, ChartLine } from "../run/run_chart.ts";
import { escaped } from "./escaped.ts";

const WIDTH = 340;
const HEIGHT = 250;
/** Area of the lines, inside the marks of the axes. */
const AREA = { left: 52, right: 318, top: 12, bottom: 214 };

/** Distinguished by shape as well as by colour. */
const MARKS = [
  (x: number, y: number): string => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x: number, y: number): string => `<rect x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"/>`,
  (x: number, y: number): string => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  (x: number, y: number): string => `<path d="M${x} ${y - 5}l5 5l-5 5l-5-5z"/>`,
];

/** A chart as SVG: rows on the x axis, time on the y axis, both logarithmic. */
export function logChart({ title, lines }: Chart): string {
  const points = lines.flatMap((each) => each.points);
  const xs = powersAround(points.map(({ rows }) => rows));
  const ys = powersAround(points.map(({ milliseconds }) => milliseconds));
  const x = (rows: number): number => at(rows, xs, AREA.left, AREA.right);
  const y = (milliseconds: number): number => at(milliseconds, ys, AREA.bottom, AREA.top);
  const grid = [
    ...xs.map((power) => line(x(power), AREA.top, x(power), AREA.bottom)),
    ...ys.map((power) => line(AREA.left, y(power), AREA.right, y(power))),
  ];
  const marks = [
    ...xs.map((power) => text(x(power), AREA.bottom + 16, "middle", shownSize(power))),
    ...everyOther(ys).map((power) => text(AREA.left - 6, y(power) + 4, "end", shownTime(power))),
    text((AREA.left + AREA.right) / 2, HEIGHT - 4, "middle", "rows"),
  ];
  return `<figure>
<figcaption>${escaped(title)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${title}: time against rows`)}">
<g class="grid">${grid.join("")}</g>
${marks.join("")}
${lines.map((of, index) => drawn(of, index, x, y)).join("\n")}
</svg>
<ul class="legend">${lines.map(({ name }, index) => `<li><svg viewBox="0 0 12 12" class="line${index}" aria-hidden="true">${mark(index, 6, 6)}</svg> ${escaped(name)}</li>`).join("")}</ul>
</figure>`;
}

function drawn(
  { name, points }: ChartLine,
  index: number,
  x: (rows: number) => number,
  y: (ms: number) => number,
): string {
  const places = points.map(({ rows, milliseconds }) => `${x(rows)},${y(milliseconds)}`);
  const marks = points.map(
    ({ rows, milliseconds }) =>
      `<g>${mark(index, x(rows), y(milliseconds))}<title>${escaped(`${name}: ${shownTime(milliseconds)} at ${shownSize(rows)} rows`)}</title></g>`,
  );
  return `<g class="line${index}"><polyline points="${places.join(" ")}"/>${marks.join("")}</g>`;
}

function mark(index: number, x: number, y: number): string {
  return (MARKS[index % MARKS.length] as (typeof MARKS)[number])(x, y);
}

/** The powers of ten that enclose all values; at least two. */
function powersAround(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step));
}

/** Position of a value between two ends, rounded to tenths so that the page stays small. */
function at(value: number, powers: readonly number[], from: number, to: number): number {
  const [low, high] = [Math.log10(powers[0] as number), Math.log10(powers.at(-1) as number)];
  return Math.round((from + ((Math.log10(value) - low) / (high - low)) * (to - from)) * 10) / 10;
}

function everyOther(powers: readonly number[]): readonly number[] {
  return powers.length < 8 ? powers : powers.filter((_, index) => index % 2 === 0);
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

function text(x: number, y: number, anchor: "middle" | "end", content: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;
}

function shownSize(rows: number): string {
  if (rows >= 1e6) return `${rows / 1e6}m`;
  return rows >= 1000 ? `${rows / 1000}k` : String(rows);
}

function shownTime(milliseconds: number): string {
  const [number, unit] =
    milliseconds >= 1000
      ? [milliseconds / 1000, "s"]
      : milliseconds >= 1
        ? [milliseconds, "ms"]
        : milliseconds >= 1e-3
          ? [milliseconds * 1e3, "µs"]
          : [milliseconds * 1e6, "ns"];
  return `${Number(number.toPrecision(3))} ${unit}`;
}
