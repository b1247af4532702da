import fc from "fast-check";
import type { Check, Step } from "../corpus/case.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { JSON_OBJECT, LEVEL, RESPONSE_TIME, USER_IDS, closing } from "./generated_values.ts";
import { SharedPlace } from "./shared_place.ts";
import type { Judged, SequenceKind } from "./sequence_kind.ts";

/** Values of one interaction; `user` is an index of the sequence's ids. */
interface Interaction {
  user: number;
  level: number;
  success: boolean;
  ms: number;
}

type Operation =
  | ({ do: "record"; second: boolean; times: number } & Interaction)
  | ({ do: "record-metric"; second: boolean; metadata: JsonObject | undefined } & Interaction)
  | { do: "ask-user"; second: boolean; user: number }
  | { do: "ask-all" | "ask-users"; second: boolean }
  | { do: "reopen" | "kill" }
  | { do: "other-program"; open: boolean; gap: number; rows: readonly (Interaction & { withoutTime: boolean })[] };

/** Calls on one metrics database by up to two collectors and another program. */
export interface MetricsSequence {
  users: readonly string[];
  operations: readonly Operation[];
}

const USER = fc.nat({ max: 5 });
const INTERACTION = { user: USER, level: LEVEL, success: fc.boolean(), ms: RESPONSE_TIME };
/** A second collector is used less: it may be refused, which ends the sequence. */
const SECOND = fc.nat({ max: 6 }).map((number) => number === 6);
const ONCE_OR_OFTEN = fc.oneof({ arbitrary: fc.constant(1), weight: 12 }, fc.integer({ min: 2, max: 120 }));

const operation = ({ inServer }: Judged): fc.Arbitrary<Operation> =>
  fc.oneof(
    {
      arbitrary: fc.record({
        do: fc.constant("record" as const),
        second: SECOND,
        times: ONCE_OR_OFTEN,
        ...INTERACTION,
      }),
      weight: 6,
    },
    {
      arbitrary: fc.record({
        do: fc.constant("record-metric" as const),
        second: SECOND,
        metadata: fc.option(JSON_OBJECT, { nil: undefined }),
        ...INTERACTION,
      }),
      weight: 3,
    },
    { arbitrary: fc.record({ do: fc.constant("ask-user" as const), second: SECOND, user: USER }), weight: 5 },
    {
      arbitrary: fc.record({ do: fc.constantFrom("ask-all" as const, "ask-users" as const), second: SECOND }),
      weight: 4,
    },
    { arbitrary: closing("reopen", inServer), weight: 2 },
    ...(inServer
      ? []
      : [
          {
            arbitrary: fc.record({
              do: fc.constant("other-program" as const),
              open: fc.nat({ max: 3 }).map((number) => number > 0),
              gap: fc.constantFrom(0, 0, 1, 70_000),
              rows: fc.array(fc.record({ ...INTERACTION, withoutTime: fc.boolean() }), { minLength: 1, maxLength: 4 }),
            }),
            weight: 3,
          },
        ]),
  );

/** Sections 2.5 to 2.7 and 4.2: each call adds one row, and every answer counts exactly the rows that were added. */
export const METRICS_SEQUENCES: SequenceKind<MetricsSequence> = {
  sequences: (judged) =>
    // Operations are left out before ids are shortened.
    fc.record({
      operations: fc.array(operation(judged), { minLength: 1, maxLength: 30, size: "max" }),
      users: USER_IDS,
    }),
  steps: (sequence, judged) => new MetricsModel(sequence, judged).steps(),
};

/** A stored interaction; the level is undefined where the specification does not say which one is stored. */
interface Row {
  user: string;
  level: number | undefined;
  success: boolean;
  ms: number;
}

const DATABASE = "metrics.db";

/** The rows that the calls must have added, and the steps with the answers that follow from them. */
class MetricsModel {
  readonly #sequence: MetricsSequence;
  readonly #judged: Judged;
  readonly #rows: Row[] = [];
  readonly #steps: Step[] = [];
  readonly #collectors: SharedPlace = new SharedPlace(this.#steps, {
    call: "MetricsCollector",
    args: { db_path: { $path: DATABASE } },
  });

  constructor(sequence: MetricsSequence, judged: Judged) {
    this.#sequence = sequence;
    this.#judged = judged;
  }

  steps(): Step[] {
    for (const one of this.#sequence.operations) this.#add(one);
    if (this.#rows.length > 0) this.#steps.push(this.#rowsInFile());
    return this.#steps;
  }

  #add(one: Operation): void {
    switch (one.do) {
      case "record":
      case "record-metric":
        return this.#record(one);
      case "ask-user": {
        const user = this.#userAt(one.user);
        // What is answered for an unknown user is not specified, nor what is answered without any interaction.
        if (this.#rowsOf(user).length > 0)
          this.#collectors.call(
            one.second,
            "get_user_stats",
            { user_id: user },
            { expect: { checks: this.#userChecks(user) } },
          );
        return;
      }
      case "ask-all":
        if (this.#rows.length > 0)
          this.#collectors.call(one.second, "get_global_stats", {}, { expect: { checks: this.#globalChecks() } });
        return;
      case "ask-users":
        if (this.#judged.line === "16")
          this.#collectors.call(one.second, "get_all_users", {}, { expect: { ok: { $set: this.#users() } } });
        return;
      case "reopen":
        return this.#collectors.close({ settle: true });
      case "kill":
        return this.#collectors.kill();
      case "other-program":
        if (this.#rows.length > 0) this.#writeAsOther(one);
    }
  }

  #userAt(index: number): string {
    const { users } = this.#sequence;
    return users[index % users.length] as string;
  }

  #rowsOf(user: string): Row[] {
    return this.#rows.filter((row) => row.user === user);
  }

  #users(): string[] {
    return [...new Set(this.#rows.map((row) => row.user))];
  }

  #record(one: Extract<Operation, { do: "record" | "record-metric" }>): void {
    const user = this.#userAt(one.user);
    const before16 = this.#judged.line === "15";
    const times = one.do === "record" ? one.times : 1;
    const values = { success: one.success, response_time_ms: one.ms };
    const repeated = times > 1 ? { times } : {};
    if (one.do === "record" && !before16) {
      this.#collectors.call(one.second, "record_interaction", { user_id: user, level: one.level, ...values }, repeated);
    } else {
      const metadata = one.do === "record-metric" && one.metadata !== undefined ? { metadata: one.metadata } : {};
      const level = before16 ? { empathy_level: one.level } : {};
      this.#collectors.call(one.second, "record_metric", { user_id: user, ...level, ...values, ...metadata }, repeated);
    }
    const level = one.do === "record" || before16 ? one.level : undefined;
    const row = { user, level, success: one.success, ms: one.ms };
    for (let count = 0; count < times; count += 1) this.#rows.push(row);
  }

  #writeAsOther({ rows, open, gap }: Extract<Operation, { do: "other-program" }>): void {
    const column = this.#judged.line === "15" ? "empathy_level" : "level";
    const statements = rows.map(({ user, level, success, ms, withoutTime }) => {
      const id = this.#userAt(user).replaceAll("'", "''");
      const time = withoutTime ? "NULL" : "'2025-01-01 00:00:00'";
      return (
        `INSERT INTO interactions (id, user_id, ${column}, success, response_time_ms, timestamp) ` +
        `SELECT max(id) + 1 + ${gap}, '${id}', ${level}, ${success ? 1 : 0}, ${ms}, ${time} FROM interactions`
      );
    });
    if (open) this.#steps.push({ write: DATABASE, statements, open: true });
    else this.#collectors.close({ write: DATABASE, statements });
    this.#rows.push(...rows.map(({ user, ...row }) => ({ ...row, user: this.#userAt(user) })));
  }

  /** Ids of checks name the requirement and are unique in a case. */
  #check(name: string, at: string, is: JsonValue): Check {
    return { id: `${this.#steps.length + 1}.${name}`, at, is };
  }

  #userChecks(user: string): Check[] {
    const rows = this.#rowsOf(user);
    const withoutLevel = rows.filter((row) => row.level === undefined).length;
    const levels = [1, 2, 3, 4, 5].map((level): Check => {
      const count = rows.filter((row) => row.level === level).length;
      const is = withoutLevel === 0 ? count : { $between: [count, count + withoutLevel] };
      return this.#check(`level-counts.${level}`, `/level_${level}_count`, { $absentOr: is });
    });
    return [
      this.#check("total-operations", "/total_operations", rows.length),
      this.#check("success-rate", "/success_rate", near(meanOf(rows.map((row) => Number(row.success))))),
      this.#check("avg-response-time", "/avg_response_time_ms", near(meanOf(rows.map((row) => row.ms)))),
      ...levels,
    ];
  }

  #globalChecks(): Check[] {
    return [
      this.#check("total-users", "/total_users", this.#users().length),
      this.#check("total-interactions", "/total_interactions", this.#rows.length),
      this.#check("global.success-rate", "/success_rate", near(meanOf(this.#rows.map((row) => Number(row.success))))),
    ];
  }

  #rowsInFile(): Step {
    const column = this.#judged.line === "15" ? "empathy_level AS level" : "level";
    const rows = this.#rows.map(({ user, level, success, ms }) => ({
      user_id: user,
      level: level ?? { $between: [1, 5] },
      success: Number(success),
      response_time_ms: ms,
    }));
    return {
      inspect: "sqlite",
      file: DATABASE,
      checks: [
        {
          id: "one-row",
          rows: `SELECT user_id, ${column}, success, response_time_ms FROM interactions`,
          is: { $set: rows },
        },
      ],
    };
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** A number that was computed from doubles, in any order. */
function near(value: number): JsonValue {
  return { $near: [value, Math.max(1e-9, Math.abs(value) * 1e-9)] };
}
