import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { PublishedPlace } from "./provided_context.ts";
import { Workplace } from "./workplace.ts";
import { temporaryFolder } from "../../temporary_folder.ts";

/** All packages, and what programs install next to them to use PostgreSQL and TypeScript. */
export const EVERYTHING: readonly string[] = [
  "perdura",
  "perdura-15@npm:perdura@latest-15",
  "@perdura/migrator",
  "@perdura/conformance",
  "@perdura/backup",
  "@perdura/inspect",
  "@perdura/postgres",
  "@perdura/mcp",
  "@perdura/otel",
  "@opentelemetry/api@1.9.1",
  "@opentelemetry/sdk-trace-base@2",
  "pg",
  "@types/pg",
  "@types/node@24",
];

/** A folder outside of the repository, like that of a new project. */
export class BareFolder extends Workplace {
  readonly #registry: PublishedPlace;

  /** Removed after the test. */
  constructor(registry: PublishedPlace) {
    super();
    this.#registry = registry;
    onTestFinished(() => this.remove());
    this.write("package.json", `{ "private": true, "type": "module" }`);
  }

  /** Installs packages in an empty folder, like `npm install`: once in a run, afterwards by copying. */
  install(...names: readonly string[]): void {
    const copies = join(this.#registry.cache, "copies");
    const copy = join(copies, createHash("sha256").update(names.join(" ")).digest("hex"));
    if (existsSync(copy)) return cpSync(copy, this.path, { recursive: true, verbatimSymlinks: true });
    this.fine("npm", "install", ...names);
    mkdirSync(copies, { recursive: true });
    const place = temporaryFolder(copies);
    cpSync(this.path, place, { recursive: true, verbatimSymlinks: true });
    // Another test file may do the same at this moment.
    if (!existsSync(copy)) renameSync(place, copy);
  }

  write(file: string, text: string): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a module with this text. @returns Its output. */
  program(text: string, file = "program.ts"): string {
    this.write(file, text);
    return this.fine(process.execPath, "--no-warnings", file);
  }

  /** Without variables of the test environment, and without this machine's settings for npm. */
  protected override environment(): NodeJS.ProcessEnv {
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
      // pnpm waits a day before it installs new versions, and these packages are seconds old.
      pnpm_config_minimum_release_age: "0",
    };
  }
}
