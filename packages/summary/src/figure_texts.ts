import { numberText } from "@perdura/cli/quantities.js";
import { durations } from "./page/client/durations.ts";

/** `87.3 %`, or a dash for a missing rate. */
export function percentText(rate: number | null): string {
  return rate === null ? "-" : `${(rate * 100).toFixed(1)} %`;
}

/** `132 ms`, `4.2 s`, `3.5 h` */
export const durationText: (milliseconds: number) => string = durations().durationText;

/** `0.55`, or a dash for a missing figure. */
export function fractionText(figure: number | null): string {
  return figure === null ? "-" : figure.toFixed(2);
}

/** A number, or a dash for a missing one. */
export function optionalText(figure: number | string | null): string {
  return figure === null ? "-" : typeof figure === "number" ? numberText(figure) : figure;
}

const BARS = "▁▂▃▄▅▆▇█";

/**
 * Figures as bars of one line; missing ones are blank. More figures than columns are combined by their mean.
 *
 * @param from Figure of the lowest bar.
 */
export function sparkline(figures: readonly (number | null)[], columns: number, from = 0): string {
  const shown = combined(figures, Math.max(1, columns));
  const present = shown.filter((figure) => figure !== null);
  const highest = present.reduce((most, figure) => Math.max(most, figure), from);
  const step = (highest - from) / BARS.length;
  return shown
    .map((figure) => {
      if (figure === null) return " ";
      if (step === 0) return BARS[0];
      return BARS[Math.min(BARS.length - 1, Math.max(0, Math.floor((figure - from) / step)))];
    })
    .join("");
}

function combined(figures: readonly (number | null)[], columns: number): (number | null)[] {
  if (figures.length <= columns) return [...figures];
  return Array.from({ length: columns }, (_, column) => {
    const begin = Math.floor((column * figures.length) / columns);
    const end = Math.floor(((column + 1) * figures.length) / columns);
    const present = figures.slice(begin, end).filter((figure) => figure !== null);
    return present.length === 0 ? null : present.reduce((sum, figure) => sum + figure, 0) / present.length;
  });
}
