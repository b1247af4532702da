/** Quotes a name for SQL. */
export function sqlName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes text for SQL. PostgreSQL reads backslashes literally (`standard_conforming_strings`), as SQLite does. */
export function sqlText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
