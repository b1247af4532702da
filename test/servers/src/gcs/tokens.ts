import { createPublicKey, randomBytes, verify } from "node:crypto";
import { answerJson, bodyOf, jsonOf } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** Options for authentication. */
export interface AccessOptions {
  /** Bearer tokens that are accepted although this server did not issue them. */
  tokens?: readonly string[];
  /** True if requests need no token, as with an emulator. */
  anonymous?: boolean;
  /** Accounts with the public keys (PEM) that verify their JWTs. */
  serviceAccounts?: Readonly<Record<string, string>>;
  /** Tokens of another identity provider that are exchanged for one of ours. */
  subjectTokens?: readonly string[];
  /** Refresh tokens of users, as `gcloud auth application-default login` stores them. */
  refreshTokens?: readonly string[];
  /** Milliseconds by which this server's clock is ahead of the machine's. */
  clockAheadMs?: number;
}

/** Maximum lifetime of a JWT, and maximum clock skew, in seconds. */
const LIFE = 3600;
const SKEW = 300;

const JWT_GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const EXCHANGE_GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";

/** Issues access tokens, like Google's OAuth server and its token exchange, and verifies them. */
export class Tokens {
  /** Number of issued tokens. */
  given = 0;
  readonly #options: AccessOptions;
  readonly #known: Set<string>;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#known = new Set(options.tokens);
  }

  /** @throws Refusal 401. */
  assertAccess({ request }: Exchange): void {
    const { authorization } = request.headers;
    if (authorization === undefined && this.#options.anonymous === true) return;
    const at = { locationType: "header", location: "Authorization" };
    if (authorization === undefined)
      throw new Refusal(401, "required", "Anonymous caller does not have storage.objects access to the bucket.", at);
    const [, token] = /^Bearer (\S+)$/.exec(authorization) ?? [];
    if (token === undefined || !this.#known.has(token)) throw new Refusal(401, "authError", "Invalid Credentials", at);
  }

  /** Revokes all tokens. */
  revoke(): void {
    this.#known.clear();
  }

  /** @param audience The `aud` that a JWT may have, in addition to Google's own. */
  async answer(exchange: Exchange, audience: string): Promise<void> {
    const fields = new URLSearchParams((await bodyOf(exchange)).toString());
    const grant = fields.get("grant_type");
    const fault =
      grant === JWT_GRANT
        ? this.#faultOfJwt(fields.get("assertion") ?? "", [audience, "https://oauth2.googleapis.com/token"])
        : grant === EXCHANGE_GRANT
          ? this.#faultOfExchange(fields)
          : grant === "refresh_token"
            ? this.#faultOfRefresh(fields)
            : ["unsupported_grant_type", "Invalid grant_type: " + grant];
    if (fault !== undefined) {
      // Answers carry the server's time, as Google's do.
      exchange.response.setHeader("date", new Date(this.#now()).toUTCString());
      answerJson(exchange, { error: fault[0], error_description: fault[1] }, 400);
      return;
    }
    const token = `ya29.${randomBytes(24).toString("base64url")}`;
    this.#known.add(token);
    this.given += 1;
    const issued = { issued_token_type: "urn:ietf:params:oauth:token-type:access_token" };
    answerJson(exchange, { access_token: token, expires_in: LIFE - 1, token_type: "Bearer", ...issued });
  }

  #now(): number {
    return Date.now() + (this.#options.clockAheadMs ?? 0);
  }

  #faultOfExchange(fields: URLSearchParams): string[] | undefined {
    const known = this.#options.subjectTokens?.includes(fields.get("subject_token") ?? "") ?? false;
    if (known) return undefined;
    return ["invalid_grant", "The subject token is not valid for this audience."];
  }

  #faultOfRefresh(fields: URLSearchParams): string[] | undefined {
    const known = this.#options.refreshTokens?.includes(fields.get("refresh_token") ?? "") ?? false;
    return known ? undefined : ["invalid_grant", "Token has been expired or revoked."];
  }

  #faultOfJwt(jwt: string, audiences: string[]): string[] | undefined {
    const [head = "", body = "", signature = "", ...more] = jwt.split(".");
    let header, claims;
    try {
      header = jsonOf(Buffer.from(head, "base64url").toString());
      claims = jsonOf(Buffer.from(body, "base64url").toString());
    } catch {
      return ["invalid_grant", "Invalid JWT: malformed."];
    }
    if (more.length > 0 || header["alg"] !== "RS256") return ["invalid_grant", "Invalid JWT: malformed."];
    const key = this.#options.serviceAccounts?.[String(claims["iss"])];
    if (key === undefined) return ["invalid_grant", "Invalid grant: account not found"];
    const { iat, exp, aud, scope } = claims;
    const now = this.#now() / 1000;
    if (typeof iat !== "number" || typeof exp !== "number" || iat > now + SKEW || exp < now - SKEW || exp - iat > LIFE)
      return ["invalid_grant", CLOCK];
    if (
      !verify("RSA-SHA256", Buffer.from(`${head}.${body}`), createPublicKey(key), Buffer.from(signature, "base64url"))
    )
      return ["invalid_grant", "Invalid JWT Signature."];
    if (!audiences.includes(String(aud))) return ["invalid_grant", "Invalid JWT: Failed audience check."];
    if (typeof scope !== "string" || !/devstorage|cloud-platform/.test(scope))
      return ["invalid_scope", "Invalid OAuth scope or ID token audience provided."];
    return undefined;
  }
}

const CLOCK =
  "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp " +
  "values in the JWT claim.";
