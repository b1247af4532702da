import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../../../../test/fresh_folder.ts";

const PACKAGE = fileURLToPath(new URL("../../../", import.meta.url));

/** Opens a store, and prints its error. */
const PROGRAM = `import { openAzureStore } from "./stores/azure/azure_store.ts";
const place = { container: "container", host: "account.blob.core.windows.net", prefix: "" };
const environment = process.env;
await openAzureStore(place, { tries: 1, timeoutMs: 1000, partSize: 1000 }, { environment }).catch((error) => {
  process.stdout.write(error.code + " " + error.message);
});
`;

const folder = freshFolder();
beforeAll(() => {
  cpSync(join(PACKAGE, "src/stores"), join(folder, "stores"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  installed("@perdura/internals");
});

test("names a missing package and the command that installs it", () => {
  const { AZURE_STORAGE_KEY: _key, AZURE_STORAGE_SAS_TOKEN: _token, ...environment } = process.env;
  const key = Buffer.alloc(64).toString("base64");
  expect(said({ ...environment, AZURE_STORAGE_KEY: key })).toBe(
    "PERDURA_MISSING_PACKAGE Backups on Azure Blob Storage need the package @azure/storage-blob, which is not installed: npm install @azure/storage-blob",
  );
  installed("@azure/storage-blob");
  expect(said({ ...environment, AZURE_STORAGE_KEY: key })).toBe("");
  expect(said({ ...environment, AZURE_STORAGE_CONNECTION_STRING: "" })).toMatch(
    /^PERDURA_MISSING_PACKAGE az:\/\/container@account\S+: no key, SAS token or .* Other credentials need the package @azure\/identity, which is not installed: npm install @azure\/identity$/,
  );
});

function installed(name: string): void {
  const link = join(folder, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(realpathSync(join(PACKAGE, "node_modules", name)), link, "junction");
}

function said(environment: NodeJS.ProcessEnv): string {
  const words = ["--conditions=@perdura/source", "--no-warnings", "program.ts"];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, env: environment, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout;
}
