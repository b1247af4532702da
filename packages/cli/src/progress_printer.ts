import { type Progress, progressLine, stageLine } from "./progress_line.ts";
import { supportsStyles, jsonText } from "./terminal.ts";
import { TimeLeft } from "./time_left.ts";

/** Clears the line and returns to its beginning. */
const CLEAR = "\r\u001b[2K";
/** Minimum time between two drawings of a line whose step is the same, in milliseconds. */
const PAUSE = 60;

/** Output of the progress. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}

/** Prints progress, and removes it again. */
export interface ProgressPrinter {
  print: (event: Progress) => void;
  /** Removes the changing line before other text is printed. */
  clear: () => void;
}

/**
 * Prints progress on stderr: one JSON object per line with `json`, nothing with `quiet`; otherwise one line that
 * changes on a terminal, and one line per stage elsewhere.
 */
export function progressPrinter(
  wanted: { json: boolean; quiet: boolean },
  screen: Screen = process.stderr,
  now: () => number = () => performance.now(),
): ProgressPrinter {
  const nothing = (): void => undefined;
  if (wanted.quiet) return { print: nothing, clear: nothing };
  if (wanted.json) return { print: (event) => void screen.write(`${jsonText(event)}\n`), clear: nothing };
  return supportsStyles(screen) ? changingLine(screen, now) : { print: linePerStage(screen), clear: nothing };
}

function linePerStage(screen: Screen): (event: Progress) => void {
  let last = "";
  return (event) => {
    const line = stageLine(event);
    if (line !== last) screen.write(`${line}\n`);
    last = line;
  };
}

function changingLine(screen: Screen, now: () => number): ProgressPrinter {
  let step = "";
  let drawn = { at: -Infinity, line: "" };
  let estimate = new TimeLeft();
  const clear = (): void => {
    if (drawn.line !== "") screen.write(CLEAR);
    drawn = { at: -Infinity, line: "" };
  };
  const print = (event: Progress): void => {
    const time = now();
    const { done, total } = event;
    const current = `${stageLine(event)} ${total}`;
    if (current !== step) estimate = new TimeLeft();
    if (done !== null) estimate.observe(done, time);
    if (current === step && time - drawn.at < PAUSE && done !== total) return;
    step = current;
    // One column stays free, because some terminals start a new line after a full one.
    const width = (screen.columns || 80) - 1;
    const left = total === null ? null : estimate.seconds(total);
    const line = progressLine(event, left, width, estimate.rate());
    if (line !== drawn.line) screen.write(`${CLEAR}${line}`);
    drawn = { at: time, line };
  };
  return { print, clear };
}
