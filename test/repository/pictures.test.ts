import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { launch, NO_BROWSER } from "../browser/launch.ts";
import { needs } from "../needs.ts";

const PICTURES = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));
const drawings = readdirSync(PICTURES)
  .filter((name) => name.endsWith(".svg"))
  .map((name) => [name, readFileSync(`${PICTURES}${name}`, "utf8")] as const);

test.for(drawings)("%s has a title and a description, and loads nothing else", ([, svg]) => {
  const [, title, description] = /role="img" aria-labelledby="([\w-]+) ([\w-]+)"/.exec(svg) ?? [];
  expect(svg).toContain(`<title id="${title}">`);
  expect(svg).toContain(`<desc id="${description}">`);
  expect(svg).not.toMatch(/<(?:script|style|image|foreignObject|use)\b|href=|url\((?!#)|@import|\son\w+=/);
});

test.for(drawings)("%s has no overlapping or cut-off text", needs("browser", NO_BROWSER), async ([, svg]) => {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.setContent(svg);
    // Both names belong to the browser.
    const boxes: { words: string; x: number; y: number; right: number; bottom: number }[] =
      await page.evaluate(`[...document.querySelectorAll("text")].map((text) => {
        const { x, y, width, height } = text.getBBox();
        return { words: text.textContent, x, y, right: x + width, bottom: y + height };
      })`);
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [];
    for (const [index, one] of boxes.entries()) {
      expect(one.x, one.words).toBeGreaterThan(8);
      expect(one.right, one.words).toBeLessThan(Number(width) - 8);
      expect(one.bottom, one.words).toBeLessThan(Number(height) - 4);
      for (const other of boxes.slice(index + 1)) {
        // Adjacent lines share the space between them.
        const overlap = Math.min(one.bottom, other.bottom) - Math.max(one.y, other.y) - 3;
        const beside = Math.min(one.right, other.right) - Math.max(one.x, other.x);
        expect(overlap > 0 && beside > 0, `${one.words} / ${other.words}`).toBe(false);
      }
    }
  } finally {
    await browser.close();
  }
});

test("the picture of the report is at most 200 kB and 1200 pixels wide", () => {
  const png = readFileSync(`${PICTURES}conformance-report.png`);
  expect(png.length).toBeLessThan(200_000);
  expect(png.readUInt32BE(16)).toBeLessThanOrEqual(1200);
});
