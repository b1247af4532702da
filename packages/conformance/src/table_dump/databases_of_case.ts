import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AdapterFault } from "../protocol/channel.ts";
import type { Answer } from "../protocol/messages.ts";
import { buildDatabase } from "./build_database.ts";
import { readDump } from "./dump.ts";

/**
 * The files in which the databases of one case are inspected: the databases themselves, or those built from dumps of
 * their tables.
 */
export class DatabasesOfCase {
  readonly #directory: string;
  readonly #scratch: string;
  readonly #dumps: boolean;
  #folder: string | undefined;
  readonly #built: Map<string, string> = new Map();

  /**
   * @param directory the directory of the case.
   * @param scratch a folder of the suite.
   * @param dumps true if the adapter declares that it dumps tables.
   */
  constructor(directory: string, scratch: string, dumps: boolean) {
    this.#directory = directory;
    this.#scratch = scratch;
    this.#dumps = dumps;
  }

  /**
   * Processes the answer to `settle`.
   * @throws {AdapterFault} when it contradicts the adapter's declaration, or a dump is invalid.
   */
  settle(answer: Answer): void {
    const tables = "tables" in answer ? answer.tables : undefined;
    if ((tables !== undefined) !== this.#dumps)
      throw new AdapterFault(
        "protocol-error",
        this.#dumps
          ? "the adapter declares table_dump, but its answer to settle has no tables"
          : "the adapter's answer to settle has tables, but the adapter does not declare table_dump",
      );
    this.remove();
    for (const dumped of tables ?? []) {
      if (this.#built.has(dumped.db_path))
        throw new AdapterFault("protocol-error", `the adapter gave two dumps of the tables of ${dumped.db_path}`);
      this.#folder ??= mkdtempSync(join(this.#scratch, "tables-"));
      const path = join(this.#folder, `${this.#built.size}.db`);
      buildDatabase(readDump(dumped, this.#directory), path, dumped.db_path);
      this.#built.set(dumped.db_path, path);
    }
  }

  /** The file to inspect for a database of the case; it may be missing. */
  pathOf(file: string): string {
    const path = join(this.#directory, file);
    return this.#built.get(path) ?? path;
  }

  /** Removes the databases that were built. */
  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#built.clear();
  }
}
