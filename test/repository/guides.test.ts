import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { refreshedGuide } from "../../dev/tools/guide_pages.ts";
import { needs } from "../needs.ts";

const GUIDES = fileURLToPath(new URL("../../docs/guides/", import.meta.url));

/** Run with a server by `packages/postgres/test/guide.test.ts`. */
const WITH_SERVER = "postgresql.md";

/** Programs that a reader may not have; every page needs bash. */
const PROGRAMS = ["bash", "sqlite3", "python3", "sha256sum"] as const;

const pages = readdirSync(GUIDES)
  .filter((name) => name.endsWith(".md") && name !== WITH_SERVER)
  .map((name) => {
    const page = readFileSync(`${GUIDES}${name}`, "utf8");
    const missing = PROGRAMS.find(
      (program) =>
        (program === "bash" || new RegExp(`\\b${program}\\b`).test(page)) &&
        spawnSync(program, ["--version"]).error !== undefined,
    );
    return {
      name,
      page,
      options: needs(missing === "python3" ? "python" : (missing ?? "bash"), missing !== undefined),
    };
  });

// Uses the result of `pnpm build`; `npm test` builds first.
for (const { name, page, options } of pages)
  test(`docs/guides/${name} shows what its commands print`, options, () => {
    expect(refreshedGuide(page)).toBe(page);
  });

test("every block of a guide is in a known language, and every js block names its file", () => {
  for (const { name, page } of pages) {
    const languages = [...page.matchAll(/^```(\S*)\n[^]*?^```$/gm)].map(([, language]) => language);
    for (const language of languages)
      expect(["ts", "js", "sh", "console", "yaml", "ini", "json", "text", "sql"], name).toContain(language);
    for (const [, code] of page.matchAll(/^```js\n(.*)$/gm)) expect(code, name).toMatch(/^\/\/ [\w-]+\.\w+$/);
  }
});
