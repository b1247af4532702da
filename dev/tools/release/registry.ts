import type { PackedPackage } from "./pack.ts";
import { runTool } from "./run_tool.ts";

/** Versions and tags of a package on a registry. */
export interface Listing {
  versions: string[];
  tags: Record<string, string>;
}

/** Milliseconds until a published version must be visible. */
const PATIENCE = 120_000;

/** A registry, accessed through pnpm, which knows its addresses and credentials from the user's settings. */
export class Registry {
  readonly #root: string;
  readonly #choice: string[];

  /** @param address The default is the registry of the settings. */
  constructor(root: string, address?: string) {
    this.#root = root;
    this.#choice = address === undefined ? [] : [`--registry=${address}`];
  }

  /** @throws {Error} if the registry does not answer. */
  async listing(name: string): Promise<Listing> {
    const found = (await this.#view(name, ["versions", "dist-tags"])) as
      | { versions: string[] | string; "dist-tags": Record<string, string> }
      | undefined;
    return { versions: [found?.versions ?? []].flat(), tags: found?.["dist-tags"] ?? {} };
  }

  /** The digest of a published version. @throws {Error} if the registry does not answer, or has no such version. */
  async integrity(name: string, version: string): Promise<string> {
    // A single field is returned without its name.
    const found = await this.#view(`${name}@${version}`, ["dist.integrity"]);
    if (typeof found !== "string") throw new Error(`${name} ${version}: the registry has no integrity for it`);
    return found;
  }

  /** Publishes a tarball under its tag: one atomic request. */
  async publish({ tarball, tag }: PackedPackage, provenance: boolean): Promise<{ problem: string | undefined }> {
    const words = ["publish", tarball, "--tag", tag, "--access", "public", "--no-git-checks", ...this.#choice];
    // Waits until the version is visible to later requests: large registries take a moment.
    words.push(`--publish-wait-timeout=${PATIENCE}`);
    const ran = await runTool("pnpm", [...words, ...(provenance ? ["--provenance"] : [])], this.#root);
    return { problem: ran.status === 0 ? undefined : (ran.stderr + ran.stdout).trim() };
  }

  async #view(what: string, fields: string[]): Promise<unknown> {
    const words = ["view", what, ...fields, "--json", "--config.fetch-retry-maxtimeout=2000", ...this.#choice];
    const { status, stdout, stderr } = await runTool("pnpm", words, this.#root);
    const answer =
      stdout.trim() === "" ? undefined : (JSON.parse(stdout) as { error?: { code: string; message: string } });
    if (status === 0) return answer;
    if (answer?.error?.code === "ERR_PNPM_FETCH_404") return undefined;
    throw new Error(`asking the registry for ${what} failed: ${answer?.error?.message ?? stderr.trim()}`);
  }
}
