import { type Progress, progressLine, stageLine } from "./progress_line.ts";
import { isAble, jsonText } from "./terminal.ts";
import { TimeLeft } from "./time_left.ts";

/** Leads back to the beginning of an empty line. */
const CLEAR = "\r\u001b[2K";
/** Shortest time between two drawings of a line that goes on saying the same, in milliseconds. */
const PAUSE = 60;

/** Where progress is shown. */
interface Screen {
  isTTY?: boolean;
  columns?: number;
  write: (text: string) => unknown;
}

/** Prints progress, and takes it away again. */
export interface ProgressPrinter {
  print: (event: Progress) => void;
  /** Takes the changing line away, before something else is printed. */
  clear: () => void;
}

/**
 * Prints progress on stderr: a JSON object per line where JSON is wanted, nothing where quiet is; otherwise one line that
 * changes on a terminal, and a line per stage elsewhere.
 */
export function progressPrinter(
  wanted: { json: boolean; quiet: boolean },
  screen: Screen = process.stderr,
  now: () => number = () => performance.now(),
): ProgressPrinter {
  const nothing = (): void => undefined;
  if (wanted.quiet) return { print: nothing, clear: nothing };
  if (wanted.json) return { print: (event) => void screen.write(`${jsonText(event)}\n`), clear: nothing };
  return isAble(screen) ? changingLine(screen, now) : { print: onceAStage(screen), clear: nothing };
}

function onceAStage(screen: Screen): (event: Progress) => void {
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
    // One column stays free: a full line would make some terminals begin the next.
    const width = (screen.columns || 80) - 1;
    const left = total === null ? null : estimate.seconds(total);
    const line = progressLine(event, left, width, estimate.rate());
    if (line !== drawn.line) screen.write(`${CLEAR}${line}`);
    drawn = { at: time, line };
  };
  return { print, clear };
}
