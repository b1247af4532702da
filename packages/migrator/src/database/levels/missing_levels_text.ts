import { countText } from "@perdura/cli/quantities.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { MissingLevels } from "../../core/report.ts";
import { agreeing, rowsText } from "../../core/rows_text.ts";
import type { UserLevels } from "./level_source.ts";
import { ASSUMED_LEVELS_TABLE } from "../record/side_tables.ts";
import { fileOption, option, type OtherTable } from "./other_tables.ts";

/** Causes of lost levels, by layout. */
const CAUSES: Record<string, string> = {
  "field-b": "A program of 15.0.0 or later created this file, and such programs store no levels.",
  "field-c":
    "This file once had levels. A program of 15.0.0 or later removed them: such programs do this whenever they open a file, even to read.",
  "field-d":
    "This file once had levels. A program of 15.0.0 or later rebuilt the table without them: such programs do this whenever they open a file, even to read.",
};
const ANY_CAUSE =
  "Programs of 15.0.0 or later remove the levels whenever they open a file, even to read, and store none in files that they create.";

/**
 * Explains lost levels to an operator who does not know about them.
 *
 * @param known null if no states were read.
 * @param others Tables that have a level for some of the rows.
 */
export function missingLevels(
  layout: string,
  users: UsersWithoutLevels,
  known: UserLevels | null,
  others: readonly OtherTable[],
): MissingLevels {
  const cause = CAUSES[layout.replace("combined-", "field-")] ?? ANY_CAUSE;
  const looked = known !== null && known.states > 0;
  return {
    rows: users.all.rows,
    users: users.all.users,
    users_with_state: looked ? users.all.users - users.rest.users : null,
    users_without_state: looked ? users.named : [],
    files: [],
    tables: others.map(({ table, levels }) => ({ table: table.name, rows: levels })),
    explanation: `Version 16 requires a level from 1 to 5 in every row; ${rowsText(users.all.rows)} ${agreeing(users.all.rows, "has", "have")} none. ${cause} ${recoveryText(others)} Assumed levels are recorded in the table ${ASSUMED_LEVELS_TABLE} of the migrated database.`,
    choices: [...others.map(choiceOf), ...choicesFor(users, known)],
  };
}

function recoveryText(others: readonly OtherTable[]): string {
  if (others.length === 0)
    return "The levels cannot be recovered from this file. If you have an earlier copy of it with levels, migrate that copy instead. Otherwise, choose levels with --missing-level.";
  const found = others.map(
    ({ table, levels, alone }) =>
      `${table.name} (${rowsText(levels)}${alone === null ? "" : `, and ${alone.rows} more that ${agreeing(alone.rows, "is", "are")} missing in the metrics table`})`,
  );
  return `Another table of this file has levels for rows with the same id and values: ${found.join(", ")}. It is probably the metrics table from before an interrupted upgrade, or it was renamed.`;
}

/** Adds files that have levels for some of the rows, as the first choices. */
export function withFiles(missing: MissingLevels, files: MissingLevels["files"]): MissingLevels {
  if (files.length === 0) return missing;
  const found = files.map(({ path, rows }) => `${path} (${rowsText(rows)})`).join(", ");
  return {
    ...missing,
    files: [...files],
    explanation: `${missing.explanation} Another database next to it has levels for rows with the same id and values: ${found}. It is probably a copy from before the levels were lost.`,
    choices: [
      ...files.map(({ path, rows }) => ({
        option: fileOption(path),
        meaning: `each row gets the level of the same row in ${path}, which has levels for ${rowsText(rows)}. With ,N appended, all other rows get the level N`,
      })),
      ...missing.choices,
    ],
  };
}

function choiceOf({ table, levels }: OtherTable): MissingLevels["choices"][0] {
  return {
    option: option(table.name),
    meaning: `each row gets the level of the same row in the table ${table.name}, which has levels for ${rowsText(levels)}. With ,N appended, all other rows get the level N`,
  };
}

function choicesFor(users: UsersWithoutLevels, known: UserLevels | null): MissingLevels["choices"] {
  return [
    {
      option: "--missing-level N",
      meaning: `every row gets the level N, from 1 to 5; version 16 assumes level 1 for unknown users`,
    },
    {
      option: "--missing-level from-state",
      meaning: `every row gets the current level in the collaboration state of its user; ${statesFound(users, known)}`,
    },
    {
      option: "--missing-level from-state,N",
      meaning: "the same, and rows of users without such a state get the level N",
    },
    { option: "--missing-level abort", meaning: "nothing is changed (the default)" },
  ];
}

/** Documented states can have a level; no known program ever stored one. */
const NO_LEVELS_IN_STATES = "contain no level, because the programs that wrote them stored none";

function statesFound({ all, rest }: UsersWithoutLevels, known: UserLevels | null): string {
  if (known === null || known.states === 0) return "no state was found; specify their directory with --states DIR";
  if (known.levels.size === 0)
    return `the states that were found ${NO_LEVELS_IN_STATES}; specify the directory of others with --states DIR`;
  return `states with a level were found for ${all.users - rest.users} of ${countText(all.users, "user")}${rest.users === 0 ? "" : ", so from-state alone is not sufficient"}`;
}

/**
 * The same as a sentence, with the possible actions.
 *
 * @param known null if states were not to be used.
 * @param table The table that was to be used; null if none was.
 */
export function refusalSentence(
  { all, rest, named }: UsersWithoutLevels,
  known: UserLevels | null,
  table: string | null,
  isThere: boolean,
  file: string | null,
): string {
  if (file !== null)
    return `The file ${file} has no level for ${rowsText(rest.rows)} of ${countText(rest.users, "user")}, and version 16 requires one in every row. Choose a level for these rows with ${fileOption(file)},N.`;
  if (table !== null)
    return `${isThere ? `The table ${table} has no level` : `There is no table ${table} with levels`} for ${rowsText(rest.rows)} of ${countText(rest.users, "user")}, and version 16 requires one in every row. Choose a level for these rows with ${option(table)},N.`;
  if (known === null)
    return `${rowsText(all.rows)} ${agreeing(all.rows, "has", "have")} no level, and version 16 requires one in every row. Choose levels with --missing-level.`;
  const more = rest.users > named.length ? " and others" : "";
  const why =
    known.states === 0
      ? " No collaboration states were found."
      : known.levels.size === 0
        ? ` The collaboration states that were found ${NO_LEVELS_IN_STATES}.`
        : "";
  return `No collaboration state has a current level for ${countText(rest.users, "user")} with ${countText(rest.rows, "row")} (${named.map((user) => JSON.stringify(user)).join(", ")}${more}).${why} Choose a level for these rows with --missing-level from-state,N, or specify the directory of their states with --states.`;
}

/** Maximum number of users that are named. */
const NAMED = 10;

/** Number of rows, and of their users. */
interface Share {
  rows: number;
  users: number;
}

/** The users of rows without levels, divided by the levels in their states. */
export interface UsersWithoutLevels {
  all: Share;
  /** Users with a level in a state, keyed by level. */
  byLevel: Map<number, Share>;
  /** Users without one. */
  rest: Share;
  /** The first of these. */
  named: string[];
  /** The first users with contradictory states. */
  contradictory: string[];
}

/**
 * Looks up the users in the levels of the states. Only their ids are read from the database.
 *
 * @param from SQL for the rows.
 * @param user SQL for the user id of a row.
 * @param known null if states are not used: then the users are only counted.
 */
export function usersWithoutLevels(
  database: Database,
  from: string,
  user: string,
  known: UserLevels | null,
): UsersWithoutLevels {
  const found: UsersWithoutLevels = {
    all: { rows: 0, users: 0 },
    byLevel: new Map(),
    rest: { rows: 0, users: 0 },
    named: [],
    contradictory: [],
  };
  if (known === null) {
    const all = database
      .prepare(`SELECT count(*) AS rows, count(DISTINCT ${user} COLLATE BINARY) AS users FROM ${from}`)
      .get() as Share;
    return { ...found, all, rest: all };
  }
  const users = database
    .prepare(`SELECT ${user} AS user, count(*) AS rows FROM ${from} GROUP BY ${user} COLLATE BINARY`)
    .iterate() as IterableIterator<{ user: string; rows: number }>;
  for (const one of users) count(found, one.user, one.rows, known);
  return found;
}

function count(found: UsersWithoutLevels, user: string, rows: number, known: UserLevels): void {
  const level = known.levels.get(user)?.level;
  add(found.all, rows);
  if (level !== undefined) {
    const share = found.byLevel.get(level) ?? { rows: 0, users: 0 };
    found.byLevel.set(level, share);
    return add(share, rows);
  }
  add(found.rest, rows);
  if (found.named.length < NAMED) found.named.push(user);
  if (known.contradictory.has(user) && found.contradictory.length < NAMED) found.contradictory.push(user);
}

function add(share: Share, rows: number): void {
  share.rows += rows;
  share.users += 1;
}
