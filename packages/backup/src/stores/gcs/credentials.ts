import type { Storage } from "@google-cloud/storage";
import { GcsFailure } from "./failures.ts";
import { networkFailure } from "./network_failures.ts";

/** So long the default chain may look for credentials: at its end it asks a server that only Google's machines have. */
const SEARCH_MS = 4000;

/**
 * Whether requests go with credentials: to Google always; to an emulator and to addresses of one's own as the client was
 * told.
 */
export async function needsCredentials(storage: Storage): Promise<boolean> {
  if (!storage.customEndpoint) return true;
  if ("useAuthWithCustomEndpoint" in storage) return storage.useAuthWithCustomEndpoint === true;
  // Older versions keep to themselves what they were told, and show what they do.
  const shown = new Promise<boolean>((settle) => {
    const seen = (error: Error | null, request?: { headers?: unknown }): void =>
      settle(error !== null || new Headers((request?.headers ?? {}) as Record<string, string>).has("authorization"));
    const old = storage as unknown as {
      makeAuthenticatedRequest(request: object, seen: object): void;
      apiEndpoint: string;
    };
    old.makeAuthenticatedRequest({ uri: old.apiEndpoint, headers: {} }, { onAuthenticated: seen });
  });
  return inTime(shown, SEARCH_MS, new GcsFailure("noCredentials", `none were found within ${SEARCH_MS} ms`), undefined);
}

/**
 * Finds the credentials.
 *
 * @returns Whether a server of this machine's surroundings gives them, which answers at once where it is there.
 * @throws GcsFailure
 */
export async function findCredentials(storage: Storage, signal?: AbortSignal): Promise<boolean> {
  const late = new GcsFailure("noCredentials", `none were found within ${SEARCH_MS} ms`);
  try {
    const client = await inTime(storage.authClient.getClient(), SEARCH_MS, late, signal);
    return client.constructor.name === "Compute";
  } catch (error) {
    throw error === late || signal?.aborted === true ? error : failureOfSearch(error);
  }
}

/**
 * The headers that let a request in.
 *
 * @throws GcsFailure
 */
export async function credentialHeaders(
  storage: Storage,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Record<string, string>> {
  const late = new GcsFailure("slow", `no access token within ${timeoutMs} ms`);
  try {
    const headers: unknown = await inTime(storage.authClient.getRequestHeaders(), timeoutMs, late, signal);
    // An object in older versions of Google's client.
    return Object.fromEntries(new Headers(headers as Record<string, string>));
  } catch (error) {
    throw error === late || signal?.aborted === true ? error : failureOfToken(error);
  }
}

async function inTime<Result>(
  task: Promise<Result>,
  timeoutMs: number,
  late: GcsFailure,
  signal: AbortSignal | undefined,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let aborted: (() => void) | undefined;
  const over = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(late), timeoutMs);
    aborted = () => fail(signal?.reason);
    signal?.addEventListener("abort", aborted);
    if (signal?.aborted === true) aborted();
  });
  try {
    return await Promise.race([task, over]);
  } finally {
    clearTimeout(timer);
    if (aborted !== undefined) signal?.removeEventListener("abort", aborted);
  }
}

function failureOfSearch(error: unknown): GcsFailure {
  const { message } = error as Error;
  if (/Could not load the default credentials/.test(message)) {
    return new GcsFailure(
      "noCredentials",
      "neither GOOGLE_APPLICATION_CREDENTIALS names a file, nor has gcloud any, nor is this one of Google's machines; " +
        "gcloud auth application-default login makes some",
    );
  }
  // What a parser says shows a piece of the file, which may be of a private key.
  const said = error instanceof SyntaxError ? "the file of credentials is not JSON" : message;
  return new GcsFailure("noCredentials", `they cannot be read: ${said}`);
}

interface TokenError {
  message: string;
  status?: unknown;
  response?: { status?: unknown; data?: unknown };
}

/** Google's client throws errors that carry the whole request, the signed assertion included: nothing of that is kept. */
function failureOfToken(error: unknown): GcsFailure {
  const { message, status, response } = error as TokenError;
  const { error: code, error_description: description } = (response?.data ?? {}) as Record<string, unknown>;
  const said = typeof code === "string" ? `${code}: ${String(description)}` : message;
  const answered = Number(response?.status ?? status);
  if (/reasonable timeframe|iat and exp/i.test(said)) return new GcsFailure("clock", said);
  if (answered === 429 || answered >= 500) return new GcsFailure("server", `no access token: ${answered}: ${said}`);
  if (answered >= 400) return new GcsFailure("refused", said);
  const network = networkFailure(error) ?? networkFailure((error as Error).cause);
  // Nothing was sent to the store yet: whatever broke, the object cannot be there.
  if (network !== undefined)
    return new GcsFailure(network.passes ? "unreachable" : "other", `no access token: ${network.message}`);
  const unusable = error instanceof SyntaxError ? "an answer that is not JSON" : said;
  return new GcsFailure("noCredentials", `they cannot be used: ${unusable}`);
}
