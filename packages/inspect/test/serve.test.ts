import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { MetricsCollector } from "@perdura/v16";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { accessibilityFaults } from "../../../test/browser/accessibility.ts";
import { launch, NO_BROWSER } from "../../../test/browser/launch.ts";
import { needs } from "../../../test/needs.ts";
import { programWords } from "../../../test/programs.ts";
import { stampsOf } from "../../../test/tree_stamp.ts";
import { json } from "./json_schema.ts";
import { runProgram } from "./run_program.ts";
import { layOut } from "./sample_folder.ts";

const PROGRAM = programWords(new URL("../src/cli.ts", import.meta.url));

type Child = ChildProcessByStdio<null, Readable, Readable>;
const started: Child[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** Serves a folder in a child process, which prints one line. */
async function serving(folder: string, output = "--quiet"): Promise<{ address: string; child: Child }> {
  const child = spawn(process.execPath, [...PROGRAM, "serve", folder, output, "--interval", "1"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  started.push(child);
  const [address] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return { address, child };
}

/** The status and the body of an answer. */
async function asked(address: string, { method = "GET", host }: { method?: string; host?: string } = {}) {
  const sent = request(address, { method, ...(host === undefined ? {} : { headers: { host } }) }).end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode as number, headers: response.headers, body: await text(response) };
}

describe("serve", () => {
  it("answers on the loopback address, to who has the token, and changes nothing", async () => {
    const folder = layOut();
    const before = stampsOf(folder);
    const { address, child } = await serving(folder);
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\/$/);
    const { origin } = new URL(address);
    const page = await asked(address);
    expect(page.status).toBe(200);
    expect(page.body).toContain("<h1>Stored data in");
    expect(page.headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    for (const wrong of [`${origin}/`, `${origin}/${"x".repeat(32)}/`, `${origin}/${"x".repeat(32)}/summary.json`])
      expect(await asked(wrong)).toMatchObject({ status: 403, body: expect.not.stringContaining("alice") as unknown });
    // A name of another origin may lead to this computer.
    expect((await asked(address, { host: "evil.example" })).status).toBe(403);
    expect((await asked(address, { host: new URL(address).host.replace("127.0.0.1", "localhost") })).status).toBe(200);
    for (const method of ["POST", "PUT", "DELETE"]) expect((await asked(address, { method })).status).toBe(405);
    expect(await asked(address, { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    for (const absent of ["nothing", "summary.json/", "user?database=/etc/passwd&user=root", "../"])
      expect([404, 403]).toContain((await asked(`${address}${absent}`)).status);
    // Not an address: any program of the computer may send it.
    const sent = request({ host: "127.0.0.1", port: new URL(address).port, path: "//" }).end();
    expect((await once(sent, "response"))[0]).toMatchObject({ statusCode: 403 });
    const { made_at: _, ...served } = JSON.parse((await asked(`${address}summary.json`)).body) as { made_at: string };
    const { made_at: __, ...printed } = json(await runProgram([folder, "--json"]));
    expect(served).toEqual(printed);
    expect(stampsOf(folder)).toEqual(before);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
  });

  it("tells a page when another process has recorded, and when new data appear", async () => {
    const folder = layOut();
    const { address } = await serving(folder);
    /** Waits until the page of a version is outdated; the cause follows the first answer. */
    const newer = async (version: number, cause: () => void): Promise<number> => {
      const { body } = await fetch(`${address}changes?version=${version}`);
      let events = "";
      for await (const part of body!.pipeThrough(new TextDecoderStream())) {
        if (events === "") cause();
        events += part;
        const [, number] = /^event: change\ndata: (\d+)$/m.exec(events) ?? [];
        if (number !== undefined) return Number(number);
      }
      throw new Error(`The connection ended without a change: ${events}`);
    };
    const record = (name: string): void => {
      using collector = new MetricsCollector(join(folder, name));
      collector.recordInteraction("carol", 2, true, 1);
    };
    expect(await newer(1, () => record("metrics.db"))).toBe(2);
    expect(await newer(2, () => record("second.db"))).toBeGreaterThan(2);
    expect((await asked(address)).body).toContain("second.db");
  });

  it("tells a page why the data cannot be read any more, and continues when they are back", async () => {
    const folder = layOut();
    const { address } = await serving(folder);
    renameSync(folder, `${folder}-away`);
    const { body } = await fetch(`${address}changes?version=1`);
    let [events, isBack] = ["", false];
    for await (const part of body!.pipeThrough(new TextDecoderStream())) {
      events += part;
      if (events.includes("event: trouble") && !isBack) {
        isBack = true;
        expect(events).toContain("no such file or directory");
        expect(await asked(address)).toMatchObject({
          status: 500,
          body: expect.stringContaining("no such") as unknown,
        });
        renameSync(`${folder}-away`, folder);
      }
      if (events.includes(": no change")) break;
    }
    expect((await asked(address)).status).toBe(200);
  });

  it("prints the address as a document with --json", async () => {
    const { address: line } = await serving(layOut(), "--json");
    expect(JSON.parse(line)).toEqual({ address: expect.stringMatching(/^http:.*\/$/) as string });
  });

  it("serves the operations of a range, and keeps it in the links", async () => {
    const folder = layOut();
    const { address } = await serving(folder);
    const range = "since=2026-01-12&until=";
    const { status, body } = await asked(`${address}?${range}`);
    expect(status).toBe(200);
    expect(body).toContain("Only operations from 2026-01-12.");
    const [, user = ""] = /href="(user\?[^"]*user=alice[^"]*)"/.exec(body) ?? [];
    expect(user).toContain("since=2026-01-12");
    const page = (await asked(`${address}${user.replaceAll("&amp;", "&")}`)).body;
    expect(page).toContain("All 1 operation.");
    expect(page).toContain('href="./?since=2026-01-12"');
    const { made_at: _, ...served } = JSON.parse((await asked(`${address}summary.json?${range}`)).body) as {
      made_at: string;
    };
    const { made_at: __, ...printed } = json(await runProgram([folder, "--since", "2026-01-12", "--json"]));
    expect(served).toEqual(printed);
    expect(await asked(`${address}?since=soon`)).toMatchObject({
      status: 400,
      body: expect.stringContaining("since: expected a Date, or a date or time in UTC") as unknown,
    });
  });

  it("names a port that another program uses, and a target that is missing", async () => {
    const folder = layOut();
    const { address } = await serving(folder);
    const { port } = new URL(address);
    expect(await runProgram(["serve", folder, "--port", port])).toEqual({
      code: 1,
      stdout: "",
      stderr: `perdura-inspect: 127.0.0.1:${port}: cannot serve: another program uses the port; leave out --port to use a free one.\n`,
    });
    expect(await runProgram(["serve", join(folder, "absent")])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("a served page in a browser", needs("browser", NO_BROWSER), () => {
  let browser: Browser | undefined;
  afterAll(async () => {
    await browser?.close();
  });

  /** The page, and everything that it should not do. */
  async function opened(address: string): Promise<{ page: Page; complaints: string[] }> {
    browser ??= await launch();
    const page = await (await browser.newContext()).newPage();
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("request", (sent) => {
      if (!sent.url().startsWith(address)) complaints.push(`request: ${sent.url()}`);
    });
    await page.goto(address);
    return { page, complaints };
  }

  const operations = (page: Page): Promise<string> =>
    page.locator(".head .tile", { hasText: "Operations" }).locator("dd").first().innerText();

  it("lets the reader choose a range", async () => {
    const { address } = await serving(layOut());
    const { page, complaints } = await opened(address);
    await page.getByLabel("From", { exact: true }).fill("2026-01-05");
    await page.getByLabel("before", { exact: true }).fill("2026-01-12");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("Only operations from 2026-01-05 to before 2026-01-12.").waitFor();
    expect(await operations(page)).toBe("2");
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole("link", { name: "alice" }).first().click();
    await page.getByText("All 2 operations.").waitFor();
    await page.getByRole("link", { name: "All", exact: true }).click();
    await page.getByText("All 3 operations.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows new operations, except while its reader searches", async () => {
    const folder = layOut();
    const { address, child } = await serving(folder);
    const { page, complaints } = await opened(address);
    await expect.poll(() => page.locator("[data-changes] span").innerText()).toBe("up to date");
    expect(await operations(page)).toBe("4");
    const record = (): void => {
      using collector = new MetricsCollector(join(folder, "metrics.db"));
      collector.recordInteraction("carol", 2, true, 1);
    };
    record();
    await expect.poll(() => operations(page)).toBe("5");
    await page.locator("main").getByRole("button", { name: "Operations" }).first().click();
    record();
    const button = page.getByRole("button", { name: "Show them" });
    await button.waitFor();
    expect(await operations(page)).toBe("5");
    await button.click();
    await expect.poll(() => operations(page)).toBe("6");
    expect(complaints).toEqual([]);
    child.kill("SIGKILL");
    await expect.poll(() => page.locator("[data-changes] span").innerText()).toContain("not connected");
  });

  it("has a page for each user, with the operations", async () => {
    const { address } = await serving(layOut());
    const { page, complaints } = await opened(address);
    await page.getByRole("link", { name: "alice" }).click();
    expect(await page.locator("h1").innerText()).toMatch(/^alice in /);
    expect(await page.locator('.data-table[data-name^="Newest operations"] tbody tr').count()).toBe(3);
    await page.getByRole("link", { name: "All stored data" }).click();
    expect(await page.locator("h1").innerText()).toMatch(/^Stored data in /);
    expect(complaints).toEqual([]);
  });
});
