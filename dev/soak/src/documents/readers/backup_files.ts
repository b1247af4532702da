import { hash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { openBackupStore } from "@perdura/backup";
import type { Chance } from "../../../../../test/hostile/chance.ts";
import { changed } from "../../../../../test/hostile/hostile_bytes.ts";
import { hostileText } from "../../../../../test/hostile/hostile_text.ts";
import { faultsOfError, faultsOfText } from "../judge_error.ts";
import type { Bench, Try } from "../reader.ts";
import { hostileDocument, LIBRARY } from "../../../../../test/hostile/documents.ts";

/** Objects in a store of backups, to which others may write: versions, checksums, names. */
export const objects = (): Try => ({ document: tryStore });

async function tryStore(chance: Chance, { directory }: Bench): Promise<string[]> {
  const root = join(directory, "store");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "agents"), { recursive: true });
  const bytes = hostileDocument(chance.made(LIBRARY), chance);
  const sha256 = hash("sha256", bytes, "hex");
  const name = versionOf(sha256, chance);
  const sum = Buffer.from(`${sha256}  ${name}\n`);
  put(root, name, bytes);
  put(root, `${name}.sha256`, chance.percent(50) ? sum : changed(sum, chance));
  put(root, hostileText(chance), Buffer.from("stranger"));
  const folder = hostileText(chance);
  if (isName(folder)) mkdirSync(join(root, folder), { recursive: true });
  return judgeStore(root, bytes, join(directory, "restored.json"));
}

function versionOf(sha256: string, chance: Chance): string {
  const name = `20261122T164310.123456Z-${sha256.slice(0, 8)}.${chance.pick(["json", "json", "json", "db"])}`;
  return chance.percent(70) ? name : changed(Buffer.from(name), chance).toString("utf8");
}

function put(root: string, name: string, bytes: Buffer): void {
  if (isName(name)) writeFileSync(join(root, "agents", name), bytes);
}

/** True if a file system accepts the name for one entry. */
function isName(name: string): boolean {
  return name !== "" && name !== "." && name !== ".." && !/[/\0]/.test(name) && Buffer.byteLength(name) <= 255;
}

/** Lists, verifies and restores: a restore returns exactly what was stored, or fails. */
async function judgeStore(root: string, bytes: Buffer, to: string): Promise<string[]> {
  rmSync(to, { force: true });
  const store = await openBackupStore(pathToFileURL(root).href);
  const faults: string[] = [];
  for (const { name, ok, problem } of await store.verify())
    if (!ok) faults.push(...faultsOfText(`${name} ${problem}`, "the problem"));
  const [newest] = await store.list("agents");
  try {
    if (newest !== undefined) await store.restore("agents", { to });
    if (newest !== undefined && !readFileSync(to).equals(bytes)) faults.push("restored other content than was stored");
  } catch (error) {
    faults.push(...faultsOfError(error));
    try {
      readFileSync(to);
      faults.push(`refused, but created a file: ${String(error).slice(0, 300)}`);
    } catch {
      // No file, as expected.
    }
  }
  await store.close();
  return faults;
}
