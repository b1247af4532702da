import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FORMATS, type ReportRecord, renderReport } from "@perdura/conformance";
import fc from "fast-check";
import type { Browser } from "playwright-core";
import { launch, NO_BROWSER } from "../../../../test/browser/launch.ts";
import { anyStream } from "../../../../packages/conformance/test/reports/arbitrary_records.ts";
import { everything } from "../../../../packages/conformance/test/reports/everything.ts";
import { type Round, shareOf } from "../soak.ts";
import { Chance } from "../../../../test/hostile/chance.ts";
import { judgePage } from "./judge_page.ts";
import { STEERING } from "../documents/judge_error.ts";
import { PAYLOADS } from "../../../../test/hostile/payloads.ts";

/** Fields of free text by an adapter or the author of a list. */
const FREE = new Set([
  "title",
  "reason",
  "got",
  "wanted",
  "diagnostics",
  "what",
  "name",
  "version",
  "language",
  "link",
  "at",
]);

/** Puts hostile texts into the records of a run. */
function poisoned<Value>(value: Value, chance: Chance, key = ""): Value {
  if (typeof value === "string")
    return (FREE.has(key) ? chance.pick(PAYLOADS) + chance.pick(PAYLOADS) : value) as Value;
  if (Array.isArray(value)) return value.map((each) => poisoned(each as unknown, chance, key)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, poisoned(each as unknown, chance, name)]);
  return Object.fromEntries(entries) as Value;
}

/** Puts hostile texts into the reports of the suite, checks each as text, and opens the page in a browser. */
export async function makeHostileReports(round: Round): Promise<void> {
  const [texts, pages] = ["reports: texts", "reports: pages in Chromium"];
  if (!round.wants(texts) && !round.wants(pages)) return;
  const streams = fc.sample(anyStream, { seed: round.seed, numRuns: shareOf(300, round) });
  const all = [everything(), ...streams].map((stream, number) => poisoned(stream, Chance.of(round.seed, number)));
  for (const stream of round.wants(texts) ? all : []) round.count({ row: texts, wrong: judgeTexts(stream) });
  if (!round.wants(pages)) return;
  if (NO_BROWSER) return round.remark(pages, "not run: Chromium is not installed");
  await openAll(all.slice(0, shareOf(150, round)), (wrong) => round.count({ row: pages, wrong }), round);
}

/** Faults of the texts of a report. */
export function judgeTexts(stream: readonly ReportRecord[]): string[] {
  return FORMATS.flatMap((format) => {
    const text = renderReport(format, [stream], { colour: false });
    const found = STEERING.exec(text);
    const faults =
      found === null
        ? []
        : [`${format}: ${JSON.stringify(text.slice(found.index - 40, found.index + 20))} contains a control character`];
    if (format === "json") JSON.parse(text);
    // A code span contains no markup.
    const outside = text.replace(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
    const markup = format === "markdown" && /(?<!\\)<\w/.test(outside);
    return [...faults, ...(markup ? ["markdown: contains HTML"] : [])];
  });
}

async function openAll(
  streams: readonly ReportRecord[][],
  report: (wrong: string[]) => void,
  round: Round,
): Promise<void> {
  let shown = "";
  const server = createServer((request, response) => {
    response
      .setHeader("content-type", request.url === "/" ? "text/html" : "text/plain")
      .end(request.url === "/" ? shown : "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  let browser: Browser | undefined;
  try {
    browser = await launch();
    const page = await browser.newPage();
    for (const stream of streams) {
      if (round.isOver()) return;
      shown = renderReport("html", [stream]);
      report(await judgePage(page, addressOf(server), renderReport("junit", [stream])));
    }
  } finally {
    await browser?.close();
    server.close();
  }
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
