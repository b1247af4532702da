export type { ProvidedContext } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The server for all tests of a run; absent on a platform without PostgreSQL. */
    postgresUrl: string | undefined;
  }

  // The same as in `test/needs.ts`, which this package cannot import: tests run copies of it.
  interface TaskMeta {
    needs?: string;
  }
}
