import { dropTestObject } from "@perdura/test-servers/postgres/test_objects.js";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import { newSchema } from "../elements.ts";
import { needs } from "../../../../test/needs.ts";

/** Address of a coordinator of Citus; the tests create and drop schemas of their own there. */
const COORDINATOR = process.env["TEST_CITUS_URL"] ?? "";

/** Options for tables that are distributed over the cluster. */
export const LAYOUT = { distributed: "citus" } as const;

/** A cluster for tests. */
export interface Cluster {
  url: string;
  /** Returns a name for a schema, which is dropped after all tests. */
  schema: () => string;
}

/** Describes tests on a cluster; without one they are skipped. */
export function describeOnCitus(title: string, tests: (cluster: Cluster) => void): void {
  describe(`Citus, ${title}`, needs("citus", COORDINATOR === ""), () => {
    const made: string[] = [];
    let coordinator: pg.Client;

    beforeAll(async () => {
      coordinator = new pg.Client(COORDINATOR);
      await coordinator.connect();
    });

    afterAll(async () => {
      for (const name of made) await dropTestObject(coordinator, "SCHEMA", name);
      await coordinator.end();
    });

    tests({
      url: COORDINATOR,
      schema: () => {
        const name = newSchema();
        made.push(name);
        return name;
      },
    });
  });
}
