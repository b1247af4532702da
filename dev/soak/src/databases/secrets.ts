import { join } from "node:path";
import { PatternPersistence } from "@perdura/v16";
import { type Round, shareOf } from "../soak.ts";
import { Chance } from "../../../../test/hostile/chance.ts";
import { library } from "./models.ts";
import { commandOf, fromSource, runToEnd } from "./run_cli.ts";
import { OPENINGS, SOURCE } from "./address_openings.ts";

/** Address at which no server listens. */
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

const PROGRAMS: Record<string, (address: string) => string[]> = {
  "perdura-migrate copy": (address) => ["migrator", "copy", "--json", SOURCE, address],
  "perdura-migrate plan": (address) => ["migrator", "plan", "--json", address],
  "perdura-backup list": (address) => ["backup", "list", address],
  "perdura-backup push": (address) => ["backup", "push", address, "no.json"],
};

/** Forms of a secret after parsing of an address. */
const encodingsOf = (secret: string): string[] => [secret, encodeURIComponent(secret), decodeURIComponent(secret)];

/**
 * Gives addresses with secrets to every function that takes one: no error, including its causes and properties, may
 * repeat the secret.
 */
export async function lookForSecrets(round: Round): Promise<void> {
  const { place } = round;
  const chance = Chance.of(round.seed, "secrets");
  PatternPersistence.saveToSqlite(library(3, "secret "), join(place, SOURCE));
  const ways = Object.keys(OPENINGS).flatMap((what) => addressesWith("").map((_, index) => ({ what, index })));
  for (const { what, index } of ways.slice(0, shareOf(ways.length, round))) {
    const row = `secrets: ${what}`;
    if (round.isOver() || !round.wants(row)) continue;
    const secret = `S3cr3t${chance.below(1e9)}%2Fx`;
    round.count({ row, wrong: judgeOpening(what, addressesWith(secret)[index] as string, secret, place) });
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

/**
 * No server listens at any of these addresses, so each opening must be refused, except if a directory of that name can
 * be created.
 */
function judgeOpening(what: string, address: string, secret: string, place: string): string[] {
  const { said, wrong } = runToEnd(fromSource(OPENER, [what, address]), place);
  const isDirectory = what === "openPersistenceAsync" && !/^[a-z\d]+:/i.test(address);
  const begin = isDirectory ? "opened\n" : "refused\n";
  const ended = said.startsWith(begin) ? [] : [`${what} ${address}: expected ${begin.trim()}, got ${said}`];
  return [...wrong, ...ended, ...faultsIn(said, secret, address)];
}

function judgeProgram(words: string[], secret: string, place: string): string[] {
  const { said, wrong, code } = runToEnd(commandOf(words), place);
  const ended = code === 0 ? [`${words.join(" ")} succeeded`] : [];
  return [...wrong, ...ended, ...faultsIn(said, secret, words.join(" "))];
}

const OPENER = new URL("open_address.ts", import.meta.url);

/** Repetitions of the secret in a text that was made from an address. */
export function faultsIn(text: string, secret: string, address: string): string[] {
  const at = encodingsOf(secret)
    .map((encoding) => text.indexOf(encoding))
    .find((place) => place >= 0);
  return at === undefined ? [] : [`${address} is repeated: …${text.slice(Math.max(0, at - 150), at + 30)}…`];
}
