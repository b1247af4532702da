import { EXIT } from "@perdura/cli/exit_codes.js";
import type { JudgementCode } from "../results/record.ts";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AdapterSource } from "../protocol/channel.ts";
import { makeSandbox } from "../runner/sandbox.ts";
import { ARTIFACTS } from "./artifacts.ts";
import type { Artifact } from "./artifacts.ts";
import { Broken, Peer } from "./peer.ts";
import type { Breakage } from "./peer.ts";

/** One implementation of a matrix. */
export interface MatrixMember {
  /** `name version (language)`, with a number if two are equal. */
  name: string;
  spec_version: string;
  /** Option of the command line for this adapter. */
  option: string;
}

/** Verdict on one implementation that reads the data of another one. */
export interface MatrixCell {
  artifact: Artifact["name"];
  producer: string;
  /** The implementation that migrated the data to 16 in between, or null. */
  migrator: string | null;
  consumer: string;
  verdict: "pass" | "unsupported" | "inapplicable" | Breakage;
  /** Reason for a verdict other than pass; else empty. */
  reason: string;
}

/** The result of {@link runMatrix}. */
export interface MatrixResult {
  members: MatrixMember[];
  cells: MatrixCell[];
  /** 0 if every applicable cell passed, 4 if one did not, 1 if none could be tried. */
  exit_code: JudgementCode;
}

/**
 * Lets every implementation read the data of every other one, and continue to write it. A pre-16 metrics database is
 * migrated for a consumer of 16, by each implementation that can migrate.
 * @param sources the adapters, each as producer and as consumer.
 * @param timeoutMs timeout of one answer, in milliseconds.
 * @throws {AdapterFault} when an adapter does not start.
 * @example
 * ```ts
 * import { implementationAdapter, runMatrix } from "@perdura/conformance";
 *
 * const { cells } = await runMatrix([implementationAdapter("perdura-15"), implementationAdapter("perdura-16")]);
 * console.log(cells.filter((cell) => cell.verdict === "fail")); // []
 * ```
 */
export async function runMatrix(sources: readonly AdapterSource[], timeoutMs = 10_000): Promise<MatrixResult> {
  const sandbox = makeSandbox();
  const peers: Peer[] = [];
  let folders = 0;
  const folder = (): string => {
    folders += 1;
    const directory = join(sandbox.root, `exchange-${folders}`);
    mkdirSync(directory);
    return directory;
  };
  try {
    for (const source of sources) {
      const taken = peers.map(({ name }) => name);
      peers.push(await Peer.connect(source, sandbox.root, timeoutMs, taken));
    }
    const cells: MatrixCell[] = [];
    for (const artifact of ARTIFACTS) {
      for (const producer of peers) cells.push(...(await cellsOf(artifact, producer, peers, folder)));
    }
    const tried = cells.filter(({ verdict }) => verdict !== "inapplicable" && verdict !== "unsupported");
    const members = peers.map(({ name, specVersion, option }) => ({ name, spec_version: specVersion, option }));
    const passed = tried.every(({ verdict }) => verdict === "pass");
    // The folder of this run has a random name and no longer exists when the report is read.
    // oxlint-disable-next-line messages/no-decisions -- hides a name
    for (const cell of cells) cell.reason = cell.reason.replaceAll(sandbox.root, "<sandbox>");
    return { members, cells, exit_code: tried.length === 0 ? EXIT.failed : passed ? EXIT.done : EXIT.difference };
  } finally {
    for (const peer of peers) await peer.close();
    const note = sandbox.remove();
    if (note !== undefined) process.emitWarning(note, "PerduraWarning");
  }
}

/** All cells of one producer and one artifact; the artifact is written once and copied for each consumer. */
async function cellsOf(
  artifact: Artifact,
  producer: Peer,
  peers: readonly Peer[],
  folder: () => string,
): Promise<MatrixCell[]> {
  const written = folder();
  const failure = producer.can(artifact.capability)
    ? await attempt(() => producer.converse(written, artifact.write(producer.before16)))
    : undefined;
  const cells: MatrixCell[] = [];
  for (const consumer of peers) {
    for (const { migrator, blocked } of routes(artifact, producer, consumer, peers)) {
      const outcome =
        blocked ??
        failure ??
        (await attempt(async () => {
          const directory = folder();
          cpSync(written, directory, { recursive: true });
          const path = join(directory, artifact.name);
          await migrator?.converse(directory, [{ op: "migrate", args: () => ({ path }) }]);
          await consumer.converse(directory, artifact.read(consumer.before16));
        }));
      cells.push({
        artifact: artifact.name,
        producer: producer.name,
        migrator: migrator?.name ?? null,
        consumer: consumer.name,
        ...(outcome ?? { verdict: "pass", reason: "" }),
      });
    }
  }
  return cells;
}

async function attempt(work: () => Promise<void>): Promise<{ verdict: Breakage; reason: string } | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { verdict: error.verdict, reason: error.message };
  }
}

/** A route from a producer to a consumer, or the reason that it is blocked. */
interface Route {
  /** The implementation that migrates the data to 16 in between. */
  migrator?: Peer;
  blocked?: { verdict: "unsupported" | "inapplicable"; reason: string };
}

/** Routes of one artifact: direct, or through each implementation that can migrate. */
function routes(artifact: Artifact, producer: Peer, consumer: Peer, peers: readonly Peer[]): Route[] {
  const no = (verdict: "unsupported" | "inapplicable", reason: string): Route[] => [{ blocked: { verdict, reason } }];
  if (artifact.name === "states" && !(producer.before16 && consumer.before16))
    return no("inapplicable", "16 has no collaboration state");
  const lacking = [producer, consumer].find((peer) => !peer.can(artifact.capability));
  if (lacking) return no("unsupported", `${lacking.name} does not declare ${artifact.capability}`);
  if (artifact.name !== "metrics.db" || producer.before16 === consumer.before16) return [{}];
  if (!producer.before16) return no("inapplicable", "pre-16 programs cannot read a metrics database of 16");
  const migrators = peers.filter((peer) => peer.can("migration"));
  return migrators.length > 0
    ? migrators.map((migrator) => ({ migrator }))
    : no("inapplicable", "16 renamed the column of the level, and no implementation here declares migration");
}
