import type { Keeping } from "../object_store.ts";
import { accountOf } from "./azure_address.ts";
import { codeOf } from "./failed_tries.ts";
import type { RestFailure } from "./failed_tries.ts";
import { asking, UNCHANGED } from "./opened_container.ts";
import type { OpenedContainer } from "./opened_container.ts";

/** Days that a rule leaves an older version, in which a removal can be undone. */
const DAYS = 7;

/** Looks whether blobs have versions, which shows in a listing; undefined for stores and credentials that know of none. */
export async function hasVersions(
  container: OpenedContainer,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const { client, prefix } = container;
  const action = { doing: "asking for its versions", fate: UNCHANGED };
  return asking(container, action, signal, async (abortSignal) => {
    try {
      const options = { prefix: prefix === "" ? "" : `${prefix}/`, includeVersions: true, abortSignal };
      const { value } = await client.listBlobsFlat(options).byPage({ maxPageSize: 1 }).next();
      return value?.segment.blobItems.some(({ versionId = "" }) => versionId !== "") ?? false;
    } catch (error) {
      const { statusCode = 0 } = error as RestFailure;
      if (statusCode === 400 || statusCode === 403 || statusCode === 501) return undefined;
      throw error;
    }
  });
}

/**
 * Tells how removed blobs are freed. Soft delete shows only in the answer to a removal, and ends automatically.
 *
 * @param versions Whether blobs have versions, as far as that is known.
 */
export function keepingOf({ client, prefix }: OpenedContainer, versions: boolean | undefined): Keeping {
  if (versions !== true)
    return {
      retains: undefined,
      why: "the account has soft delete",
      howToFree: "Azure automatically frees what is soft-deleted when the retention period of the account ends.",
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
    `A lifecycle rule of the account removes older versions ${DAYS} days after they were made. Where there is none yet, put this into rule.json:`,
    "",
    JSON.stringify(rule),
    "",
    `az storage account management-policy create --account-name ${account} --resource-group GROUP --policy @rule.json`,
    "",
    "This replaces all rules of the account: where it has some, add this one to them.",
  ].join("\n");
  return { retains: true, why: "the account has versioning", howToFree };
}

/** True where an immutability policy, a legal hold or a lease keeps a blob. */
export function isLocked(error: unknown): boolean {
  return /^BlobImmutable|ImmutabilityPolicy|LegalHold|^LeaseIdMissing$/.test(codeOf(error));
}
