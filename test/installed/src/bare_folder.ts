import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { PublishedPlace } from "./provided_context.ts";

/** How a program ended, and what it said. */
export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** A folder outside of the repository, where a person begins a project. */
export class BareFolder {
  readonly path: string;
  readonly #registry: PublishedPlace;

  /** Removed after the test. */
  constructor(registry: PublishedPlace) {
    this.#registry = registry;
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "perdura-bare-")));
    onTestFinished(() => rmSync(this.path, { recursive: true, force: true, maxRetries: 5 }));
    this.write("package.json", `{ "private": true, "type": "module" }`);
  }

  write(file: string, text: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a program there, as a person with these settings would. */
  run(program: string, words: readonly string[]): Ended {
    const { status, stdout, stderr, error } = spawnSync(program, words, {
      cwd: this.path,
      encoding: "utf8",
      env: this.#environment(),
      shell: process.platform === "win32",
    });
    if (error !== undefined) throw error;
    return { status, stdout, stderr };
  }

  /** @throws Error with all that it said, when it fails. @returns What it printed. */
  fine(program: string, ...words: string[]): string {
    const { status, stdout, stderr } = this.run(program, words);
    if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
    return stdout;
  }

  /** Runs a module of this text. @returns What it printed. */
  program(text: string, file = "program.ts"): string {
    this.write(file, text);
    return this.fine(process.execPath, "--no-warnings", file);
  }

  /** Nothing of what the tests run under, and nothing of this machine's own settings for npm. */
  #environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_|NODE_|VITEST)/i.test(name));
    return {
      ...Object.fromEntries(kept),
      NO_COLOR: "1",
      NO_PROXY: "127.0.0.1",
      npm_config_registry: this.#registry.url,
      npm_config_cache: join(this.#registry.cache, "npm"),
      npm_config_userconfig: join(this.#registry.cache, "npmrc"),
      npm_config_audit: "false",
      npm_config_fund: "false",
      npm_config_update_notifier: "false",
      npm_config_yes: "true",
      pnpm_config_registry: this.#registry.url,
      pnpm_config_store_dir: join(this.#registry.cache, "pnpm"),
      // It waits a day before it installs what is new, and these packages are seconds old.
      pnpm_config_minimum_release_age: "0",
    };
  }
}
