import { expect } from "vitest";
import type { Door } from "./doors.ts";

/** Answers of doors to a database with metrics and patterns that they have read, and not just failed to open. */
const ANSWERS: Readonly<Record<string, RegExp>> = {
  "loadFromJson of pre-16": /not valid JSON/,
  "loadFromJson of 16": /not valid JSON/,
  "saveToJson of pre-16": /is an SQLite database, which saving would replace/,
  "saveToJson of 16": /is an SQLite database, which saving would replace/,
  "loadState of u": /not valid JSON/,
  "perdura-backup pull": /The file was kept/,
  "perdura-backup pull of a backup": /the content differs from what was stored/,
  "perdura-migrate verify": /There is no backup to compare with/,
  "perdura-migrate states": /expected an archive of perdura-migrate, found another database/,
  "perdura-migrate states --extract": /expected an archive of perdura-migrate, found another database/,
};

/** Checks that a door did its work on such a database, or refused it for what is in it. */
export function expectEntered({ name }: Pick<Door, "name">, refusal: string | null | undefined): void {
  expect(refusal ?? "", name).toMatch(ANSWERS[name] ?? /^$/);
}
