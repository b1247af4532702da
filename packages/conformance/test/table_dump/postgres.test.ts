import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { createAdapter } from "../../adapters/v16_postgres.ts";
import { violations } from "../../src/values/schemas.ts";
import { inProcessAdapter } from "../../src/protocol/in_process.ts";
import { commandAdapter } from "../../src/protocol/stdio.ts";
import type { CaseRecord } from "../../src/results/record.ts";
import type { SuiteResult } from "../../src/runner/suite_options.ts";
import { judgedByProfile } from "../judged_by_profile.ts";
import { runWithLongTimeout } from "../long_timeout_suite.ts";
import { programWords } from "../../../../test/programs.ts";

describeWithPostgres("perdura on PostgreSQL", (postgres) => {
  const adapter = () => inProcessAdapter("postgres", () => createAdapter(postgres.url));
  let wholeRun: Promise<SuiteResult> | undefined;
  /** The verdicts of all cases; several tests look at them. */
  const whole = (): Promise<SuiteResult> => (wholeRun ??= runWithLongTimeout({ adapter: adapter(), line: "16" }));
  const withVerdict = (cases: readonly CaseRecord[], ...verdicts: string[]) =>
    cases.filter(({ verdict }) => verdicts.includes(verdict));

  it("passes every applicable must, and leaves nothing on the server", async () => {
    const { cases, records, summary } = await whole();
    expect(withVerdict(cases, "fail", "crash", "timeout", "protocol-error", "harness-error", "not-run")).toEqual([]);
    expect(records.flatMap((record) => violations("report", record))).toEqual([]);
    const passed = withVerdict(cases, "pass");
    expect(passed.length).toBeGreaterThanOrEqual(135);
    expect(passed.filter(({ level }) => level === "must").length).toBeGreaterThanOrEqual(80);
    expect(summary.counts.observed).toBeLessThanOrEqual(5);
    for (const { reason } of withVerdict(cases, "unsupported")) expect(reason).toMatch(/the adapter does not declare/);

    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    onTestFinished(() => client.end());
    const { rows } = await client.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'conformance%'");
    expect(rows).toEqual([]);
  });

  it("conforms to the profile of database servers, and every declared ruling was checked", async () => {
    const result = await whole();
    expect(judgedByProfile(result, "server")).toEqual({ conformant: true, exit_code: 0 });
    const { cases, records } = result;
    const [run] = records;
    const choices = run?.record === "run" ? (run.choices ?? {}) : {};
    const seen = new Set(withVerdict(cases, "pass").flatMap(({ requirements }) => requirements));
    const declared = Object.keys(choices).filter((id) => choices[id] === "ruled");
    expect(declared.length).toBeGreaterThan(15);
    expect(declared.filter((id) => !seen.has(id))).toEqual([]);
  });

  it("reports why a case needs files, and judges all others by the tables", async () => {
    const cases = (await whole()).cases.filter(({ id }) => /^(?:metrics|statistics)\//.test(id));
    const reason = (id: string) => cases.find((record) => record.id === id)?.reason;
    expect(reason("metrics/continued")).toMatch(/^needs database files: the suite provides one/);
    expect(reason("metrics/removed-file")).toMatch(/^needs database files: the suite removes one/);
    expect(reason("metrics/no-leftovers")).toMatch(/^needs database files: it checks their names/);
    expect(reason("metrics/storage-classes")).toMatch(/^needs database files: it checks how SQLite stores values/);
    const looked = cases.filter(({ requirements }) => requirements.some((id) => /^R-2\.(?:3|5)\//.test(id)));
    expect(withVerdict(looked, "pass").length).toBeGreaterThan(10);
  });

  it("gets the same verdicts as a separate program", async () => {
    vi.stubEnv("TEST_PG_URL", postgres.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const program = new URL("../../adapters/stdio.ts", import.meta.url);
    const words = [process.execPath, "--conditions=@perdura/source", ...programWords(program), "perdura-16-postgres"];
    const overStdio = await runWithLongTimeout({
      adapter: commandAdapter(words.map((word) => JSON.stringify(word)).join(" ")),
      // Columns and indexes, which the suite reads from the dumps of tables.
      requirements: ["2.3", "2.5"],
    });
    const judged = overStdio.cases.filter(({ verdict }) => verdict !== "not-run");
    expect(judged.length).toBeGreaterThan(20);
    const verdicts = ({ cases }: SuiteResult) =>
      cases
        .filter((record) => judged.some(({ id }) => id === record.id))
        .map(({ id, verdict, failures }) => ({ id, verdict, failures }));
    expect(verdicts(overStdio)).toEqual(verdicts(await whole()));
  });
});

it("an unreachable server is reported once, without a judgement", async () => {
  const adapter = inProcessAdapter("nowhere", () => createAdapter("postgres://postgres@127.0.0.1:1/none"));
  const { records, summary } = await runWithLongTimeout({ adapter, areas: ["metrics"] });
  expect(summary).toMatchObject({ conformant: false, exit_code: 1 });
  expect(JSON.stringify(records.find(({ record }) => record === "end"))).toMatch(/no PostgreSQL server lets us in/);
});
