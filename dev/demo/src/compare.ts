import { isUtf8 } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import * as v15 from "@perdura/v15";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { archiveDigests, countBefore, fileDigests, type MetricsCensus, USER } from "./census.ts";
import { DECISIONS, LIBRARIES, METRICS, STATE_DIRECTORY } from "./home.ts";
import type { Finding } from "./table.ts";

/** All data before the migration. */
export interface Inventory {
  metrics: Map<string, MetricsCensus>;
  libraries: Map<string, v15.PatternLibrary>;
  states: Map<string, string>;
}

/** Counts everything: metrics by plain SQL, libraries with the pre-16 line, states byte for byte. */
export function takeInventory(home: string): Inventory {
  const load = (file: string): v15.PatternLibrary =>
    file.endsWith(".db")
      ? v15.PatternPersistence.loadFromSqlite(join(home, file), { nonFinite: DECISIONS.nonFinite })
      : v15.PatternPersistence.loadFromJson(join(home, file));
  return {
    metrics: new Map(METRICS.map(({ file, table }) => [file, countBefore(join(home, file), table)])),
    libraries: new Map(LIBRARIES.map(({ file }) => [file, load(file)])),
    states: fileDigests(join(home, STATE_DIRECTORY)),
  };
}

/** Opens everything with the 16+ line and looks up all earlier data. */
export function compareWith(inventory: Inventory, home: string): Finding[] {
  return [
    ...METRICS.flatMap(({ file, layout }) =>
      compareMetrics(join(home, file), `${file} (${layout})`, inventory.metrics.get(file) as MetricsCensus),
    ),
    ...LIBRARIES.map(({ file }) =>
      compareLibrary(join(home, file), file, inventory.libraries.get(file) as v15.PatternLibrary),
    ),
    compareStates(inventory.states, `${join(home, STATE_DIRECTORY)}.v15.sqlar`),
  ];
}

function compareMetrics(path: string, what: string, before: MetricsCensus): Finding[] {
  const { rows: quarantinedRows, metadata: quarantinedMetadata } = quarantined(path);
  const { total, missing } = lookForUsers(path, before, quarantinedRows);
  const quarantinedCount = [...quarantinedRows.values()].reduce((sum, rows) => sum + rows, 0);
  const findings: Finding[] = [
    {
      what: `${what}: interactions`,
      before: before.interactions,
      after: quarantinedCount === 0 ? String(total) : `${total} + ${quarantinedCount} in quarantine`,
      missing,
    },
  ];
  if (before.metadata.size > 0) {
    const after = new Map([...metadataOf(path), ...quarantinedMetadata]);
    const lost = [...before.metadata].filter(([id, text]) => after.get(id) !== text).length;
    findings.push({
      what: "  metadata, compared exactly",
      before: before.metadata.size,
      after: String(after.size),
      missing: lost,
    });
  }
  return findings;
}

/** Opens the database with the 16+ line and looks up every earlier user. */
function lookForUsers(
  path: string,
  before: MetricsCensus,
  quarantinedRows: Map<string, number>,
): { total: number; missing: number } {
  const collector = new v16.MetricsCollector(path);
  try {
    let missing = 0;
    for (const [user, operations] of before.operationsByUser) {
      missing += Math.max(0, operations - operationsOf(collector, path, user) - (quarantinedRows.get(user) ?? 0));
    }
    return { total: collector.getGlobalStats().total_interactions, missing };
  } finally {
    collector.close();
  }
}

/** Asks the collector; it refuses empty ids and those with NUL or invalid UTF-8, whose rows are counted directly. */
function operationsOf(collector: v16.MetricsCollector, path: string, user: string): number {
  const id = Buffer.from(user, "hex");
  if (id.length > 0 && isUtf8(id) && !id.includes(0)) return collector.getUserStats(id.toString()).total_operations;
  return new Map(read<[string, number]>(path, `SELECT ${USER}, count(*) FROM interactions GROUP BY 1`)).get(user) ?? 0;
}

function read<Row>(path: string, sql: string): Row[] {
  const database = new Database(path, { readonly: true });
  try {
    return database.prepare(sql).raw().all() as Row[];
  } finally {
    database.close();
  }
}

function metadataOf(path: string): [number, string][] {
  return read<[number, string]>(path, "SELECT interaction_id, metadata FROM interaction_metadata");
}

/** Rows that the 16+ layout cannot hold, which the migrator keeps in the quarantine. */
function quarantined(path: string): { rows: Map<string, number>; metadata: [number, string][] } {
  const present = read<[string]>(path, "SELECT name FROM pragma_table_info('perdura_quarantine')").map(
    ([name]) => name,
  );
  if (present.length === 0) return { rows: new Map(), metadata: [] };
  return {
    rows: new Map(read<[string, number]>(path, `SELECT ${USER}, count(*) FROM perdura_quarantine GROUP BY 1`)),
    metadata: present.includes("metadata")
      ? read<[number, string]>(path, "SELECT id, metadata FROM perdura_quarantine WHERE metadata IS NOT NULL")
      : [],
  };
}

function compareLibrary(path: string, file: string, before: v15.PatternLibrary): Finding {
  const after = file.endsWith(".db")
    ? v16.PatternPersistence.loadFromSqlite(path)
    : v16.PatternPersistence.loadFromJson(path);
  const lost = [...before.patterns].filter(([id, pattern]) => !isDeepStrictEqual(after.get(id), pattern));
  return {
    what: `${file}: patterns, field by field`,
    before: before.size,
    after: String(after.size),
    missing: lost.length,
  };
}

function compareStates(before: Map<string, string>, archive: string): Finding {
  const after = archiveDigests(archive);
  const lost = [...before].filter(([name, digest]) => after.get(name) !== digest);
  return {
    what: `${STATE_DIRECTORY}/: state files, byte for byte`,
    before: before.size,
    after: `${after.size} in the archive`,
    missing: lost.length,
  };
}
