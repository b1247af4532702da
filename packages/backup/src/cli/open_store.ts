import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Progress } from "@perdura/cli/progress_line.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { mayHoldSecret } from "@perdura/internals/terminal/redact_secrets.js";
import { UsageError } from "@perdura/cli/usage_error.js";
import type { BackupStore } from "../backup_store.ts";
import { encodeName } from "../layout/library_names.ts";
import { addressBelow } from "../stores/address_below.ts";
import { openBackupStore } from "../open_backup_store.ts";
import type { BackupProgress } from "../options.ts";
import type { Arguments } from "./table.ts";

/** Opens the store of a command line; its progress is passed to `print`. */
export async function openStore(given: Arguments, print: (progress: Progress) => void): Promise<BackupStore> {
  const [address = ""] = given.words;
  assertAddress(address);
  const [tries, timeout] = [valueOf(given, "tries"), valueOf(given, "timeout")];
  let place = "";
  const store = await openBackupStore(address, {
    ...(tries === undefined ? {} : { tries: Number(tries) }),
    ...(timeout === undefined ? {} : { timeoutMs: Number(timeout) * 1000, busyTimeoutMs: Number(timeout) * 1000 }),
    onProgress: (progress) => print(eventOf(progress, place, given)),
  });
  place = store.place;
  return store;
}

/** Refuses a plain path, which users may write instead of the address of a directory. */
function assertAddress(address: string): void {
  // Opening the store refuses it, with a message that does not show it.
  if (mayHoldSecret(address)) return;
  if (!/^[a-z][a-z\d+.-]*:/i.test(address) || /^[a-z]:[\\/]/i.test(address))
    throw new UsageError(
      `${JSON.stringify(address)} is not an address. For a directory, write ${pathToFileURL(resolve(address)).href}.`,
    );
  // Any other host would be a network path, which only Windows can open.
  if (/^file:/i.test(address) && !/^file:\/\/(?:localhost)?\//i.test(address))
    throw new UsageError(
      `${JSON.stringify(address)}: expected file:/// and the path of a directory, for example file:///srv/backups.`,
    );
}

function eventOf({ stage, name, done, total }: BackupProgress, place: string, { command }: Arguments): Progress {
  const measured = stage !== "snapshot";
  const detail = stage === "snapshot" ? "reading the library" : DETAILS[command === "verify" ? "verify" : stage];
  return {
    event: "progress",
    path: addressBelow(place, encodeName(name)),
    stage,
    detail,
    done: measured ? done : null,
    total: measured ? total : null,
    unit: measured ? "bytes" : null,
  };
}

const DETAILS = { upload: "storing", check: "checking", download: "fetching", verify: "checking" };
