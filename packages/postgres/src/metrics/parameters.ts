import { type Range, rangeNames, setNear } from "@perdura/internals/metrics/time_range.js";
import type { Names } from "../layout/names.ts";
import { sqlText } from "@perdura/internals/text/quoted_sql.js";
import { isStorable } from "../connection/storable.ts";

/**
 * SQL that is true for all interactions `i`. With no condition on a column, Citus would not plan their join with the
 * metadata for a role that no policy lets see rows.
 */
export const EVERY_ROW = "i.user_id IS NOT NULL";

const NEAR = rangeNames("near");

/** The parameters of a statement that is made of parts. */
export class Parameters {
  readonly values: unknown[] = [];

  /** @returns SQL for the value. */
  add(value: string | number | boolean): string {
    const type = { string: "text", number: "double precision", boolean: "boolean" }[typeof value as "string"];
    return `${this.given(value)}::${typeof value === "number" && Number.isSafeInteger(value) ? "bigint" : type}`;
  }

  protected given(value: string | number | boolean): string {
    return `$${this.values.push(value)}`;
  }

  /** @returns SQL that is true for interactions `i` of a user, or with a result, between two moments. */
  conditions(
    names: Names,
    { user, success, range }: { user: string | undefined; success?: boolean | undefined; range: Range | undefined },
  ): string {
    const conditions = [
      // No row has text that PostgreSQL cannot store, and it would refuse the parameter or take it for other text.
      ...(user === undefined ? [] : [isStorable(user) ? `i.user_id = ${this.add(user)}` : "false"]),
      ...(success === undefined ? [] : [`i.success IS ${success ? "TRUE" : "NOT TRUE"}`]),
      ...(range === undefined
        ? []
        : [
            this.#near(range),
            `${names.moment}(i.timestamp) >= ${this.add(range.since)}`,
            `${names.moment}(i.timestamp) < ${this.add(range.until)}`,
          ]),
    ];
    return conditions.length === 0 ? EVERY_ROW : conditions.join(" AND ");
  }

  /** Texts near a range are compared first: an index finds them, and comparing takes a fraction of the time of a moment. */
  #near({ since, until }: Range): string {
    const near: Record<string, string> = {};
    setNear(near, NEAR, since, until);
    const [lowest, highest] = [NEAR.lowest, NEAR.highest].map((name) => this.add(near[name] as string));
    return `i.timestamp COLLATE "C" BETWEEN ${lowest} AND ${highest}`;
  }
}

/** The same for a statement to shards, which has no parameters: each value is part of its text. */
export class Literals extends Parameters {
  protected override given(value: string | number | boolean): string {
    return sqlText(String(value));
  }
}
