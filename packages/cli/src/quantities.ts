const UNITS = ["bytes", "kB", "MB", "GB", "TB"];

/** `282.6 kB`, `1 byte` */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return countText(bytes, "byte");
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), UNITS.length - 1);
  const value = (bytes / 1000 ** power).toFixed(1);
  // 999,950 bytes and more would be rounded to `1000.0 kB`; they are shown as `1.0 MB`.
  return value === "1000.0" && power < UNITS.length - 1 ? `1.0 ${UNITS[power + 1]}` : `${value} ${UNITS[power]}`;
}

/** `12,345`, from an integer. The formats of `Intl` take longer to load than a small command needs. */
export function numberText(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `12,345 rows`, `1 row` */
export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** `2026-10-20 12:00 UTC` from an ISO 8601 text in UTC; other text is returned unchanged. */
export function timeText(iso: string): string {
  return iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$/, "$1 $2 UTC");
}
