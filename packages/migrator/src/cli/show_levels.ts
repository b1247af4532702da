import { countText } from "@perdura/cli/quantities.js";
import { printable } from "@perdura/cli/terminal.js";
import type { AssumedLevels, MissingLevels } from "../core/report.ts";

/** How many users are named. */
const NAMED = 8;

/** What became of the levels, and what can be done about it. */
export function showMissingLevels(missing: MissingLevels | null): string[] {
  if (missing === null) return [];
  const { rows, users, users_with_state: known, users_without_state: without, explanation, choices } = missing;
  return [
    `  without a level: ${countText(rows, "row")} of ${countText(users, "user")}`,
    ...sentences(explanation).map((sentence) => `  ${printable(sentence)}`),
    ...(known === null
      ? []
      : [`  ${countText(known, "user")} with a level in a collaboration state${others(users - known, without)}`]),
    ...(choices.length === 0 ? [] : ["  The choices:"]),
    ...choices.map(({ option, meaning }) => `    ${option}: ${printable(meaning)}`),
  ];
}

/** One below the other: it is a lot to take in. */
function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]) (?=\p{Lu})/u);
}

function others(count: number, named: readonly string[]): string {
  if (count <= 0) return "";
  const shown = named.slice(0, NAMED).map((user) => JSON.stringify(user));
  const rest = count > shown.length ? ", …" : "";
  return `; ${countText(count, "user")} without${shown.length === 0 ? "" : `: ${printable(shown.join(", "))}${rest}`}`;
}

const SOURCES: Record<AssumedLevels["source"], string> = {
  option: "by --missing-level",
  table: "from another table of the database",
  state: "from the collaboration states of the users",
  kept: "kept from before the last down",
};

/** Levels that were not in the data. `done` is false where that is only what would be. */
export function showAssumedLevels(assumed: readonly AssumedLevels[], done: boolean): string[] {
  const verb = done ? "assumed" : "to be assumed";
  return assumed.map(
    ({ level, rows, users, source }) =>
      `  ${verb}: level ${level} for ${countText(rows, "row")}${users === null ? "" : ` of ${countText(users, "user")}`}, ${SOURCES[source]}`,
  );
}
