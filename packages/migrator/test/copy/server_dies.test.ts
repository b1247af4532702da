import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { type PostgresServer, startPostgres } from "@perdura/test-servers/postgres/server.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import { beforeAll, expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { query } from "../../../../test/legacy/legacy_database.ts";
import { contentOf, makeDatabase, otherProgram } from "./both_sides.ts";
import { startCopy } from "./copy_process.ts";

const MANY = 215_000;
/** After the first committed piece, and before the last. */
const MIDDLE = 205_000;

const rows = (count: number): unknown[][] =>
  Array.from({ length: count }, (_, index) => [BigInt(index + 1), `u${index % 9}`, 3n, 1n, index / 7, "then"]);

/** Number of interactions on the server; their ids differ. */
async function countOf({ url }: PostgresServer): Promise<number> {
  const program = await otherProgram(url, "perdura");
  program.on("error", () => undefined);
  const { rows: counted } = await program.query<{ count: number }>("SELECT count(*)::int FROM interactions");
  return (counted[0] as { count: number }).count;
}

describeWithPostgres("a server that dies in the middle of a copy", () => {
  /** May be killed: all acknowledged data is durable. Each test uses new schemas, and leaves it running. */
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ durable: true });
    return () => server.stop();
  });

  test("as the target: keeps committed rows, and the next run finishes", async () => {
    const folder = freshFolder();
    const place = server.url.replace("postgres@", "postgres:secret@");
    await copyData(makeDatabase(join(folder, "empty.db")), place);
    // The copy waits forever for this transaction, at a row in the middle.
    const other = await otherProgram(server.url, "perdura");
    other.on("error", () => undefined);
    await other.query(`BEGIN; INSERT INTO interactions (id, user_id, level, success) VALUES (${MIDDLE}, 'o', 1, true)`);
    const source = makeDatabase(join(folder, "m.db"), { interactions: rows(MANY), metadata: [[5n, "{}"]] });
    const copy = startCopy("--json", source, place);
    await copy.says(new RegExp(`"stage":"copy".*"done":${MIDDLE}`));
    await server.kill();
    const { code, stdout, stderr } = await copy.ended;
    expect(code, stdout + stderr).toBe(1);
    const said = stderr.split("\n").find((line) => line.startsWith("perdura-migrate:"));
    expect(said).toMatch(
      /^perdura-migrate: postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres: copying failed: .*\. Copied rows are kept\. Run the copy again to finish\.$/,
    );
    expect(stdout + stderr).not.toMatch(/secret|\bat .*\.ts:/);
    await server.start();
    const kept = await countOf(server);
    expect(kept).toBeGreaterThanOrEqual(100_000);
    const report = await copyData(source, place);
    expect(report).toMatchObject({ exit_code: 0, verified: true });
    const interactions = report.tables.find(({ table }) => table === "interactions");
    expect(interactions).toMatchObject({ rows: MANY, present: kept, copied: MANY - kept });
    expect(await countOf(server)).toBe(MANY);
  });

  test("as the source: SQLite has complete transactions, and the next run finishes", async () => {
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), { interactions: rows(75_000), metadata: [[5n, "{}"]] });
    const schema = "source";
    await copyData(source, server.url, { schema });
    const back = join(folder, "back.db");
    let killed: Promise<void> | undefined;
    const failed: unknown = await copyData(server.url, back, {
      schema,
      onProgress: ({ stage, done }) => {
        if (stage === "copy" && (done ?? 0) >= 60_000) killed ??= server.kill();
      },
    }).catch((error: unknown) => error);
    await killed;
    expect(isPerduraError(failed, "PERDURA_STORAGE"), String(failed)).toBe(true);
    expect((failed as Error).message).toMatch(
      /^postgres:.*: copying failed: .* Copied rows are kept\. Run the copy again/,
    );
    // One batch that is committed at once, and at most one more.
    const kept = Number(query<[bigint]>(back, "SELECT count(*) FROM interactions")[0]?.[0]);
    expect(kept).toBeGreaterThanOrEqual(50_000);
    expect(kept).toBeLessThan(60_000);
    await expect(copyData(server.url, back, { schema })).rejects.toThrow(
      /^postgres:.*: opening failed: .*ECONNREFUSED/,
    );
    await server.start();
    const report = await copyData(server.url, back, { schema });
    expect(report).toMatchObject({ exit_code: 0, verified: true });
    expect(report.tables.find(({ table }) => table === "interactions")).toMatchObject({
      present: kept,
      copied: 75_000 - kept,
    });
    expect(contentOf(back)).toMatchObject({ interactions: contentOf(source)["interactions"] as unknown[] });
  });

  test("at any moment: the message names the server, and the next run finishes", async () => {
    const folder = freshFolder();
    const source = makeDatabase(join(folder, "m.db"), { interactions: rows(5000), metadata: [[5n, "{}"]] });
    await copyData(source, server.url, { schema: "full" });
    for (const stage of ["compare", "copy", "verify"]) {
      for (const [from, to, schema] of [
        [source, server.url, stage],
        [server.url, join(folder, `${stage}.db`), "full"],
      ] as const) {
        let killed: Promise<void> | undefined;
        const failed: unknown = await copyData(from, to, {
          schema,
          onProgress: (event) => {
            if (event.stage === stage && event.detail.endsWith(" interactions")) killed ??= server.kill();
          },
        }).catch((error: unknown) => error);
        await killed;
        expect(isPerduraError(failed, "PERDURA_STORAGE"), `${stage} ${to}: ${String(failed)}`).toBe(true);
        expect((failed as Error).message).toMatch(
          /^postgres:\S+: copying failed: .*\. Copied rows are kept\. Run the copy again to finish\.$/,
        );
        await server.start();
        expect(await copyData(from, to, { schema })).toMatchObject({ exit_code: 0, verified: true });
      }
    }
  });
});
