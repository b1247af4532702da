import { startAzurite } from "@perdura/test-servers/azurite/azurite.js";
import type { TestProject } from "vitest/node";
import { buildProgram } from "../../../dev/tools/build_program.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /**
     * Connection string of the Azurite of this run; empty if `TEST_AZURE_CONNECTION_STRING` names an account instead.
     */
    azurite: string;
  }
}

/**
 * Builds the program that `cli/program.ts` starts, and starts Azurite, which takes longer than most files of tests:
 * once for all of them.
 *
 * @returns A function that removes the program and stops the server.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { program, remove } = buildProgram("backup", "perdura-backup");
  process.env["PERDURA_BACKUP"] = program;
  const azurite = (process.env["TEST_AZURE_CONNECTION_STRING"] ?? "") === "" ? await startAzurite() : undefined;
  project.provide("azurite", azurite?.connectionString ?? "");
  return async () => {
    remove();
    await azurite?.stop();
  };
}
