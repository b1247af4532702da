// Run by Bun: its own driver, used plainly, with the arguments of the path, the durability and the statements. Each line of
// input is a number of rows to record; one line with the milliseconds of a row answers it.
import { createInterface } from "node:readline";
import { Database } from "bun:sqlite";

const [path, synchronous, schema, insert] = process.argv.slice(2);
const database = new Database(path);
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; ${schema}`);
const statement = database.prepare(insert);

for await (const line of createInterface({ input: process.stdin })) {
  const rows = Number(line);
  const start = performance.now();
  for (let row = 0; row < rows; row += 1) statement.run(`user-${row % 50}`, 1 + (row % 5), row % 3 === 0 ? 0 : 1, row);
  process.stdout.write(`${JSON.stringify({ milliseconds: (performance.now() - start) / rows })}\n`);
}
