import type { Names } from "./names.ts";

/** Version of the tables. A program refuses tables of another version. */
export const LAYOUT_VERSION = 1;

/** The table that contains the version of the tables, and whether a library was saved. */
export function metaTable(names: Names, distributed: "citus" | undefined): string[] {
  return [
    `CREATE TABLE ${names.meta} (key text PRIMARY KEY, value text NOT NULL)`,
    recordVersion(names),
    ...(distributed === undefined ? [] : [`INSERT INTO ${names.meta} VALUES ('distributed', '${distributed}')`]),
  ];
}

export function recordVersion(names: Names): string {
  return `INSERT INTO ${names.meta} VALUES ('layout_version', '${LAYOUT_VERSION}')
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
}
