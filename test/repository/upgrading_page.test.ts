import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refreshedPage } from "../../dev/tools/upgrading_page.ts";

const page = readFileSync(new URL("../../UPGRADING.md", import.meta.url), "utf8");

test("UPGRADING.md shows the output of the commands in the order of the page", () => {
  const shown = [...page.matchAll(/^\$ perdura-migrate (\w+)/gm)].map(([, command]) => command);
  expect(new Set(shown)).toEqual(new Set(["plan", "up", "verify", "status", "states", "prune", "down"]));
  expect(refreshedPage(page)).toBe(page);
});
