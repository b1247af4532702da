import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { openBackupStore } from "@perdura/backup";
import { copyData } from "@perdura/migrator";
import { openPersistenceAsync } from "@perdura/v16";
import { join } from "node:path";
import { type Round, shareOf } from "../soak.ts";
import { Chance } from "./chance.ts";

/** Nobody listens there. */
const NOWHERE = "127.0.0.1:1";

const addressesWith = (secret: string): string[] => [
  `postgresql://user:${secret}@${NOWHERE}/db?connect_timeout=1`,
  `postgres://user:${secret}@${NOWHERE}/db?sslmode=require&connect_timeout=1`,
  `postgresql://${NOWHERE}/db?user=me&password=${secret}&connect_timeout=1`,
  `postgresql://user:${secret}@no such host/db`,
  `postgresql://user:${secret}@[::1/db`,
  `postgresql:/user:${secret}@${NOWHERE}/db`,
  `postgresql://user:${secret}@${NOWHERE}:99999/db`,
  `s3://AKIAEXAMPLE:${secret}@bucket/prefix`,
  `s3://bucket/prefix?endpoint=http://user:${secret}@${NOWHERE}&region=eu-west-1`,
  `s3://bucket/prefix?secretAccessKey=${secret}`,
  `az://container/prefix?sv=2024-01-01&sig=${secret}`,
  `az://container@account.blob.core.windows.net/x?sig=${secret}`,
  `https://account.blob.core.windows.net/container?sv=1&sig=${secret}`,
  `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${secret};EndpointSuffix=core.windows.net`,
  `gs://bucket/prefix?X-Goog-Signature=${secret}`,
  `gs://user:${secret}@bucket/prefix`,
  `https://user:${secret}@${NOWHERE}/x`,
  `file://user:${secret}@host/x`,
];

type Opening = (address: string, directory: string) => Promise<{ close?: () => unknown } | unknown>;

const OPENINGS: Record<string, Opening> = {
  openPersistenceAsync: (address) => openPersistenceAsync({ user_id: "u", persistence_path: address } as never),
  openBackupStore: async (address) => {
    const store = await openBackupStore(address);
    return store.list("x").finally(() => store.close());
  },
  copyData: (address, directory) => copyData(join(directory, "no.db"), address),
  "copyData from": (address, directory) => copyData(address, join(directory, "new.db")),
};

const PROGRAMS: Record<string, (address: string) => string[]> = {
  "perdura-migrate copy": (address) => ["migrator", "copy", "--json", "no.db", address],
  "perdura-migrate plan": (address) => ["migrator", "plan", "--json", address],
  "perdura-backup list": (address) => ["backup", "list", address],
  "perdura-backup push": (address) => ["backup", "push", address, "no.json"],
};

/** What a secret looks like after it went through an address. */
const formsOf = (secret: string): string[] => [secret, encodeURIComponent(secret), decodeURIComponent(secret)];

/** Gives addresses with secrets to everything that takes one: no error, whatever hangs on it, repeats the secret. */
export async function lookForSecrets(round: Round): Promise<void> {
  const { place } = round;
  const chance = new Chance(round.seed, "secrets");
  const ways = Object.entries(OPENINGS).flatMap(([what, open]) =>
    addressesWith("").map((_, index) => ({ what, open, index })),
  );
  for (const { what, open, index } of ways.slice(0, shareOf(ways.length, round))) {
    const row = `secrets: ${what}`;
    if (round.isOver() || !round.wants(row)) continue;
    const secret = `S3cr3t${chance.below(1e9)}%2Fx`;
    round.count({ row, wrong: await judgeOpening(open, addressesWith(secret)[index] as string, secret, place) });
  }
  const runs = Object.entries(PROGRAMS).flatMap(([what, words]) =>
    addressesWith("").map((_, index) => ({ what, words, index })),
  );
  for (const { what, words, index } of runs.slice(0, shareOf(runs.length, round))) {
    const row = `secrets: ${what}`;
    if (round.isOver() || !round.wants(row)) continue;
    const secret = `S3cr3t${chance.below(1e9)}`;
    round.count({ row, wrong: judgeProgram(words(addressesWith(secret)[index] as string), secret, place) });
  }
}

async function judgeOpening(open: Opening, address: string, secret: string, directory: string): Promise<string[]> {
  const error = await open(address, directory).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const { message, stack } = (error ?? {}) as Partial<Error>;
  const texts = [message, stack, inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), String(error)];
  return faultsIn(texts.join("\n"), secret, address);
}

function judgeProgram([name = "", ...words]: string[], secret: string, cwd: string): string[] {
  const program = fileURLToPath(new URL(`../../../packages/${name}/src/cli.ts`, import.meta.url));
  const { stdout, stderr, signal } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", program, ...words],
    {
      cwd,
      encoding: "utf8",
      timeout: 120_000,
      killSignal: "SIGKILL",
    },
  );
  const stopped = signal === null ? [] : [`${words.join(" ")} did not end`];
  return [...stopped, ...faultsIn(stdout + stderr, secret, words.join(" "))];
}

/** What is wrong with a text that was made of an address. */
export function faultsIn(text: string, secret: string, address: string): string[] {
  const at = formsOf(secret)
    .map((form) => text.indexOf(form))
    .find((place) => place >= 0);
  return at === undefined ? [] : [`${address} is repeated: …${text.slice(Math.max(0, at - 150), at + 30)}…`];
}
