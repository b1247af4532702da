import { cutBeginning, cutEnd, displayWidth } from "./display_width.ts";
import { shownPath, shownText } from "./shown_paths.ts";
import { numberText, sizeText } from "./quantities.ts";
import { durationText } from "./time_left.ts";

/** Progress of a program, as reported on stderr. */
export interface Progress {
  event: "progress";
  /** The file or address that is processed. */
  path: string;
  /** The step, in one word. */
  stage: string;
  /** Description of the current work. */
  detail: string;
  /** Amount that the step has done, if known; otherwise null. */
  done: number | null;
  total: number | null;
  unit: "rows" | "bytes" | "entries" | "cases" | null;
}

/** Columns of the bar itself, for wide and for narrow lines. */
const BARS = [20, 10] as const;
/** Minimum columns of the text before the bar, if the line is wide enough. */
const WORDS = 30;

/**
 * One line with the current work and its progress, at most `width` columns wide. Parts that do not fit are left out:
 * first the rate, then half of the bar, the amounts, the other half of the bar, the time, and the end of the text.
 *
 * @param left Seconds that are left, if known.
 * @param rate Amount per second, if known.
 */
export function progressLine(event: Progress, left: number | null, width: number, rate: number | null = null): string {
  const ends = endings(event, left, rate);
  const wanted = Math.min(WORDS, width / 2, displayWidth(words(event, Infinity)));
  const end = ends.find((text) => displayWidth(text) + wanted <= width) ?? ends.at(-1) ?? "";
  return `${words(event, width - displayWidth(end))}${end}`;
}

/** `data/metrics.db: backup: copying the database`, for outputs that cannot overwrite a line. */
export function stageLine({ path, stage, detail }: Progress): string {
  return `${shownPath(path)}: ${stage}: ${shownText(detail)}`;
}

function words({ path, detail }: Progress, width: number): string {
  const name = shownPath(path);
  const said = `: ${shownText(detail)}`;
  const room = width - displayWidth(said);
  // The end of a path contains the file name. The name gets the columns that the text leaves, but at least a third of
  // the line.
  return cutEnd(`${cutBeginning(name, Math.max(room, Math.floor(width / 3)))}${said}`, width);
}

/** Possible ends of the line, the most detailed first. */
function endings({ done, total, unit }: Progress, left: number | null, rate: number | null): string[] {
  if (done === null) return [];
  // A speed below one per second is not shown.
  const speed = rate === null || rate < 1 ? "" : `  ${amount(Math.round(rate), unit)}/s`;
  if (total === null || total <= 0) return [`  ${amount(done, unit)}${speed}`, `  ${amount(done, unit)}`, ""];
  const share = Math.min(1, Math.max(0, done / total));
  // Rounded down, so that 100 % is only shown at the end.
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
