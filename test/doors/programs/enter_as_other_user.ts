// A separate process that becomes an unprivileged user (65534) and enters doors. Arguments: a JSON array with a pair for
// each door, its name and the path of its database; a folder for what the operations need; and the address of a
// PostgreSQL server if there is one. Prints a JSON array with a pair for each door: name, and refusal or null. Needs a
// Node.js that this user may run, for helper processes.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { copyDoors } from "../copy_doors.ts";
import { type Door, DOORS } from "../doors.ts";

const [places, folder, server] = process.argv.slice(2) as [string, string, string?];
// Loads the driver while its files can still be read.
new MetricsCollector(":memory:").close();
process.setgid?.(65_534);
process.setuid?.(65_534);
const doors = [...DOORS, ...(server === undefined ? [] : copyDoors(server))];
const answers: [string, string | null][] = [];
for (const [name, path] of JSON.parse(places) as [string, string][]) {
  const { enter } = doors.find((door) => door.name === name) as Door;
  const own = join(folder, `${answers.length}`);
  mkdirSync(own);
  answers.push([name, (await enter(path, own)) ?? null]);
}
console.log(JSON.stringify(answers));
