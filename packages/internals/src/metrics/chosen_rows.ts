import type { Range } from "./time_range.ts";
import { MOMENT } from "./trends/time_sql.ts";

/** Interactions that a question counts: of one user or of all, between two moments or of all time. */
export interface ChosenRows {
  user: string | undefined;
  /** Undefined for all interactions, also those without a readable time. */
  range: Range | undefined;
}

/** SQL that is true for them. */
export function isChosen({ user, range }: ChosenRows): string {
  const conditions = [
    ...(user === undefined ? [] : ["user_id = @user"]),
    ...(range === undefined ? [] : [`${MOMENT} >= @since AND ${MOMENT} < @until`]),
  ];
  return conditions.length === 0 ? "true" : conditions.join(" AND ");
}

/** The parameters of {@link isChosen}. */
export function chosenParameters({ user, range }: ChosenRows): object {
  // An id that is not well-formed is that of no row; the driver would ask for another one.
  return { ...(user === undefined ? {} : { user: user.isWellFormed() ? user : null }), ...range };
}
