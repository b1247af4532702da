import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PostgresOptions } from "@perdura/postgres";
import type { Pool } from "pg";
import type { DumpedDatabase } from "../../src/protocol/messages.ts";
import type { StoredElsewhere } from "../line_adapter.ts";
import { dumpSchema } from "./dump_schema.ts";

/** The databases of a case, each a schema of PostgreSQL whose name is derived from the path in the case. */
export class CaseDatabases implements StoredElsewhere {
  readonly pool: Pool;
  readonly #schemas: Map<string, string> = new Map();

  constructor(pool: Pool) {
    this.pool = pool;
  }

  /** The schema for a path, and its layout; it is created when something is stored in it. */
  optionsOf(path: string): PostgresOptions {
    const schema = this.#schemaOf(path);
    return process.env["TEST_LAYOUT"] === "citus" ? { schema, distributed: "citus" } : { schema };
  }

  #schemaOf(path: string): string {
    const known = this.#schemas.get(path);
    if (known !== undefined) return known;
    const schema = `conformance_${createHash("sha256").update(path).digest("hex").slice(0, 40)}`;
    this.#schemas.set(path, schema);
    return schema;
  }

  async dump(directory: string): Promise<DumpedDatabase[]> {
    const dumped: DumpedDatabase[] = [];
    for (const [path, schema] of this.#schemas) {
      const dump = await dumpSchema(this.pool, schema);
      if (dump === undefined) continue;
      const file = join(directory, `${schema}.json`);
      writeFileSync(file, JSON.stringify(dump));
      dumped.push({ db_path: path, file });
    }
    return dumped;
  }

  async forget(): Promise<void> {
    for (const schema of this.#schemas.values()) await this.pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    this.#schemas.clear();
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
