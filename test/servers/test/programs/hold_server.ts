/**
 * Starts a server and tells about it; then holds it until this process is killed, or with the argument `once` stops it. With
 * the argument `standby` it holds one of these as well.
 */
import { statSync, writeSync } from "node:fs";
import { startPostgres } from "../../src/postgres/server.ts";
import { startStandby } from "../../src/postgres/standby.ts";
import { treeOf } from "../../src/processes/process_tree.ts";
import { startPgBouncer } from "../../src/pgbouncer/pgbouncer.ts";

/** What it tells. */
export interface HeldServer {
  /** All processes of the server, its pooler and its standby. */
  tree: number[];
  directory: string;
  url: string;
  /** Whose the data are. */
  owner: number;
}

const server = await startPostgres({ durable: true });
const pooler = await startPgBouncer(server);
const standby = process.argv[2] === "standby" ? await startStandby(server) : undefined;
const held: HeldServer = {
  tree: [server, pooler, standby].flatMap((each) => (each === undefined ? [] : treeOf(each.pid))),
  directory: server.directory,
  url: server.url,
  owner: statSync(server.directory).uid,
};
writeSync(1, `${JSON.stringify(held)}\n`);
if (process.argv[2] === "once") {
  await pooler?.stop();
  await server.stop();
} else setInterval(() => {}, 1 << 30);
