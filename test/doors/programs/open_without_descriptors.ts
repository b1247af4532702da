// Opens a new database while 0, 1, 2 … descriptors are left. Argument: a folder. Prints a line for each number: the code and
// the message of the error, or the journal mode of the database.
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { MetricsCollector } from "@perdura/v16";
import Database from "better-sqlite3";

const MOST = 10;
const [folder] = process.argv.slice(2) as [string];
new MetricsCollector(":memory:").close();
const taken: number[] = [];
function takeAll(): void {
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    // No descriptor is left.
  }
}
const giveBack = (count: number): void => taken.splice(0, count).forEach((descriptor) => closeSync(descriptor));
const answers: string[] = [];
for (let left = 0; left <= MOST; left += 1) {
  const path = join(folder, `${left}.db`);
  takeAll();
  giveBack(left);
  let answer: string | undefined;
  try {
    new MetricsCollector(path).close();
  } catch (error) {
    answer = `${(error as { code: string }).code} ${(error as Error).message}`;
  }
  giveBack(MOST);
  if (answer === undefined) {
    const database = new Database(path);
    answer = String(database.pragma("journal_mode", { simple: true }));
    database.close();
  }
  answers.push(answer);
}
giveBack(taken.length);
console.log(answers.join("\n"));
