// A separate process that becomes an unprivileged user (65534) and enters the doors of one intent. Arguments: intent,
// path, folder for what the operations need. Prints a JSON array with a pair for each door: name, and refusal or null.
// The programs that start helper processes need a Node.js that this user may run; their own tests see to them.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import { type Door, DOORS } from "../doors.ts";

const [intent, path, folder] = process.argv.slice(2) as [string, string, string];
// Loads the driver while its files can still be read.
new MetricsCollector(":memory:").close();
process.setgid?.(65_534);
process.setuid?.(65_534);
const isTried = (door: Door): boolean => door.intent === intent && !/migrate|inspect/.test(door.name);
const answers: [string, string | null][] = [];
for (const [index, { name, enter }] of DOORS.filter(isTried).entries()) {
  const own = join(folder, `${index}`);
  mkdirSync(own);
  answers.push([name, (await enter(path, own)) ?? null]);
}
console.log(JSON.stringify(answers));
