import { writeFileSync } from "node:fs";
import { type SoakArguments, parseSoakArguments } from "./arguments.ts";
import { circumstances } from "../../tools/measurements/circumstances.ts";
import { inOwnSession } from "./own_session.ts";
import { reportOf, summaryOf } from "./report.ts";
import { runSoaks } from "./run_soaks.ts";
import { Tally } from "./tally.ts";

/** `pnpm soak`: see `--help`. */
async function main(words: readonly string[]): Promise<number> {
  let wishes: ReturnType<typeof parseSoakArguments>;
  try {
    wishes = parseSoakArguments(words);
  } catch (error) {
    console.error(`${(error as Error).message} See pnpm soak --help.`);
    return 2;
  }
  if ("text" in wishes) {
    console.log(wishes.text);
    return 0;
  }
  return tryAll(wishes);
}

/** Runs all soaks; names those that this machine cannot run. */
async function tryAll(wishes: SoakArguments): Promise<number> {
  const missing = wishes.soaks.flatMap((soak) => {
    const text = soak.missing();
    return text === undefined ? [] : [{ soak: soak.name, text }];
  });
  for (const { soak, text } of missing) console.error(`${soak}: not run. ${text}`);
  const soaks = wishes.soaks.filter(({ name }) => !missing.some(({ soak }) => soak === name));
  if (soaks.length === 0 || (!wishes.all && missing.length > 0)) return 2;
  return run({ ...wishes, soaks }, missing);
}

async function run(wishes: SoakArguments, missing: { soak: string; text: string }[]): Promise<number> {
  const [tally, began, made] = [new Tally(), performance.now(), circumstances()];
  let interrupted = false;
  const end = (): void => {
    if (!interrupted) console.error("Interrupted: finishing the current trial. Interrupt again to kill it.");
    interrupted = true;
  };
  process.on("SIGINT", end).on("SIGTERM", end);
  await runSoaks({
    ...wishes,
    tally,
    interrupted: () => interrupted,
    tell: ({ soak, row, kind, text, repeat }) =>
      console.error(`${soak}, ${row}: ${kind}: ${text.slice(0, 2000)}\n  repeat: ${repeat}`),
    begins: ({ name }, seed) => console.error(`${name} (seed ${seed}) …`),
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  const { json, seed, share, minutes, only, point } = wishes;
  const asked = { soaks: wishes.soaks.map(({ name }) => name), seed, share, minutes, only, point };
  const facts = { asked, missing, interrupted, seconds, made };
  writeFileSync(json, `${JSON.stringify(reportOf(tally, facts), null, 2)}\n`);
  console.log(summaryOf(tally, { seconds, interrupted }));
  if (tally.complaints.length > 0) return 1;
  if (interrupted) return 130;
  if (tally.isFine) return 0;
  console.error(`Nothing was run: no row matches. The column "what" of a whole round lists the names.`);
  return 2;
}

process.exitCode = await inOwnSession(() => main(process.argv.slice(2)));
