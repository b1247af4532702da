import { cutBeginning, cutEnd, displayWidth } from "./display_width.ts";
import { nameOf, textOf } from "./names.ts";
import { numberText, sizeText } from "./quantities.ts";
import { durationText } from "./time_left.ts";

/** How far a program is, as it is told on stderr. */
export interface Progress {
  event: "progress";
  /** The file or address at work. */
  path: string;
  /** The step, in one word. */
  stage: string;
  /** What is done now, in words. */
  detail: string;
  /** How far the step is, where that can be told; otherwise null. */
  done: number | null;
  total: number | null;
  unit: "rows" | "bytes" | "entries" | "cases" | null;
}

/** Columns of the bar itself, where there is much room and where there is less. */
const BARS = [20, 10] as const;
/** What the words before the bar keep at least, as long as the line has that many. */
const WORDS = 30;

/**
 * One line that says what is done now and how far it is; never longer than `width` columns. What has no room is left out:
 * first the rate, then half of the bar, the amounts, the rest of the bar, the time, and the end of the words.
 *
 * @param left Seconds, where they are known.
 * @param rate Amount per second, where it is known.
 */
export function progressLine(event: Progress, left: number | null, width: number, rate: number | null = null): string {
  const ends = endings(event, left, rate);
  const wanted = Math.min(WORDS, width / 2, displayWidth(words(event, Infinity)));
  const end = ends.find((text) => displayWidth(text) + wanted <= width) ?? ends.at(-1) ?? "";
  return `${words(event, width - displayWidth(end))}${end}`;
}

/** `data/metrics.db: backup: copying the database`, for where no line is written over. */
export function stageLine({ path, stage, detail }: Progress): string {
  return `${nameOf(path)}: ${stage}: ${textOf(detail)}`;
}

function words({ path, detail }: Progress, width: number): string {
  const name = nameOf(path);
  const said = `: ${textOf(detail)}`;
  const room = width - displayWidth(said);
  // The end of a path names the file; so much of it as leaves the words whole, or a third.
  return cutEnd(`${cutBeginning(name, Math.max(room, Math.floor(width / 3)))}${said}`, width);
}

/** What may stand behind the words, the most telling first. */
function endings({ done, total, unit }: Progress, left: number | null, rate: number | null): string[] {
  if (done === null) return [];
  // Less than one a second says nothing.
  const speed = rate === null || rate < 1 ? "" : `  ${amount(Math.round(rate), unit)}/s`;
  if (total === null || total <= 0) return [`  ${amount(done, unit)}${speed}`, `  ${amount(done, unit)}`, ""];
  const share = Math.min(1, Math.max(0, done / total));
  // Not 100 % before it is.
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%`;
  const [long, short] = BARS.map((columns) => {
    const filled = Math.floor(share * columns);
    return `  [${"#".repeat(filled)}${".".repeat(columns - filled)}] ${percent}`;
  });
  const time = left === null ? "" : `  ${durationText(left)}`;
  const of = `  ${unit === "bytes" ? sizeText(done) : numberText(done)} of ${amount(total, unit)}`;
  return [
    `${long}${of}${speed}${time === "" ? "" : `${time} left in this step`}`,
    `${long}${of}${time === "" ? "" : `${time} left in this step`}`,
    `${long}${of}${time}`,
    `${short}${of}${time}`,
    `${short}${time}`,
    ` ${percent}${time}`,
    ` ${percent}`,
  ];
}

function amount(number: number, unit: Progress["unit"]): string {
  return unit === "bytes" ? sizeText(number) : `${numberText(number)}${unit === null ? "" : ` ${unit}`}`;
}
