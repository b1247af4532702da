import { type ChosenRows, chosenParameters, isChosen } from "../chosen_rows.ts";
import { daysRead } from "../days_read.ts";
import { sumsOfUser } from "../keys/key_objects.ts";
import { IS_COUNTED_DAY, IS_WHOLE_DAY, OF_USER, rowsOfDays } from "./parts_sql.ts";

/** Parts of an answer from the sums of a key; each interaction is in one of them. */
export interface KeyParts {
  /** SQL for the stored sums of whole days, as `value_sums.ts` stores them: `day`, `value_id` and `sums`. */
  sums: string;
  /** SQL conditions for interactions that are read: above the watermark, then on the days that a limit divides. */
  rows: string[];
  /** The parameters of both. */
  parameters: object;
}

/** @param key Id of a key whose sums are kept. */
export function keyParts(chosen: ChosenRows, key: number): KeyParts {
  const { user, range } = chosen;
  const watermark = `(SELECT watermark FROM perdura_summed_keys WHERE key_id = ${key})`;
  const ofUser = user === undefined ? "" : OF_USER;
  const table = user === undefined ? "perdura_days" : "perdura_user_days";
  const ofDay = (which: 1 | 2): string => `${ofUser} ${rowsOfDays({ table, user: ofUser, watermark }, which)}`;
  const days = range === undefined ? "" : `AND day <> '' AND ${IS_COUNTED_DAY} AND ${IS_WHOLE_DAY}`;
  return {
    sums:
      user === undefined
        ? `SELECT day, value_id, sums FROM perdura_value_days WHERE key_id = ${key} ${days}`
        : `SELECT day, value ->> '$[0]' AS value_id, json_remove(value, '$[0]') AS sums
           FROM (${sumsOfUser(key, "(SELECT @user)")}), json_each(sums) WHERE true ${days}`,
    rows: [`id > ${watermark} AND ${isChosen(chosen)}`, ...(range === undefined ? [] : [ofDay(1), ofDay(2)])],
    parameters: { ...chosenParameters(chosen), ...(range === undefined ? {} : daysRead(range)) },
  };
}
