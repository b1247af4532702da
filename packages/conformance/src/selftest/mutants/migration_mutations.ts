import { join } from "node:path";
import { alters, answers } from "./mutations.ts";
import type { Call, Mutation } from "./mutations.ts";

/** Runs SQL on a database. */
export const runOn = (path: string, sql: string): void => alters(sql, false).settled?.([path]);

/** What a migration is about: the path, or a place in the directory that it names. */
export const within = ({ args }: Call, ...place: string[]): string => join(args.path as string, ...place);

/** Does something when the migration is done. */
export const afterwards = (work: (request: Call) => void): Mutation =>
  answers("migrate", (answer, request) => {
    if (answer.type === "ok") work(request);
    return answer;
  });
/** Runs SQL on the migrated database, or on one in the migrated directory. */
export const spoils = (sql: string, ...place: string[]): Mutation =>
  afterwards((request) => runOn(within(request, ...place), sql));
/** The same with the archive of the migrated directory of states. */
export const spoilsArchive = (sql: string): Mutation =>
  afterwards(({ args }) => runOn(`${args.path as string}.v15.sqlar`, sql));
