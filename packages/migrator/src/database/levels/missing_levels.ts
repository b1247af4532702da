import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { sqlName } from "@perdura/internals/text/quoted_sql.js";
import type { MissingLevel, Settings } from "../../core/options.ts";
import type { AssumedLevels, MissingLevels } from "../../core/report.ts";
import { agreeing } from "../../core/rows_text.ts";
import {
  type ReadLevels,
  keptLevels,
  type KeptLevels,
  type LevelFile,
  listedLevels,
  type LevelSource,
  USABLE_KEPT,
  type UserLevels,
} from "./level_source.ts";
import { levelTableNamed } from "../layouts/level_tables.ts";
import type { MetricsTable } from "../layouts/metrics_table.ts";
import { missingLevels, refusalSentence, usersWithoutLevels, type UsersWithoutLevels } from "./missing_levels_text.ts";
import { blockingCondition } from "@perdura/internals/validity/interaction_problems.js";
import type { OtherTable } from "./other_tables.ts";

/** Source of the levels of a table without levels, or the pending decision. */
export interface LevelDecision {
  source: LevelSource;
  /** Number of rows that get a level. */
  rows: number;
  assumed: AssumedLevels[];
  /** The pending decision, also as a sentence; null if none is needed. */
  missing: MissingLevels | null;
  refusal: string | null;
  notes: string[];
}

/**
 * Decides about a table without levels. Rows that do not stay (they stop the migration or are quarantined) need none.
 *
 * @param layout Name of the layout, which determines how the levels were lost.
 */
export function decideLevels(
  database: Database,
  table: MetricsTable,
  layout: string,
  { missingLevel }: Pick<Settings, "missingLevel">,
  askLevels: ReadLevels,
  others: readonly OtherTable[],
  file: LevelFile | null,
): LevelDecision {
  const stays = `NOT (${blockingCondition(table)})`;
  const user = `e.${sqlName(table.names.user_id)}`;
  const kept = keptLevels(database, table, stays);
  const unkept = `main.${sqlName(table.name)} AS e WHERE ${stays}${kept === null ? "" : ` AND NOT EXISTS (SELECT 1 FROM main.${kept.table} AS k WHERE k.id = e.id AND ${USABLE_KEPT})`}`;
  const name = missingLevel?.fromTable ?? null;
  const source =
    name === null
      ? null
      : (levelTableNamed(
          others.map((other) => other.table),
          name,
        ) ?? null);
  const listed = listedLevels({ table: source, file }, table);
  const open = listed === null ? unkept : `${unkept} AND e.id NOT IN (SELECT id FROM (${listed}))`;
  // Without a decision the states are read as well, to describe the choices.
  const known = missingLevel === null || missingLevel.fromState ? askLevels() : null;
  const users = usersWithoutLevels(database, open, user, known);
  const isOpen =
    users.all.rows > 0 && (missingLevel === null || (missingLevel.otherwise === null && users.rest.rows > 0));
  const shares = listed === null ? [] : sharesOf(database, listed, unkept, user);
  const byOthers = [...(kept?.rows ?? []), ...shares];
  return {
    source: {
      kept: kept?.rows.length === 0 ? null : kept,
      table: source,
      file,
      users: missingLevel?.fromState === true ? [...(known?.levels.values() ?? [])] : null,
      otherwise: missingLevel?.otherwise ?? null,
    },
    rows: users.all.rows + byOthers.reduce((sum, { rows }) => sum + rows, 0),
    assumed: isOpen
      ? []
      : assumedLevels(kept, { shares: shares, source: file === null ? "table" : "file" }, users, missingLevel),
    missing: isOpen
      ? missingLevels(
          layout,
          users,
          known,
          others.filter(({ levels }) => levels > 0),
        )
      : null,
    refusal: isOpen
      ? refusalSentence(
          users,
          missingLevel?.fromState === true ? known : null,
          name,
          source !== null,
          file?.path ?? null,
        )
      : null,
    notes: [...noteOnStates(users, known, missingLevel), ...notesOn(kept, users)],
  };
}

/** Number of rows without a level that get each level from another table. */
function sharesOf(database: Database, listed: string, unkept: string, user: string): KeptLevels["rows"] {
  return database
    .prepare(
      `SELECT l.level, count(*) AS rows, count(DISTINCT l.user COLLATE BINARY) AS users FROM (SELECT o.level, ${user} AS user FROM (${listed}) AS o JOIN ${unkept.replace(" WHERE ", " ON e.id = o.id WHERE ")}) AS l GROUP BY 1 ORDER BY 1`,
    )
    .all() as KeptLevels["rows"];
}

function assumedLevels(
  kept: KeptLevels | null,
  listed: { shares: KeptLevels["rows"]; source: "table" | "file" },
  { byLevel, rest }: UsersWithoutLevels,
  missingLevel: MissingLevel | null,
): AssumedLevels[] {
  const states = [...byLevel].toSorted(([one], [other]) => one - other);
  const otherwise = missingLevel?.otherwise ?? null;
  return [
    ...(kept?.rows ?? []).map((share): AssumedLevels => ({ ...share, source: "kept" })),
    ...listed.shares.map((share): AssumedLevels => ({ ...share, source: listed.source })),
    ...states.map(([level, share]): AssumedLevels => ({ level, ...share, source: "state" })),
    ...(otherwise === null || rest.rows === 0 ? [] : [{ level: otherwise, ...rest, source: "option" } as const]),
  ];
}

/** An operator who requests levels from states may have forgotten to name their directory. */
function noteOnStates({ rest }: UsersWithoutLevels, known: UserLevels | null, wish: MissingLevel | null): string[] {
  if (wish?.fromState !== true || wish.otherwise === null || rest.rows === 0 || known?.states !== 0) return [];
  return [
    `no collaboration state was found, so every row without a level gets the level ${wish.otherwise}. If there are states, specify their directory with --states`,
  ];
}

function notesOn(kept: KeptLevels | null, { contradictory }: UsersWithoutLevels): string[] {
  return [
    ...(contradictory.length === 0
      ? []
      : [
          `the levels in collaboration states are not used for users whose states disagree: ${contradictory.join(", ")}`,
        ]),
    ...(kept === null || kept.rest === 0
      ? []
      : [
          `${kept.rest} ${agreeing(kept.rest, "level", "levels")} in the table ${kept.table} ${agreeing(kept.rest, "matches", "match")} no row and ${agreeing(kept.rest, "stays", "stay")} there`,
        ]),
  ];
}
