import { isDeepStrictEqual } from "node:util";
import Database from "better-sqlite3";
import { type FoundRow, judgeRows } from "./judge_rows.ts";
import type { MetricsLine } from "./lines.ts";
import { inProgress, statsOf, wayOf } from "./recorded.ts";
import type { CrowdStory } from "./recording_crowd.ts";

/** Faults in the data of a crowd. */
export interface Judgement {
  rows: number;
  lost: string[];
  wrong: string[];
}

/**
 * Judges the database of a crowd that has ended: every acknowledged row must exist exactly once, with its content, and
 * the statistics must equal a count by plain SQL.
 */
export function judgeCrowd(
  line: MetricsLine,
  story: Pick<CrowdStory, "database" | "acknowledged" | "killed">,
): Judgement {
  const { database: path, acknowledged, killed } = story;
  const database = new Database(path);
  try {
    const check = database.pragma("integrity_check", { simple: true });
    const references = database.pragma("foreign_key_check") as unknown[];
    const rows = database
      .prepare(
        `SELECT i.id, i.user_id, i.${line.levelColumn} AS level, i.success, i.response_time_ms, m.metadata
         FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id ORDER BY i.id`,
      )
      .iterate() as Iterable<FoundRow>;
    // Rows that were stored without acknowledgement were in progress when their program was killed.
    const found = judgeRows(rows, acknowledged, (user) => (killed.has(user) ? inProgress(wayOf(user)) : 0));
    const wrong = [
      ...(check === "ok" ? [] : [`integrity_check returned ${String(check)}`]),
      ...(references.length === 0 ? [] : [`${references.length} rows of metadata have no interaction`]),
      ...found.wrong,
      ...statisticsFaults(line, path, found.counts, database),
    ];
    return { rows: found.rows, lost: found.lost, wrong };
  } finally {
    database.close();
  }
}

function statisticsFaults(
  line: MetricsLine,
  path: string,
  counts: ReadonlyMap<string, number>,
  database: Database.Database,
): string[] {
  const collector = line.open(path);
  try {
    const wrong: string[] = [];
    const compare = (what: string, says: unknown, counted: unknown): void => {
      if (!isDeepStrictEqual(says, counted))
        wrong.push(`${what}: the collector returned ${JSON.stringify(says)}, SQL ${JSON.stringify(counted)}`);
    };
    compare("all users", collector.getAllUsers(), [...counts.keys()].toSorted());
    const all = database.prepare("SELECT count(*) AS rows, sum(success) AS successes FROM interactions").get() as {
      rows: number;
      successes: number | null;
    };
    compare("all interactions", collector.getGlobalStats(), {
      total_users: counts.size,
      total_interactions: all.rows,
      success_rate: all.rows === 0 ? 0 : (all.successes ?? 0) / all.rows,
    });
    const times = database.prepare(
      "SELECT count(*) AS rows, min(timestamp) AS first_use, max(timestamp) AS last_use FROM interactions WHERE user_id = ?",
    );
    for (const user of counts.keys()) {
      const { rows, ...uses } = times.get(user) as { rows: number };
      compare(user, collector.getUserStats(user), { ...statsOf(rows), ...uses });
    }
    return wrong.slice(0, 10);
  } finally {
    collector.close();
  }
}
