import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { printable } from "@perdura/cli/terminal.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import { StorageError } from "@perdura/internals/errors/errors.js";
import { summarizeStates } from "@perdura/summary/summarize_states.js";
import type { Command, OptionName } from "./table.ts";
import { withStates } from "./open_source.ts";
import { optionalText } from "@perdura/summary/figure_texts.js";
import { STATE_COLUMNS, tableLines } from "../render/tables.ts";

type Run = Runner<Command, OptionName>;

/** Lists the states of a directory or an archive. */
export const listStates: Run = async (given, { width, paint }) => {
  const rows = Number(valueOf(given, "limit") ?? 1000);
  const summary = await withStates(given, ({ path, states }) => summarizeStates(path, states, rows));
  const text = `${countText(summary.states, "state")} in ${shownPath(summary.path)}.`;
  const { unreadable } = summary;
  const problem = unreadable === 0 ? "" : ` ${countText(unreadable, "state")} cannot be read.`;
  const lines = tableLines(STATE_COLUMNS, summary.top_states, width, paint);
  const sentence = `${text}${problem}`;
  return {
    code: unreadable === 0 ? EXIT.done : EXIT.failed,
    summary: sentence,
    document: summary,
    text: [...lines, "", sentence].join("\n"),
  };
};

/** Shows the state of one user. */
export const showState: Run = async (given) => {
  const [, user = ""] = given.words;
  const { state, place } = await withStates(given, ({ path: found, states }) => {
    for (const { content: _, path, status, ...each } of states) {
      if (each.user_id !== user) continue;
      if (status === "unreadable") throw new StorageError(each.reason ?? "", { path });
      return { place: found, state: { ...each, valid: status === "valid" } };
    }
    throw new UsageError(`${shownPath(found)}: no state of the user ${JSON.stringify(user)}.`);
  });
  const width = Math.max(...Object.keys(state).map((key) => key.length)) + 2;
  const lines = Object.entries(state).map(
    ([key, value]) =>
      `${key.padEnd(width)}${typeof value === "boolean" ? (value ? "yes" : "no") : printable(optionalText(value))}`,
  );
  return {
    code: EXIT.done,
    summary: `${printable(user)} in ${shownPath(place)}.`,
    document: { path: place, state },
    text: lines.join("\n"),
  };
};
