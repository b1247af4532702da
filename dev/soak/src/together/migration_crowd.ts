import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { main } from "../../../../packages/migrator/src/cli/main.ts";
import type { MigrationReport } from "../../../../packages/migrator/src/core/report.ts";
import { type FoundRow, judgeRows } from "./judge_rows.ts";
import { Member } from "./member.ts";
import { inProgress, userOf, type Way, wayOf } from "./recorded.ts";
import { endText, runProgram } from "./run_program.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { runMain } from "../../../../test/run_main.ts";

/** Kind of program that records: like a program up to 14.x, or with one of the lines. */
export type Recorder = "field" | "15" | "16";

/** True for the report of a `verify` that found another layout: a migration is running, or there is a second table. */
function isOtherLayout(stdout: string): boolean {
  const { databases } = JSON.parse(stdout) as Pick<MigrationReport, "databases">;
  return databases.every(({ layout }) => layout !== null && layout !== "documented-16");
}

/** True for the report of a `verify` before the migration: there is nothing to compare with. */
function isNotCompared(stdout: string): boolean {
  const { databases } = JSON.parse(stdout) as Pick<MigrationReport, "databases">;
  return databases.length > 0 && databases.every(({ status }) => status === "not_compared");
}

/** Programs that record into a database while it is migrated. */
export class MigrationCrowd {
  readonly database: string;
  readonly acknowledged: Map<string, number> = new Map();
  /** Errors that ended programs, by user. */
  readonly failures: Map<string, string> = new Map();
  readonly wrong: string[] = [];
  commands = 0;
  readonly #migrate: string;
  #members: Member[] = [];

  /** @param migrate Path of the built perdura-migrate. */
  constructor(database: string, migrate: string) {
    this.database = database;
    this.#migrate = migrate;
  }

  /** Starts programs; resolves when each has recorded a row, or failed. */
  async begin(recorder: Recorder, count: number, life: number): Promise<void> {
    const ways: Way[] = recorder === "field" ? ["metric"] : ["single", "metric", "many", "writer"];
    const members = Array.from({ length: count }, (_, index) => {
      const user = userOf(ways[index % ways.length] as Way, `${recorder}${index}`, life);
      const [program, line] = recorder === "field" ? ["record_field.ts", "-"] : ["record.ts", recorder];
      return new Member(
        program,
        [line, this.database, user, "full"],
        (word, rest) => this.#hear(user, word, rest),
        user,
      );
    });
    this.#members.push(...members);
    await this.#until(members, ({ name }) => this.acknowledged.has(name) || this.failures.has(name), "record a row");
  }

  /** Waits until every program has failed, as it must after the migration of its database; reports other reasons. */
  async allFail(expected: RegExp): Promise<void> {
    await this.#until(this.#members, ({ name }) => this.failures.has(name), "fail after the migration");
    await this.end();
    for (const [user, text] of this.failures)
      if (!expected.test(text)) this.wrong.push(`${user} failed with ${text}, expected ${String(expected)}`);
    this.failures.clear();
  }

  /** Ends the programs. */
  async end(): Promise<void> {
    const ends = this.#members.map((member) => member.end(PATIENCE_MS));
    this.#members = [];
    this.wrong.push(...(await Promise.all(ends)).flat());
  }

  /** Runs a command until it exits with 0; repeats it while the database is in use. */
  async run(...words: string[]): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const ended = await runProgram(this.#migrate, ...words, "--json", this.database);
      this.commands += 1;
      if (ended.code === 0) return;
      if (ended.code === 5 && performance.now() < end) continue;
      this.wrong.push(endText(words, ended));
      return;
    }
  }

  /** Runs a command in this process, after all others have ended; it must end with 0. */
  async runAlone(command: string): Promise<void> {
    const ended = await runMain(main, [command, "--json", this.database]);
    this.commands += 1;
    if (ended.code !== 0) this.wrong.push(endText([command], ended));
  }

  /** Repeats the commands that only read until the promise settles; none of them may fail. */
  async look(until: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    const end = until.finally(() => over.abort());
    await Promise.all(
      ["plan", "status", "verify"].map(async (command) => {
        while (!over.signal.aborted) {
          const ended = await runProgram(this.#migrate, command, "--json", this.database);
          this.commands += 1;
          // In use: the programs leave no moment to read.
          if (ended.code === 4 && isOtherLayout(ended.stdout)) continue;
          if (command === "verify" && ended.code === 1 && isNotCompared(ended.stdout)) continue;
          if (ended.code !== 0 && ended.code !== 5) this.wrong.push(endText([command], ended));
        }
      }),
    );
    await end;
  }

  /** Checks that every recorded row is in a table exactly once. */
  judge(table: "interactions 16" | "interactions 15" | "metrics"): { rows: number; lost: string[]; wrong: string[] } {
    const column = table === "interactions 16" ? "level" : "empathy_level";
    const from =
      table === "metrics"
        ? "i.metadata FROM metrics AS i"
        : "m.metadata FROM interactions AS i LEFT JOIN interaction_metadata AS m ON m.interaction_id = i.id";
    const database = new Database(this.database);
    try {
      const sql = `SELECT i.id, i.user_id, i.${column} AS level, i.success, i.response_time_ms, ${from} ORDER BY i.id`;
      const rows = database.prepare(sql).iterate() as Iterable<FoundRow>;
      const found = judgeRows(rows, this.acknowledged, (user) => inProgress(wayOf(user)));
      const check = database.pragma("integrity_check", { simple: true });
      if (check !== "ok") found.wrong.push(`integrity_check returned ${String(check)}`);
      return found;
    } finally {
      database.close();
    }
  }

  #hear(user: string, word: string, rest: string): void {
    if (word === "stored") this.acknowledged.set(user, Number(rest));
    else if (word === "failed") this.failures.set(user, rest);
    else this.wrong.push(`${user}: ${word} ${rest}`);
  }

  async #until(members: readonly Member[], reached: (member: Member) => boolean, what: string): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    while (!members.every(reached)) {
      if (performance.now() > end) {
        const late = members.filter((member) => !reached(member)).map(({ name }) => name);
        this.wrong.push(`${late.join()} did not ${what} within ${PATIENCE_MS / 1000} s`);
        return;
      }
      await pause(10);
    }
  }
}
