/** Quotes a name for SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes text for SQL. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of quoted names. */
export function sqlNames(names: readonly string[]): string {
  return names.map(sqlName).join(", ");
}
