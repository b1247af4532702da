import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Ended, Workplace } from "./workplace.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A copy of this repository with everything committed, from which a maintainer releases. */
export class CopiedRepository extends Workplace {
  /** Copies all files except ignored ones, and installs from the lockfile. */
  constructor() {
    super();
    const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
      .toString()
      .split("\0")
      .filter((file) => file !== "" && existsSync(join(root, file)));
    for (const file of files) cpSync(join(root, file), join(this.path, file));
    this.git("init", "--quiet", "--initial-branch=main");
    this.commit("Begin");
    this.fine("pnpm", "install", "--frozen-lockfile", "--prefer-offline", "--reporter=silent");
  }

  git(...words: string[]): string {
    return this.fine("git", "-c", "user.name=Test", "-c", "user.email=test@example.org", ...words);
  }

  commit(message: string): void {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "-m", message);
  }

  write(file: string, content: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  /** Adds a changeset about a package. */
  changeset(name: string, bump: "patch" | "minor", summary: string): void {
    this.write(
      `.changeset/${summary.toLowerCase().replaceAll(/\W+/g, "-")}.md`,
      `---\n"${name}": ${bump}\n---\n\n${summary}\n`,
    );
  }

  /** Runs a program concurrently; `kill` ends it with all its child processes. */
  start(program: string, ...words: string[]): { ended: Promise<Ended>; kill: () => void } {
    const child = spawn(program, words, {
      cwd: this.path,
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      shell: process.platform === "win32",
    });
    const closed = once(child, "close") as Promise<[number | null]>;
    const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(
      ([[status], stdout, stderr]): Ended => ({ status, stdout, stderr }),
    );
    return { ended, kill: () => process.kill(-(child.pid as number), "SIGKILL") };
  }

  protected override environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(?:npm_|pnpm_|NODE_|VITEST|GITHUB_|GIT_)/i.test(name),
    );
    return {
      ...Object.fromEntries(kept),
      NO_COLOR: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      NO_PROXY: "127.0.0.1",
      CI: "1",
      // Its tools are started dozens of times.
      NODE_COMPILE_CACHE: join(this.path, "node_modules", ".cache", "compiled"),
    };
  }
}
