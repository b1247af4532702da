import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText, numberText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { summarizePatterns } from "@perdura/summary/summarize_patterns.js";
import type { Command, OptionName } from "./table.ts";
import { withPatterns } from "./open_source.ts";
import { PATTERN_COLUMNS, tableLines } from "../render/tables.ts";
import { selected } from "./pattern_filters.ts";

type Run = Runner<Command, OptionName>;

/** Lists the selected patterns. */
export const listPatterns: Run = async (given, { width, paint }) => {
  const rows = Number(valueOf(given, "limit") ?? 1000);
  const { path, found, all } = await withPatterns(given, "null", (open) => ({
    path: open.path,
    all: open.library.size,
    found: summarizePatterns(selected(open.library.patterns.values(), given), rows, open.invalid.length),
  }));
  const of = found.patterns === all ? "" : ` of ${numberText(all)}`;
  const invalid = found.invalid === 0 ? "" : ` ${countText(found.invalid, "invalid row")} not listed.`;
  const shown = found.top_patterns.length < found.patterns ? ` The first ${numberText(rows)} are listed.` : "";
  const summary = `${countText(found.patterns, "pattern")}${of} in ${shownPath(path)}.${shown}${invalid}`;
  const lines = tableLines(PATTERN_COLUMNS, found.top_patterns, width, paint);
  const document = { path, patterns: found.top_patterns, found: found.patterns, invalid: found.invalid };
  return { code: EXIT.done, summary, document, text: [...lines, "", summary].join("\n") };
};

/** Shows one pattern with all fields. */
export const showPattern: Run = async (given) => {
  const [, id = ""] = given.words;
  const { place, pattern } = await withPatterns(given, "null", (open) => {
    const found = open.library.get(id);
    if (found === undefined) throw new UsageError(`${shownPath(open.path)}: no pattern ${JSON.stringify(id)}.`);
    return { place: open.path, pattern: found };
  });
  const width = Math.max(...Object.keys(pattern).map((key) => key.length)) + 2;
  const lines = Object.entries(pattern).map(([key, value]) => `${key.padEnd(width)}${valueText(value)}`);
  return {
    code: EXIT.done,
    summary: `${printable(id)} in ${shownPath(place)}.`,
    document: { path: place, pattern },
    text: lines.join("\n"),
  };
};

/** Text as it is, line by line; other values as JSON. */
function valueText(value: unknown): string {
  if (value === null || value === undefined) return "-";
  return typeof value === "string" ? value.split("\n").map(printable).join("\n  ") : printable(JSON.stringify(value));
}
