import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/temporary_folder.ts";

/** Reason that programs of Windows cannot run here; undefined if they can. */
export function missingWine(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "no wine: needs Linux on x64";
  const { status } = spawnSync("wine", ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "no wine (Debian and Ubuntu: apt-get install wine wine64)";
}

/** Result of a program. */
export interface WineEnding {
  /** Exit code; null if the time limit ended the program. */
  status: number | null;
  /** Both outputs, in the order of writing, with line ends as on this system. */
  output: string;
}

/** A drive of Windows in a folder, with Node.js for Windows. */
export class Wine {
  readonly #prefix: string;
  readonly #node: string;

  /**
   * @param prefix Folder of the drive, its registry and its settings; created if it is missing.
   * @param node The program `node.exe`.
   */
  constructor(prefix: string, node: string) {
    this.#prefix = prefix;
    this.#node = node;
    if (existsSync(join(prefix, "system.reg"))) return;
    mkdirSync(prefix, { recursive: true });
    // Node.js refuses to start on the version of Windows that wine is by default.
    const words = ["reg", "add", String.raw`HKCU\Software\Wine`, "/v", "Version", "/d", "win10", "/f"];
    const { status, stderr } = spawnSync("wine", words, { env: this.#environment(), encoding: "utf8" });
    if (status !== 0) throw new Error(`wine did not start: ${stderr}`);
  }

  /** The folder of this system that is `C:\NAME`. */
  folder(name: string): string {
    return join(this.#prefix, "drive_c", name);
  }

  /** The folder of the libraries of Windows. */
  get system(): string {
    return join(this.#prefix, "drive_c", "windows", "system32");
  }

  /** Runs Node.js for Windows. The output goes into a file: with a pipe, the last part of it may be lost. */
  async node(words: readonly string[], cwd: string, limitSeconds = 300): Promise<WineEnding> {
    const folder = temporaryFolder();
    const file = join(folder, "output");
    const descriptor = openSync(file, "w");
    try {
      const child = spawn("wine", [this.#node, "--no-warnings", ...words], {
        cwd,
        env: this.#environment(),
        stdio: ["ignore", descriptor, descriptor],
        timeout: limitSeconds * 1000,
        killSignal: "SIGKILL",
      });
      const status = await new Promise<number | null>((resolve, reject) => {
        child.once("error", reject);
        child.once("close", resolve);
      });
      return { status, output: readFileSync(file, "utf8").replaceAll("\r\n", "\n") };
    } finally {
      closeSync(descriptor);
      rmSync(folder, { recursive: true });
    }
  }

  /** Ends all programs of this drive. */
  stop(): void {
    spawnSync("wineserver", ["-k"], { env: this.#environment(), stdio: "ignore" });
  }

  #environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_|NODE_|VITEST|TMPDIR$)/i.test(name));
    return { ...Object.fromEntries(kept), WINEPREFIX: this.#prefix, WINEDEBUG: "-all", NO_COLOR: "1" };
  }
}

/** Runs Node.js; returns the output if the exit code is not the expected one. */
export async function problemOf(
  wine: Wine,
  words: readonly string[],
  cwd: string,
  { expected = 0, limitSeconds = 300 }: { expected?: number; limitSeconds?: number } = {},
): Promise<string | undefined> {
  const { status, output } = await wine.node(words, cwd, limitSeconds);
  if (status === expected) return undefined;
  const end = status === null ? `ended after ${limitSeconds} s` : `exit code ${status}, expected ${expected}`;
  return `${end}\n${output}`;
}
