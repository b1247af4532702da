import { appendFileSync, chownSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { plainUser } from "../processes/plain_user.ts";
import { dataIn } from "./cluster.ts";
import { postgresPrograms } from "./copied_binaries.ts";
import { type PostgresServer, startServer } from "./server.ts";

/** Files, and folders whose content belongs to the running server and not to its data. */
const OF_ONE_SERVER = new Set(["postmaster.pid", "postmaster.opts", "pg_internal.init"]);
const NOT_COPIED = new Set(["pg_wal", "pg_replslot", "pg_dynshmem", "pg_notify", "pg_stat_tmp", "pg_subtrans"]);

/**
 * Starts a hot standby that follows a running server by streaming replication; resolves once it answers queries.
 * `SELECT pg_promote()` makes it an independent server. It ends with our process at the latest, and has the primary's version.
 *
 * ```ts
 * const primary = await startPostgres();
 * const standby = await startStandby(primary);
 * ```
 *
 * @param primary A server with `wal_level` of at least `replica`, as it is by default.
 */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const version = Number(readFileSync(join(dataIn(primary.directory), "PG_VERSION"), "utf8"));
  return startServer(postgresPrograms(version), (directory) => copyCluster(primary, version, directory));
}

/** Copies the data of a running server, like `pg_basebackup`, which the packages lack. */
async function copyCluster(primary: PostgresServer, version: number, directory: string): Promise<void> {
  const [begin, end] =
    version >= 15
      ? ["pg_backup_start('standby', true)", "pg_backup_stop(false)"]
      : ["pg_start_backup('standby', true, false)", "pg_stop_backup(false, false)"];
  const [from, to] = [dataIn(primary.directory), dataIn(directory)];
  const client = new Client({ connectionString: primary.url });
  await client.connect();
  try {
    await client.query(`SELECT ${begin}`);
    copyFolder(from, to);
    const { rows } = await client.query<{ label: string }>(`SELECT labelfile AS label FROM ${end}`);
    writeFileSync(join(to, "backup_label"), rows[0]?.label ?? "");
    // The WAL of the changes during the copy, up to its end.
    copyFolder(join(from, "pg_wal"), join(to, "pg_wal"));
  } finally {
    await client.end();
  }
  writeFileSync(join(to, "standby.signal"), "");
  const settings = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres'\nhot_standby = 'on'\n`;
  appendFileSync(join(to, "postgresql.conf"), settings);
  for (const name of ["backup_label", "standby.signal"]) give(join(to, name));
}

function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  give(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && NOT_COPIED.has(entry.name)) {
      mkdirSync(target, { mode: 0o700 });
      give(target);
    } else if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isFile() && !OF_ONE_SERVER.has(entry.name)) copyFile(source, target);
  }
}

/** Copies a file unless the server has removed it since the folder was listed. */
function copyFile(from: string, to: string): void {
  try {
    copyFileSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  give(to);
}

/** Gives a file to the user of the servers. */
function give(path: string): void {
  const user = plainUser();
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}
