import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A service account of the tests. */
export interface ServiceAccount {
  email: string;
  /** PEM; passed to the server. */
  publicKey: string;
  /** Content of the key file that Google issues. */
  key: Record<string, string>;
}

/**
 * Makes a service account. Google's own client always uses Google's token server for these keys, whatever `token_uri`
 * says: see {@link sendTokenRequestsTo}.
 */
export function newServiceAccount(tokenUrl: string = "https://oauth2.googleapis.com/token"): ServiceAccount {
  const email = "robot@project.iam.gserviceaccount.com";
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const names = { type: "service_account", project_id: "project", private_key_id: "1", client_id: "1" };
  return { email, publicKey, key: { ...names, private_key: privateKey, client_email: email, token_uri: tokenUrl } };
}

/**
 * Writes a file of credentials for `GOOGLE_APPLICATION_CREDENTIALS`: of a user of another identity provider, with one
 * of the server's `subjectTokens`. Its token server is configurable, so that no redirection is necessary.
 *
 * @returns The file.
 */
export function writeFederatedCredentials(directory: string, tokenUrl: string, subjectToken: string): string {
  const file = join(directory, "credentials.json");
  const source = join(directory, "subject");
  writeFileSync(source, subjectToken);
  const credentials = {
    type: "external_account",
    audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/one",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
    token_url: tokenUrl,
    credential_source: { file: source },
  };
  writeFileSync(file, JSON.stringify(credentials), { mode: 0o600 });
  return file;
}

/** The part of Google's client that requests tokens. */
interface TokenClient {
  transporter: {
    interceptors: { request: { add(interceptor: { resolved(request: { url: URL }): Promise<unknown> }): unknown } };
  };
}

/** Redirects the token requests of Google's own client to this server; the requests themselves are unchanged. */
export async function sendTokenRequestsTo(tokenUrl: string, auth: { getClient(): Promise<unknown> }): Promise<void> {
  const { transporter } = (await auth.getClient()) as TokenClient;
  transporter.interceptors.request.add({
    resolved: async (request) => {
      if (request.url.host === "oauth2.googleapis.com") request.url = new URL(tokenUrl);
      return request;
    },
  });
}
