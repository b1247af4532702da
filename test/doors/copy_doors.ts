import { join } from "node:path";
import * as v16 from "@perdura/v16";
import { main as migrate } from "../../packages/migrator/src/cli/main.ts";
import { runMain } from "../run_main.ts";
import { newDatabase } from "../servers/src/postgres/database.ts";
import type { Door } from "./doors.ts";

/** Runs `perdura-migrate copy` with an empty database of a server; returns what it printed if it fails. */
async function copying(
  server: string,
  folder: string,
  words: (address: string) => string[][],
): Promise<string | undefined> {
  const database = await newDatabase(server);
  try {
    for (const each of words(database.url)) {
      const { code, stdout, stderr } = await runMain(migrate, ["copy", ...each], { cwd: folder });
      if (code !== 0) return `${stdout}${stderr}`;
    }
    return undefined;
  } finally {
    await database.drop();
  }
}

/** A database in the 16 layout with one interaction, of another user than that of the target. */
function recorded(folder: string): string {
  const path = join(folder, "recorded.db");
  const collector = new v16.MetricsCollector(path);
  collector.recordInteraction("carol", 4, true, 1);
  collector.close();
  return path;
}

/** The doors that copy between a file and a database of a server. */
export const copyDoors = (server: string): Door[] => [
  {
    name: "perdura-migrate copy to PostgreSQL",
    intent: "read",
    enter: (path, folder) => copying(server, folder, (address) => [[path, address]]),
  },
  {
    name: "perdura-migrate copy from PostgreSQL",
    intent: "write",
    enter: (path, folder) =>
      copying(server, folder, (address) => [
        [recorded(folder), address],
        [address, path, "--replace"],
      ]),
  },
];
