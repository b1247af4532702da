import { tmpdir } from "node:os";
import { openCopy } from "../inspect/database_copy.ts";
import type { Adapter } from "../protocol/messages.ts";
import { mutate } from "./mutants/mutate.ts";
import type { Mutation } from "./mutants/mutations.ts";

/** What a case asked an implementation for, as far as a mutation can act on it. */
export interface Trace {
  operations: Set<string>;
  /** Names of the tables in each database, every time that the suite was about to look. */
  databases: Set<unknown>[];
}

/** Leaves an implementation as it is and notes what each case asks of it, by the id of the case. */
export function traced(inner: Adapter, traces: Map<string, Trace>): Adapter {
  let trace: Trace = { operations: new Set(), databases: [] };
  const watched = mutate(inner, {
    before(request) {
      trace.operations.add(request.op);
      return request;
    },
    settled: (databases) => void trace.databases.push(...databases.map(tablesOf)),
  });
  return {
    handle(request) {
      if (request.type === "begin") {
        trace = { operations: new Set(), databases: [] };
        traces.set(request.case, trace);
      }
      return watched.handle(request);
    },
  };
}

/** Looks into a copy: to open the database itself can add a log to it, or end one. */
function tablesOf(path: string): Set<unknown> {
  const database = openCopy(path, tmpdir());
  try {
    return new Set(database.rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name));
  } finally {
    database.close();
  }
}

/**
 * True where a mutation has something to change. Until it changes something for the first time, a case goes as it does
 * without it: a mutation that finds nothing to act on in such a run never acts in this case.
 */
export function actsOn({ op, table, before, answer, settled }: Mutation, { operations, databases }: Trace): boolean {
  const asked = op === undefined ? operations.size > 0 : operations.has(op);
  const written = databases.some((tables) => table === undefined || tables.has(table));
  return ((before !== undefined || answer !== undefined) && asked) || (settled !== undefined && written);
}
