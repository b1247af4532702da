// Makes docs/pictures/link.png again: what messengers show for a link to the site, with the program and the output of README.md.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "../../test/browser/launch.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, "utf8");

const [, sentence = "", code = ""] =
  /^(Durable storage for AI agents)\.[^]*?^```ts\n([^]*?)^```$/m.exec(read("README.md")) ?? [];
if (code === "") throw new Error("README.md: expected the first sentence and the first program");
const shown = code
  .split("\n")
  .filter((line) => !/^(?:import|close|const \{)|^$/.test(line))
  // Of the comments, only the output.
  .map((line) => (line.startsWith("console") ? line : line.replace(/ *\/\/.*/, "")))
  .join("\n");
const html = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const browser = await launch();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 630 }, colorScheme: "light" });
  await page.setContent(`<!doctype html><style>
    body { margin: 0; padding: 56px 64px; height: 630px; box-sizing: border-box; background: #fff; color: #1b1f24; font: 34px system-ui, sans-serif; }
    header { display: flex; align-items: center; gap: 24px; margin-bottom: 44px; }
    svg { width: 92px; height: 92px; }
    strong { display: block; font-size: 56px; line-height: 1.1; }
    pre { margin: 0; padding: 30px 32px; border-radius: 14px; background: #0f1720; color: #e6edf3; font: 25px/1.85 ui-monospace, monospace; }
    i { color: #8bd49c; font-style: normal; }
  </style><header>${read("dev/site/src/favicon.svg")}<div><strong>perdura</strong>${html(sentence)}</div></header>
  <pre>${html(shown).replace(/ *\/\/.*/g, "<i>$&</i>")}</pre>`);
  await page.screenshot({ path: `${ROOT}docs/pictures/link.png` });
} finally {
  await browser.close();
}
