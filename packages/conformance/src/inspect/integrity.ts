import type { ScratchDatabase } from "./database_copy.ts";

const VIRTUAL = /^create(?:\s|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)+virtual\b/i;

/**
 * True for the text of a virtual table. It has no root page, unless somebody forged one. SQLite takes comments for blanks.
 *
 * @param sql what `sqlite_schema` has.
 */
export function isVirtualTable(sql: unknown, rootpage: unknown): boolean {
  return Number(rootpage) <= 0 || VIRTUAL.test(String(sql));
}

/**
 * What SQLite finds wrong with a file (`PRAGMA integrity_check`); nothing in a sound one.
 *
 * Virtual tables would be asked to check themselves, and one of them may take its rows from a view that has no end. So
 * where there are any, the ordinary tables are checked one by one; what virtual tables store lies in ordinary ones.
 */
export function* brokenIntegrity(copy: ScratchDatabase): Generator<string, void, undefined> {
  const tables = [...copy.each("SELECT name, sql, rootpage FROM sqlite_schema WHERE type = 'table'")];
  const ordinary = tables.filter(([, sql, rootpage]) => !isVirtualTable(sql, rootpage));
  if (ordinary.length === tables.length) return yield* faults(copy, "1000");
  for (const [name] of [["sqlite_schema"], ...ordinary]) yield* faults(copy, `"${String(name).replaceAll('"', '""')}"`);
}

function* faults(copy: ScratchDatabase, argument: string): Generator<string, void, undefined> {
  for (const [message] of copy.each(`PRAGMA integrity_check(${argument})`)) if (message !== "ok") yield String(message);
}
