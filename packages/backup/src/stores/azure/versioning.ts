import type { Retention } from "../object_store.ts";
import { RemoteFailure } from "../remote/failures.ts";
import { accountOf } from "./address.ts";
import type { Container } from "./objects.ts";

/** Days for which the suggested rule keeps an older version, so that a removal can be undone. */
const DAYS = 7;

/**
 * Checks whether blobs have versions, which a listing shows; undefined for stores and credentials that do not allow it.
 */
export async function hasVersions(
  { client, prefix, requests }: Container,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  try {
    return await requests.send(async (abortSignal) => {
      const options = { prefix: prefix === "" ? "" : `${prefix}/`, includeVersions: true, abortSignal };
      const { value } = await client.listBlobsFlat(options).byPage({ maxPageSize: 1 }).next();
      return value?.segment.blobItems.some(({ versionId = "" }) => versionId !== "") ?? false;
    }, signal);
  } catch (error) {
    if (error instanceof RemoteFailure && [400, 403, 501].includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

/**
 * Explains how removed blobs are freed. Soft delete is visible only in the answer to a removal, and ends automatically.
 *
 * @param versions True if blobs have versions; undefined if unknown.
 */
export function keepingOf({ client, prefix }: Container, versions: boolean | undefined): Retention {
  if (versions !== true)
    return {
      retains: undefined,
      why: "the account has soft delete",
      howToFree: "Azure frees soft-deleted blobs when the retention period of the account ends.",
    };
  const rule = {
    rules: [
      {
        name: "perdura-backup",
        enabled: true,
        type: "Lifecycle",
        definition: {
          filters: {
            blobTypes: ["blockBlob"],
            prefixMatch: [`${client.containerName}/${prefix === "" ? "" : `${prefix}/`}`],
          },
          actions: { version: { delete: { daysAfterCreationGreaterThan: DAYS } } },
        },
      },
    ],
  };
  const account = accountOf(new URL(client.url).hostname) ?? "ACCOUNT";
  const howToFree = [
    `A lifecycle rule of the account can remove older versions ${DAYS} days after their creation. If the account has no rules, write this to rule.json and run the command:`,
    "",
    JSON.stringify(rule),
    "",
    `az storage account management-policy create --account-name ${account} --resource-group GROUP --policy @rule.json`,
    "",
    "The command replaces all rules of the account. If it has rules, add this one to them.",
  ].join("\n");
  return { retains: true, why: "the account has versioning", howToFree };
}
