import type { JudgementCode } from "../report/record.ts";
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
  /** `name version (language)`, with a number where two are alike. */
  name: string;
  spec_version: string;
  /** The option of the command line that names it. */
  option: string;
}

/** What one implementation made of what another one wrote. */
export interface MatrixCell {
  artifact: Artifact["name"];
  producer: string;
  /** Who brought the data to 16 in between, or null. */
  migrator: string | null;
  consumer: string;
  verdict: "pass" | "unsupported" | "inapplicable" | Breakage;
  /** Why it is no pass; empty for a pass. */
  reason: string;
}

/** The result of {@link runMatrix}. */
export interface MatrixResult {
  members: MatrixMember[];
  cells: MatrixCell[];
  /** 0 when every cell that applies passed, 1 when one did not, 3 when nothing could be tried. */
  exit_code: JudgementCode;
}

/**
 * Lets every implementation read what every other one wrote, and go on with it. A metrics database of before 16
 * reaches a reader of 16 through each implementation that can migrate.
 * @param sources the adapters, each as producer and as consumer.
 * @param timeoutMs longest wait for one answer, in milliseconds.
 * @throws {AdapterFault} when an adapter does not come up at all.
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
    // The folder of this run has a random name and is gone when somebody reads this.
    for (const cell of cells) cell.reason = cell.reason.replaceAll(sandbox.root, "<sandbox>");
    return { members, cells, exit_code: tried.length === 0 ? 1 : passed ? 0 : 4 };
  } finally {
    for (const peer of peers) await peer.close();
    sandbox.remove();
  }
}

/** All cells of one producer and one artifact: it is written once and copied for each reader. */
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

/** One way from a producer to a consumer, or why there is none. */
interface Route {
  /** Who brings the data to 16 in between. */
  migrator?: Peer;
  blocked?: { verdict: "unsupported" | "inapplicable"; reason: string };
}

/** The ways for one artifact: straight, or through each implementation that can migrate. */
function routes(artifact: Artifact, producer: Peer, consumer: Peer, peers: readonly Peer[]): Route[] {
  const no = (verdict: "unsupported" | "inapplicable", reason: string): Route[] => [{ blocked: { verdict, reason } }];
  if (artifact.name === "states" && !(producer.before16 && consumer.before16))
    return no("inapplicable", "there is no collaboration state from 16");
  const lacking = [producer, consumer].find((peer) => !peer.can(artifact.capability));
  if (lacking) return no("unsupported", `${lacking.name} does not declare ${artifact.capability}`);
  if (artifact.name !== "metrics.db" || producer.before16 === consumer.before16) return [{}];
  if (!producer.before16) return no("inapplicable", "a metrics database of 16 is not for readers of before 16");
  const migrators = peers.filter((peer) => peer.can("migration"));
  return migrators.length > 0
    ? migrators.map((migrator) => ({ migrator }))
    : no("inapplicable", "the column has another name from 16, and nobody here declares migration");
}
