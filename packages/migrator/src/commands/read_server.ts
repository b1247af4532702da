import { FileNotFoundError } from "@perdura/internals/errors/errors.js";
import type { Contents } from "@perdura/postgres/tables";
import type { SourceDatabase, StoredRow, StoredValue } from "@perdura/summary/source.js";
import { INTERACTION_COLUMNS, USAGE_COLUMNS } from "@perdura/summary/stored_rows.js";
import { loadTables } from "../copy/postgres/packages.ts";
import type { ReadableDatabase } from "./read_data.ts";

/** The schema that perdura uses by default. */
const STANDARD = "perdura";

/** The database of a server. */
export interface FoundServer {
  /** The address without its password. */
  place: string;
  databases: ReadableDatabase[];
}

/** Settings of a search in a server. */
interface ServerSettings {
  /** The only schema to read; undefined for all schemas with tables of perdura. */
  schema: string | undefined;
  busyTimeoutMs: number;
}

/**
 * Finds the schemas with tables of perdura in the database of a server. Each is read like a database.
 *
 * @throws FileNotFoundError if no schema has them; MissingPackageError if the packages for PostgreSQL are not installed.
 */
export async function findInServer(address: string, { schema, busyTimeoutMs }: ServerSettings): Promise<FoundServer> {
  const open = await loadTables();
  const server = open(address, { busyTimeoutMs });
  const { place } = server;
  const present = await server.schemas().finally(() => server.close());
  const chosen = present.filter((name) => schema === undefined || name === schema);
  if (chosen.length === 0) throw new FileNotFoundError(nothingIn(schema, present), { path: place });
  const databases = chosen.map((name): ReadableDatabase => {
    const path = name === STANDARD ? place : `${place} (schema ${name})`;
    return {
      path,
      bytes: null,
      read: async (task) => {
        const tables = open(address, { schema: name, busyTimeoutMs });
        try {
          return await tables.read(async (contents) => task(sourceOf(path, contents)));
        } finally {
          await tables.close();
        }
      },
    };
  });
  return { place, databases };
}

function nothingIn(schema: string | undefined, present: readonly string[]): string {
  if (present.length === 0) return "no schema of this database has tables of perdura.";
  return `the schema ${schema} has no tables of perdura. These schemas have them: ${present.join(", ")}.`;
}

function sourceOf(path: string, { metrics, patterns, usage, orphanedMetadata }: Contents): SourceDatabase {
  return {
    path,
    line: "16+",
    layout: "PostgreSQL, layout of version 16",
    refusal: null,
    metrics:
      metrics === null
        ? null
        : {
            hasLevels: true,
            hasLostLevels: false,
            statistics: metrics,
            rows: { columns: INTERACTION_COLUMNS, read: () => interactionsOf(metrics) },
            exportTo: (filepath, options) => metrics.exportTo(filepath, options),
          },
    patterns,
    usage: { columns: USAGE_COLUMNS, read: () => usesOf(usage()) },
    orphanedMetadata,
    quarantine: () => [],
  };
}

async function* interactionsOf(metrics: NonNullable<Contents["metrics"]>): AsyncGenerator<StoredRow, void> {
  for await (const { id: text, user_id, level, success, response_time_ms, timestamp, metadata } of metrics.rows()) {
    const id = BigInt(text);
    const values = [user_id, level, success ? 1n : 0n, response_time_ms, timestamp, metadata] as StoredValue[];
    yield { id, table: "interactions", ownId: id, values };
  }
}

async function* usesOf(uses: ReturnType<Contents["usage"]>): AsyncGenerator<StoredRow, void> {
  for await (const { id: text, pattern_id, agent_id, success, used_at } of uses) {
    const id = BigInt(text);
    yield { id, table: "pattern_usage", ownId: id, values: [pattern_id, agent_id, success ? 1n : 0n, used_at] };
  }
}
