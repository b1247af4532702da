export type { ProvidedContext } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The server for all tests of a run; absent where there is none for this platform. */
    postgresUrl: string | undefined;
  }
}
