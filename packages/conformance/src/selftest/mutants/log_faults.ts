import { rmSync } from "node:fs";
import type { Mutation } from "./mutations.ts";
import { prepares } from "./sqlite_mutations.ts";

/** Takes a database for its main file, and has no eye for the write-ahead log beside it. */
export const overlooksLog = (op: string): Mutation =>
  prepares(op, ({ args }) => rmSync(`${(args.db_path ?? args.path) as string}-wal`, { force: true }));
