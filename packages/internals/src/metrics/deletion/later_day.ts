/**
 * A text that is greater than every timestamp of a row before a moment: such a timestamp may be in a zone, where it is
 * already the next day.
 */
export function laterDay(moment: string): string {
  const day = new Date(`${moment.slice(0, 10)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + 2);
  return day.getUTCFullYear() > 9999 ? "~" : day.toISOString().slice(0, 10);
}
