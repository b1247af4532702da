import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { refreshedGuide } from "../../dev/tools/guide_pages.ts";

const GUIDES = fileURLToPath(new URL("../../docs/guides/", import.meta.url));

/** Run with a server by `packages/postgres/test/guide.test.ts`. */
const WITH_SERVER = "postgresql.md";

/** Programs that a reader may not have. `.ci/run` installs some of them. */
const PROGRAMS = ["bash", "sqlite3", "python3", "sha256sum"];

const pages = readdirSync(GUIDES)
  .filter((name) => name.endsWith(".md") && name !== WITH_SERVER)
  .map((name) => {
    const page = readFileSync(`${GUIDES}${name}`, "utf8");
    const needed = ["bash", ...PROGRAMS.filter((program) => new RegExp(`\\b${program}\\b`).test(page))];
    const missing = needed.filter((program) => spawnSync(program, ["--version"]).error !== undefined);
    return { name, page, missing };
  });

// Uses the result of `pnpm build`; `npm test` builds first.
for (const { name, page, missing } of pages) {
  const note = missing.length === 0 ? "" : ` (not run: ${missing.join(", ")} not installed)`;
  test.skipIf(missing.length > 0)(`docs/guides/${name} shows what its commands print${note}`, () => {
    expect(refreshedGuide(page)).toBe(page);
  });
}

test("every block of a guide is in a known language, and every js block names its file", () => {
  for (const { name, page } of pages) {
    const languages = [...page.matchAll(/^```(\S*)\n[^]*?^```$/gm)].map(([, language]) => language);
    for (const language of languages)
      expect(["ts", "js", "sh", "console", "yaml", "ini", "json", "text", "sql"], name).toContain(language);
    for (const [, code] of page.matchAll(/^```js\n(.*)$/gm)) expect(code, name).toMatch(/^\/\/ [\w-]+\.\w+$/);
  }
});
