import type { Retention } from "../object_store.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { type GcsApi, jsonOf } from "./api.ts";

/** Days for which the suggested lifecycle rule keeps an older version, so that a removal can be undone. */
const DAYS = 7;

/** Asks what the bucket does with removed objects; credentials for objects alone may not be permitted to ask. */
export async function keepingOf(api: GcsApi, signal: AbortSignal | undefined): Promise<Retention> {
  const { bucket, prefix } = api.place;
  const found = await settingsOf(api, signal);
  if (found === undefined) return { retains: undefined };
  const { versioning, softDeletePolicy } = found as {
    versioning?: { enabled?: unknown };
    softDeletePolicy?: { retentionDurationSeconds?: unknown };
  };
  const days = Number(softDeletePolicy?.retentionDurationSeconds ?? 0) / 86_400;
  const shownDays = Number(days.toFixed(1));
  const period = `${shownDays.toLocaleString("en-US")} ${shownDays === 1 ? "day" : "days"}`;
  const reasons = [
    ...(versioning?.enabled === true ? ["the bucket has versioning"] : []),
    ...(days > 0 ? [`the bucket has soft delete for ${period}`] : []),
  ];
  if (reasons.length === 0) return { retains: false };
  const rule = {
    rule: [{ action: { type: "Delete" }, condition: { daysSinceNoncurrentTime: DAYS, matchesPrefix: [prefix] } }],
  };
  const ways = [
    ...(versioning?.enabled === true
      ? [
          `A lifecycle rule of the bucket can remove older versions after ${DAYS} days. If the bucket has no rules, write this to rule.json and run the command:`,
          "",
          prefix === "" ? withoutPrefix(rule) : JSON.stringify(rule),
          "",
          `gcloud storage buckets update gs://${bucket} --lifecycle-file=rule.json`,
          "",
          "The command replaces all rules of the bucket. If it has rules, add this one to them.",
        ]
      : []),
    ...(days > 0
      ? [
          `Google frees soft-deleted objects after ${period}. To turn off soft delete for later removals:`,
          "",
          `gcloud storage buckets update gs://${bucket} --clear-soft-delete`,
        ]
      : []),
  ];
  return { retains: true, why: reasons.join(", and "), howToFree: ways.join("\n") };
}

/** A rule for the whole bucket has no prefix. */
function withoutPrefix(rule: object): string {
  return JSON.stringify(rule, (name, value: unknown) => (name === "matchesPrefix" ? undefined : value));
}

/** Undefined if the request is not permitted. */
async function settingsOf(api: GcsApi, signal: AbortSignal | undefined): Promise<Record<string, unknown> | undefined> {
  try {
    const parameters = { fields: "versioning,softDeletePolicy" };
    const { body } = await api.ask({ method: "GET", isBucket: true, parameters, expected: [200] }, signal);
    return jsonOf(body);
  } catch (error) {
    if (error instanceof RemoteFailure && (error.kind === "forbidden" || error.kind === "refused")) return undefined;
    throw error;
  }
}
