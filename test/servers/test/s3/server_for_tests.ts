import { S3Client } from "@aws-sdk/client-s3";
import type { S3ClientConfig } from "@aws-sdk/client-s3";
import { onTestFinished } from "vitest";
import { startS3 } from "../../src/s3/server.ts";
import type { S3Options, S3Server } from "../../src/s3/server.ts";

/** A server and the real SDK for it, both stopped after the test. */
export async function started(
  options: S3Options = {},
  config: S3ClientConfig = {},
): Promise<{ server: S3Server; client: S3Client }> {
  const server = await startS3(options);
  onTestFinished(() => server.stop());
  return { server, client: clientOf(server, config) };
}

export function clientOf(server: S3Server, config: S3ClientConfig = {}): S3Client {
  const { endpoint, region, credentials } = server;
  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1, ...config });
  onTestFinished(() => client.destroy());
  return client;
}

/** Error of a refused request. */
export async function refusal(answer: Promise<unknown>): Promise<{ name: string; status: number | undefined }> {
  const error = await answer.then(
    () => new Error("the request was not refused"),
    (reason: unknown) => reason as Error,
  );
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  if ($metadata === undefined) throw error;
  return { name: error.name, status: $metadata.httpStatusCode };
}
