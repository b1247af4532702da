import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import { violations } from "../corpus/schemas.ts";
import { AdapterFault } from "../protocol/channel.ts";
import type { DumpedDatabase } from "../protocol/messages.ts";
import { readStrictJson } from "../values/strict_json.ts";
import { contradictions } from "./contradictions.ts";
import type { TableDump } from "./dump.ts";

/**
 * Reads what an adapter gave instead of a database file.
 * @throws {AdapterFault} for a dump that is not there, lies elsewhere, breaks the schema or contradicts itself.
 */
export function readDump({ db_path: database, file }: DumpedDatabase, directory: string): TableDump {
  const breach = (what: string): AdapterFault =>
    new AdapterFault("protocol-error", `the dump of the tables of ${database} ${what}`);
  if (!existsSync(file) || !statSync(file).isFile()) throw breach(`is not there: ${file}`);
  if (!liesIn(file, directory)) throw breach(`lies outside the case's directory: ${file}`);
  const { value, problems } = readStrictJson(readFileSync(file));
  if (problems.length > 0) throw breach(`is no JSON that every parser reads alike: ${problems.join("; ")}`);
  const theirs = violations("table-dump", value);
  if (theirs.length > 0) throw breach(`is invalid: ${theirs.join("; ")}`);
  const dump = value as unknown as TableDump;
  const faults = contradictions(dump);
  if (faults.length > 0) throw breach(`contradicts itself: ${faults.slice(0, 3).join("; ")}`);
  return dump;
}

function liesIn(file: string, directory: string): boolean {
  const path = relative(realpathSync(directory), realpathSync(file));
  return path !== "" && !path.startsWith("..") && !isAbsolute(path);
}
