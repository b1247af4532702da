import type { OddRows } from "../core/report.ts";

const REPAIRS = {
  nonFinite: "repair them with --non-finite null or text",
  timestamps: "repair them with --timestamps drop-zone or utc",
} as const;

/** The decisions about odd patterns that are open, in a sentence; null where none is. */
export function refusalOfPatterns(odd: readonly OddRows[]): string | null {
  const open = odd.filter(({ blocks }) => blocks);
  if (open.length === 0) return null;
  const repairs = Object.entries(REPAIRS).filter(([decision]) => open.some((rows) => rows.decision === decision));
  const ways = [...repairs.map(([, way]) => way), "set them aside with --invalid-rows quarantine"];
  return `Version 16 cannot read some patterns (see the odd ones). Correct them, ${ways
    .slice(0, -1)
    .map((way) => `${way}, `)
    .join("")}or ${ways.at(-1)}.`;
}
