export type { ProvidedContext } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The server for all tests of a run; absent on a platform without PostgreSQL. */
    postgresUrl: string | undefined;
  }
}
