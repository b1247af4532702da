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

/** SQL that is true for the same value in the same storage class, whatever collation or affinity the columns have. */
export function sameValue(one: string, other: string): string {
  return `((+${one}) IS (+${other}) COLLATE BINARY AND typeof(${one}) = typeof(${other}))`;
}

/** Conditions of which one has to hold. SQLite allows expressions of a limited depth, so many columns make a tree. */
export function anyOf(conditions: readonly string[]): string {
  return joined(conditions, "OR", "false");
}

/** Conditions that all have to hold. */
export function allOf(conditions: readonly string[]): string {
  return joined(conditions, "AND", "true");
}

function joined(conditions: readonly string[], operator: "AND" | "OR", ofNone: string): string {
  if (conditions.length <= 1) return conditions[0] === undefined ? ofNone : `(${conditions[0]})`;
  const middle = conditions.length >> 1;
  const [left, right] = [conditions.slice(0, middle), conditions.slice(middle)];
  return `(${joined(left, operator, ofNone)} ${operator} ${joined(right, operator, ofNone)})`;
}
