import { closeSync, existsSync, openSync } from "node:fs";
import Database from "better-sqlite3";
import { bufferedWriter } from "../library/data.ts";
import { COPIED_COLUMNS } from "../peers/bare_postgres.ts";
import { dataFile, type DataSet } from "./interactions.ts";

/** The path of a file with the rows of a data set in the format of PostgreSQL's COPY; made at the first call. */
export function copyText(directory: string, set: DataSet & { layout: "perdura" }): string {
  const source = dataFile(directory, set);
  const path = `${source}.txt`;
  if (existsSync(path)) return path;
  const database = new Database(source, { readonly: true });
  const lines = database
    .prepare<[], string>(`SELECT ${COPIED_COLUMNS.join(" || char(9) || ")} || char(10) FROM interactions ORDER BY id`)
    .pluck();
  const descriptor = openSync(path, "w");
  const write = bufferedWriter(descriptor);
  for (const line of lines.iterate()) write.text(line);
  write.end();
  closeSync(descriptor);
  database.close();
  return path;
}
