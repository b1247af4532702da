/** `12,345 rows`, `1 row`; for the stores of backups, programs take it from their kit. */
export function countText(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
