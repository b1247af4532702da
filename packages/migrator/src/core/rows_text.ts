/** `1 row`, `3 rows` */
export function rowsText(rows: number): string {
  return `${rows} ${agreeing(rows, "row", "rows")}`;
}

/** The singular or plural form for a number. */
export function agreeing(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}

/** `1 row is`, `3 rows are`, with optional words before the verb. */
export function rowsAre(rows: number, which = ""): string {
  return `${rowsText(rows)}${which === "" ? "" : ` ${which}`} ${agreeing(rows, "is", "are")}`;
}

/** `1 row was`, `3 rows were` */
export function rowsWere(rows: number): string {
  return `${rowsText(rows)} ${agreeing(rows, "was", "were")}`;
}
