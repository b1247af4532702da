import { appendFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { PATIENCE_MS } from "../../../test/patience.ts";
import { differences } from "../src/gold/compare_gold.ts";
import { FILES, filesOf } from "../src/gold/manifest.ts";
import { runSql } from "../src/gold/make_database.ts";
import { loadCases, shippedCorpus } from "../../../packages/conformance/src/corpus/load_cases.ts";
import { loadRequirements } from "../../../packages/conformance/src/corpus/requirements.ts";
import { implementationAdapter } from "../../../packages/conformance/src/implementations.ts";
import { match } from "../../../packages/conformance/src/matching/match.ts";
import { Session } from "../../../packages/conformance/src/runner/session.ts";
import { inRange } from "../../../packages/conformance/src/corpus/version_range.ts";
import type { JsonObject, JsonValue } from "../../../packages/conformance/src/values/json_value.ts";

const FOLDERS = ["hand", "perdura-15", "perdura-16", "python-15", "python-16"];
let files: string;
beforeEach(() => {
  files = join(freshFolder(), "files");
  cpSync(FILES, files, { recursive: true });
});

describe("the gold files", () => {
  it("match the manifest and their producers", async () => {
    expect(await differences(files)).toEqual([]);
  });

  it("are found out when a byte, a row or an expectation changes, or a file is lost", async () => {
    appendFileSync(join(files, "hand", "crlf.json"), " ");
    runSql(join(files, "perdura-16", "metrics.db"), "UPDATE interactions SET level = 2 WHERE id = 1");
    appendFileSync(join(files, "perdura-15", "expected.json"), "\n");
    rmSync(join(files, "perdura-15", "states", "bob.json"));
    expect((await differences(files)).toSorted()).toEqual([
      "files/hand/crlf.json: not the file that files/manifest.json lists",
      "files/perdura-15/expected.json: not the file that files/manifest.json lists",
      "files/perdura-15/states/bob.json: its producer writes something else now",
      "files/perdura-15/states/bob.json: not the file that files/manifest.json lists",
      "files/perdura-16/metrics.db: its producer writes something else now",
      "files/perdura-16/metrics.db: not the file that files/manifest.json lists",
    ]);
  });

  it("are small", () => {
    const bytes = filesOf(FILES).reduce((sum, name) => sum + readFileSync(join(FILES, name)).length, 0);
    expect(bytes).toBeLessThan(600_000);
  });

  it("are all used by a case", () => {
    const steps = loadCases(shippedCorpus(), loadRequirements()).flatMap((loaded) => loaded.case.steps);
    const given = new Set(steps.flatMap((step) => ("put" in step && step.file !== undefined ? [step.file] : [])));
    const notes = new Set(["expected.json", "manifest.json", "README.md"]);
    const kept = filesOf(FILES).filter((name) => !name.endsWith("-wal") && !notes.has(basename(name)));
    expect([...given].toSorted()).toEqual(kept);
  });
});

describe.each(["perdura-15", "perdura-16"] as const)("%s finds what expected.json states", (name) => {
  it.each(FOLDERS)("in %s", async (folder) => {
    const source = implementationAdapter(name);
    const session = await Session.open(source, { line: name.slice(-2), sandbox: files, timeoutMs: PATIENCE_MS });
    const expected = JSON.parse(readFileSync(join(files, folder, "expected.json"), "utf8")) as Record<
      string,
      JsonObject
    >;
    await session.send({ type: "begin", case: "gold", directory: files });
    for (const [file, { versions, ...wanted }] of Object.entries(expected)) {
      if (versions !== undefined && !inRange(session.introduction.spec_version, versions as string)) continue;
      const found = await look(session, join(files, folder, file), wanted);
      expect(match(wanted, found, 0), file).toEqual([]);
    }
    await session.close(true);
  });
});

/** Findings of an implementation in a file, in the form of expected.json. */
async function look(session: Session, path: string, wanted: JsonObject): Promise<JsonValue> {
  const ask = async (
    op: string,
    args: JsonObject,
    names: { keep?: string; handle?: string } = {},
  ): Promise<JsonValue> => {
    const answer = await session.send({ type: "call", op, args, ...names });
    if (answer.type !== "ok") throw new Error(`${path}: ${op} answered ${JSON.stringify(answer)}`);
    return ("value" in answer ? answer.value : null) as JsonValue;
  };
  if ("state" in wanted) {
    await ask("StateManager", { state_dir: dirname(path) }, { keep: "states" });
    return {
      state: await ask("load_state", { user_id: (wanted.state as JsonObject).user_id ?? null }, { handle: "states" }),
    };
  }
  if ("library" in wanted) {
    const isJson = path.endsWith(".json");
    return {
      library: await ask(isJson ? "load_from_json" : "load_from_sqlite", { [isJson ? "filepath" : "db_path"]: path }),
    };
  }
  await ask("MetricsCollector", { db_path: path }, { keep: "metrics" });
  const { users } = wanted.statistics as { users: Record<string, JsonObject> };
  const statistics: Record<string, JsonValue> = {};
  for (const [user, stated] of Object.entries(users)) {
    const all = (await ask("get_user_stats", { user_id: user }, { handle: "metrics" })) as JsonObject;
    statistics[user] = Object.fromEntries(Object.entries(all).filter(([key]) => key in stated));
  }
  return {
    statistics: {
      all_users: await ask("get_all_users", {}, { handle: "metrics" }),
      users: statistics,
      global: await ask("get_global_stats", {}, { handle: "metrics" }),
    },
  };
}
