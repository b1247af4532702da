import type * as S3 from "@aws-sdk/client-s3";
import { MissingPackageError } from "@perdura/internals/errors/errors.js";

/** What of the SDK is used. */
export type S3Sdk = typeof S3;

/**
 * Loads Amazon's SDK, which is installed by those who keep backups on S3 only.
 *
 * @throws MissingPackageError, which says what to install.
 */
export async function loadS3(): Promise<S3Sdk> {
  try {
    return await import("@aws-sdk/client-s3");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(
      "Backups on S3 need the package @aws-sdk/client-s3, which is not installed: npm install @aws-sdk/client-s3",
      { cause },
    );
  }
}
