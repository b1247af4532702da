import { openPersistence, openPersistenceAsync } from "perdura";
import * as line15 from "perdura-15";
import { openBackupStore } from "@perdura/backup";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { changed } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { hostileValue, nearly } from "../../../../../test/hostile/hostile_values.ts";
import { faultsOfError } from "../judge_error.ts";
import type { Try } from "../reader.ts";

/** Text that no error may repeat. */
const SECRET = "hunter2-s3cr3t";

/** Configurations of programs. There is no network: no address can be reached. */
export const configurations = (): Try => ({ document: tryConfiguration });

/** Addresses of PostgreSQL and of stores of backups. */
export const addresses = (): Try => ({ document: tryAddress });

async function tryConfiguration(chance: Chance): Promise<string[]> {
  const good = { user_id: "alice", persistence_enabled: chance.percent(10), persistence_path: "data" };
  const config = nearly(good, chance, chance.pick([1, 1, 2])) as object;
  // A valid configuration would write to its path: only those in memory are opened.
  const { persistence_enabled: enabled = true, persistence_path: path } = (config ?? {}) as Record<string, unknown>;
  if (enabled === true && typeof path === "string" && !/^[a-z]+:\/\/|\0/i.test(path)) return [];
  if (enabled === true && path === undefined) return [];
  const options = nearly({ busyTimeoutMs: 100, durability: "full" }, chance, chance.pick([0, 0, 1])) as object;
  const open = chance.pick([openPersistence, line15.openPersistence, openPersistenceAsync]) as (
    ...given: object[]
  ) => unknown;
  try {
    const opened = (await open(config, options)) as { close(): unknown };
    await opened.close();
    return [];
  } catch (error) {
    return faultsOfError(error);
  }
}

/** Addresses in three parts: mutable text, a part with a secret that stays unchanged, and more mutable text. */
const GOOD: readonly (readonly [string, string, string])[] = [
  ["postgres://", `alice:${SECRET}@`, "127.0.0.1:1/perdura"],
  ["postgresql://", `alice:${SECRET}@`, "[::1]:1/db?sslmode=require&application_name=x"],
  ["postgres://", `127.0.0.1:1/db?user=alice&password=${SECRET}&`, "sslmode=require"],
  ["s3://", `AKIA:${SECRET}@`, "bucket/prefix?region=eu-central-1"],
  ["s3://", `${SECRET}@`, "bucket/prefix"],
  ["s3://", `bucket/prefix?endpoint=http://user:${SECRET}@127.0.0.1:1&`, "region=eu-central-1"],
  ["az://", `container@account.blob.core.windows.net/prefix?sv=1&sig=${SECRET}&`, "se=2"],
  ["az://", `user:${SECRET}@`, "container/prefix"],
  ["gs://", `${SECRET}@`, "bucket/prefix?token=none"],
  ["gs://", `bucket/prefix?token=${SECRET}&`, "more"],
  ["file://", `user:${SECRET}@`, "localhost/srv/backups"],
  ["https://", `user:${SECRET}@`, "127.0.0.1:1/backups"],
  ["mysql://", `alice:${SECRET}@`, "127.0.0.1/db"],
];

function address(chance: Chance): string {
  const [scheme, secret, rest] = chance.pick(GOOD);
  let text: string = rest;
  for (let count = chance.pick([0, 1, 1, 2, 3]); count > 0; count -= 1)
    text = chance.percent(50)
      ? changed(Buffer.from(text), chance).toString("utf8")
      : `${text.slice(0, chance.below(text.length + 1))}${hostileText(chance)}${text.slice(chance.below(text.length + 1))}`;
  return `${chance.percent(90) ? scheme : hostileText(chance)}${secret}${text}`;
}

async function tryAddress(chance: Chance): Promise<string[]> {
  const place = address(chance);
  const options = chance.percent(20) ? hostileValue(chance) : {};
  try {
    if (/^postgres/i.test(place) || chance.percent(20)) await askPostgres(place, options);
    else await (await openBackupStore(place, options as object)).close();
    return [];
  } catch (error) {
    return faultsOfError(error, { secret: SECRET });
  }
}

async function askPostgres(place: string, options: unknown): Promise<void> {
  // A path is not an address: its directory would be created here.
  if (!/^[a-z]+:\/\//i.test(place)) return;
  const opened = await openPersistenceAsync({ persistence_path: place }, { postgres: options as object });
  try {
    await opened.metrics.getAllUsers();
  } finally {
    await opened.close();
  }
}
