import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadAdapter } from "../../src/implementations.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import type { Adapter } from "../../src/protocol/messages.ts";
import { dumpOfFile } from "./dump_of_file.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";

const DATABASES = ["metrics", "trends", "patterns_sqlite", "usage"];

/** The same implementation with dumps of its files instead of the files. */
function dumping(adapter: Adapter): Adapter {
  const databases = new Set<string>();
  let directory = "";
  return {
    async handle(request) {
      if (request.type === "begin") {
        databases.clear();
        directory = request.directory;
      }
      if (request.type === "call" && typeof request.args["db_path"] === "string")
        databases.add(request.args["db_path"]);
      const answer = await adapter.handle(request);
      const { seq } = request;
      if ("capabilities" in answer) return { ...answer, capabilities: [...DATABASES, "table_dump"] };
      if (request.type !== "settle") return answer;
      const tables = [...databases]
        .filter((path) => existsSync(path))
        .map((path, index) => {
          const file = join(directory, `dump-${index}.json`);
          writeFileSync(file, JSON.stringify(dumpOfFile(path)));
          return { db_path: path, file };
        });
      return { seq, type: "ok", tables };
    },
  };
}

it("an implementation gets the same verdicts by dumps and by files", async () => {
  const adapter = inProcessAdapter("dumps", async () => dumping(await loadAdapter("perdura-16")));
  const { cases } = await runWithLongTimeout({ adapter });
  const judged = cases.filter(({ verdict }) => !["inapplicable", "unsupported"].includes(verdict));
  expect(judged.length).toBeGreaterThanOrEqual(138);
  // By its files, the implementation passes every case that applies: dev/selftest/test/lines.
  expect(judged.filter(({ verdict, failures }) => verdict !== "pass" || failures.length > 0)).toEqual([]);
});
