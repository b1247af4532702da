import { isPostgresAddress } from "@perdura/internals/text/addresses.js";
import type { PostgresTables } from "@perdura/postgres/tables";
import { loadTables } from "../copy/postgres/packages.ts";
import { type MaintainedDatabase, maintainedDatabase, type MaintenanceReport } from "../core/maintenance_report.ts";
import type { AnyOptions } from "../core/options.ts";
import { runReported } from "./maintenance.ts";
import type { Session } from "./session.ts";

/** A schema of a server, with its part of the report. */
export interface Server {
  item: MaintainedDatabase;
  tables: PostgresTables;
}

/** Options for schemas in PostgreSQL. */
export interface ServerOptions extends AnyOptions {
  schema: string | undefined;
}

/** The default for a schema. */
const SCHEMA = "perdura";

/** True if all targets are addresses of servers. */
export function isServers(targets: string | readonly string[]): boolean {
  const list: readonly unknown[] = Array.isArray(targets) ? targets : [targets];
  return list.length > 0 && list.every((target) => typeof target === "string" && isPostgresAddress(target));
}

/**
 * The part of commands that works on schemas in PostgreSQL, as `runMaintenance` does on files.
 *
 * @throws MissingPackageError if the packages for PostgreSQL are not installed.
 */
export async function runOnServers(
  command: MaintenanceReport["command"],
  places: string | readonly string[],
  { schema = SCHEMA, ...options }: ServerOptions,
  work: (run: Session, servers: readonly Server[], report: MaintenanceReport) => Promise<void>,
): Promise<MaintenanceReport> {
  const open = await loadTables();
  const opened = [places].flat().map((place) => open(place, { schema, busyTimeoutMs: options.busyTimeoutMs }));
  try {
    // Without passwords.
    const names = opened.map(({ place }) => (schema === SCHEMA ? place : `${place} (schema ${schema})`));
    return await runReported(command, names, options, async (run, report) => {
      const servers = opened.map((tables, each): Server => {
        const item = { ...maintainedDatabase(names[each] as string, null), layout: "postgresql-16" };
        report.databases.push(item);
        return { item, tables };
      });
      await run.stage(names[0] as string, "discover", "searching");
      await work(run, servers, report);
    });
  } finally {
    await Promise.all(opened.map((tables) => tables.close()));
  }
}
