import { newClusterDatabase, type TestDatabase } from "@perdura/test-servers/postgres/database.js";
import { afterAll, beforeAll, describe } from "vitest";
import { needs } from "../../../../test/needs.ts";

/** Address of a coordinator of Citus; the tests create and drop databases of their own there and on its workers. */
const COORDINATOR = process.env["TEST_CITUS_URL"] ?? "";

/** Options for tables that are distributed over the cluster. */
export const LAYOUT = { distributed: "citus" } as const;

/** A database on all servers of a cluster, for the tests of one `describe`. */
export interface Cluster {
  /** Its address at the coordinator; read in the tests. */
  readonly url: string;
}

/** Describes tests on a cluster; without one they are skipped. */
export function describeOnCitus(title: string, tests: (cluster: Cluster) => void): void {
  describe(`Citus, ${title}`, needs("citus", COORDINATOR === ""), () => {
    let database: TestDatabase | undefined;

    beforeAll(async () => {
      database = await newClusterDatabase(COORDINATOR);
    });

    afterAll(() => database?.drop());

    tests({
      get url() {
        return database?.url ?? "";
      },
    });
  });
}
