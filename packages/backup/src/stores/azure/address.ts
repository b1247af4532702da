import { ValidationError } from "@perdura/internals/errors/errors.js";
import { describe } from "@perdura/internals/text/describe.js";
import type { Upload } from "../object_store.ts";

/** Parsed address: `az://container/prefix` or `az://container@account.blob.core.windows.net/prefix`. */
export interface AzureAddress {
  container: string;
  /** Host of the account; undefined if the environment names the account. */
  host: string | undefined;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
}

const CONTAINER = /^(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Includes hosts of other clouds, and of accounts in a DNS zone: `account.z12.blob.storage.azure.net`. */
const HOST = /^([a-z0-9]{3,24})\.(?:z\d+\.)?blob\.[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** @throws ValidationError for any other text; it shows nothing of the address that could be a secret. */
export function parseAzureAddress(address: string): AzureAddress {
  const [, before, after, prefix = ""] = /^az:\/\/(?:([^/@]*)@)?([^/@]*)(?:\/(.*))?$/s.exec(address) ?? [];
  if (after === undefined)
    refuse("an address like az://container/prefix or az://container@account.blob.core.windows.net/prefix");
  const [container, host] = before === undefined ? [after, undefined] : [before, after.toLowerCase()];
  if (!CONTAINER.test(container))
    refuse("a container of 3 to 63 lower-case letters, digits and single hyphens after az://");
  if (host !== undefined && !HOST.test(host))
    refuse(
      "a host like account.blob.core.windows.net after the @ (AZURE_STORAGE_CONNECTION_STRING names any other endpoint)",
    );
  return { container, host, prefix: checkedPrefix(prefix) };
}

/** The account of a host. */
export function accountOf(host: string): string | undefined {
  return HOST.exec(host)?.[1];
}

/** @throws ValidationError for a prefix under which objects could not be found again. */
export function checkedPrefix(prefix: unknown): string {
  if (typeof prefix !== "string")
    throw new ValidationError(`expected a string, got ${describe(prefix)}.`, { argument: "prefix" });
  const bare = prefix.replace(/^\/+/, "").replace(/\/+$/, "");
  if (bare === "" || isSafeName(bare)) return bare;
  // Not shown: a user may have appended a SAS token.
  throw new ValidationError(
    "expected ASCII letters, digits and / . _ - % ~, without empty parts and without parts that end with a dot.",
    { argument: "prefix" },
  );
}

function refuse(expected: string): never {
  throw new ValidationError(`expected ${expected}.`, { argument: "place" });
}

/** Maximum length of a name in the service, in characters. */
const LONGEST = 1024;

/**
 * True if the service finds a blob of this name again: clients resolve `.` and `..` in URLs, and the service removes
 * dots and slashes at the ends of segments.
 */
function isSafeName(name: string): boolean {
  return (
    /^[A-Za-z0-9/._%~-]+$/.test(name) &&
    name.length <= LONGEST &&
    name.split("/").every((part) => part !== "" && !part.endsWith("."))
  );
}

/**
 * The name of the blob for a key.
 *
 * @throws ValidationError for a key that the service would change.
 */
export function blobName(prefix: string, key: string): string {
  const name = below(prefix, key);
  if (isSafeName(key) && name.length <= LONGEST) return name;
  throw new ValidationError(
    `expected at most ${LONGEST} characters including the prefix: ASCII letters, digits and / . _ - % ~, without empty parts and without parts that end with a dot; got ${describe(key)}.`,
    { argument: "key" },
  );
}

/** A name, or the beginning of names, below the prefix. */
export function below(prefix: string, key: string): string {
  return prefix === "" ? key : `${prefix}/${key}`;
}

/** @throws ValidationError for metadata that would be changed: headers lose blanks at their ends. */
export function assertMetadata(metadata: Upload["metadata"]): void {
  for (const [name, value] of Object.entries(metadata)) {
    if (!/^[a-z][a-z0-9]*$/.test(name))
      throw new ValidationError(`expected names of lower-case letters a to z and digits, got ${describe(name)}.`, {
        argument: "metadata",
      });
    if (!/^(?:[!-~](?:[ -~]*[!-~])?)$/.test(value))
      throw new ValidationError(
        `metadata.${name}: expected printable ASCII without blanks at its ends, got ${describe(value)}.`,
      );
  }
}
