/**
 * Starts a server and prints its facts; then holds it until this process is killed, or stops it with the argument
 * `once`. With the argument `standby` it holds a standby as well.
 */
import { statSync, writeSync } from "node:fs";
import { startPostgres } from "../../src/postgres/server.ts";
import { startStandby } from "../../src/postgres/standby.ts";
import { treeOf } from "../../src/processes/process_tree.ts";
import { startPgBouncer } from "../../src/pgbouncer/pgbouncer.ts";

/** Facts that it prints. */
export interface HeldServer {
  /** All processes of the server, its pooler and its standby. */
  tree: number[];
  directory: string;
  url: string;
  /** User id of the owner of the data. */
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
