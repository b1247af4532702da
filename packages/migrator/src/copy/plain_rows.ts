import type { Column, CopiedTable } from "./tables.ts";

/**
 * A condition in SQL that only rows meet of which every store holds every value; those that do not have to be looked at.
 * SQLite tests a million rows in a third of the time in which they are read.
 *
 * @returns Undefined for tables with values that SQL cannot judge.
 */
export function plainCondition({ columns }: CopiedTable): string | undefined {
  const conditions = columns.map(plainValue);
  return conditions.includes(undefined) ? undefined : conditions.join(" AND ");
}

function plainValue({ name, kind, required, from }: Column): string | undefined {
  if (from !== undefined) return undefined;
  const value = `own.${name}`;
  const type = `typeof(${value})`;
  const plain = { integer: `${type} = 'integer'`, real: `${type} = 'real'` };
  const condition = {
    ...plain,
    boolean: `(${plain.integer} AND ${value} IN (0, 1))`,
    level: `(${plain.integer} AND ${value} BETWEEN -2147483648 AND 2147483647)`,
    // Printable ASCII; the length of a text ends at a NUL character, that of its bytes does not.
    text: `(${type} = 'text' AND ${value} NOT GLOB '*[^ -~]*' AND length(${value}) = octet_length(${value}))`,
    json: undefined,
  }[kind === "time" ? "text" : kind];
  if (condition === undefined || required) return condition;
  return `(${value} IS NULL OR ${condition})`;
}
