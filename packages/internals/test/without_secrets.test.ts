import fc from "fast-check";
import { expect, test } from "vitest";
import { mayHoldSecret, redactSecrets } from "../src/terminal/redact_secrets.ts";

test.each([
  ["s3://AKIA1:ab/cd+e=@bucket/agents: no", "s3://…@bucket/agents: no"],
  ["https://me@host/x", "https://…@host/x"],
  ["postgres://alice@db:5432/agents: no", "postgres://alice@db:5432/agents: no"],
  ["postgresql://alice:@db/agents", "postgresql://…@db/agents"],
  ["postgres://alice:a@b@db/agents", "postgres://…@db/agents"],
  ["postgres://app:Ab1@Secret/xyz99@db.internal/agents: no", "postgres://…@db.internal/agents: no"],
  ["postgres://app@corp:Ab1@db/agents", "postgres://…@db/agents"],
  ["postgres://alice%3Ahunter2@db/agents", "postgres://…@db/agents"],
  ['got "az://c/p?sv=1&sig=a%2Fb%3D&se=2"', 'got "az://c/p?sv=1&sig=…&se=2"'],
  ["gs://b/o?X-Goog-Credential=a&X-Goog-Signature=b", "gs://b/o?X-Goog-Credential=…&X-Goog-Signature=…"],
  ["AccountName=a;AccountKey=c2Vj==;EndpointSuffix=x", "AccountName=a;AccountKey=…;EndpointSuffix=x"],
  ["AccountKey=c2Vj==", "AccountKey=…"],
  ["SharedAccessSignature=sv=1&sig=b", "SharedAccessSignature=…&sig=…"],
  ["s3://bucket/me@home/a:b@c", "s3://bucket/me@home/a:b@c"],
  ["https://u:p/a@b/c@host/x: no", "https://…@host/x: no"],
  ["az://backups@acct.blob.core.windows.net/p: no", "az://backups@acct.blob.core.windows.net/p: no"],
  ["az://acct:key@acct.blob.core.windows.net/p: no", "az://…@acct.blob.core.windows.net/p: no"],
  [
    "403 AuthenticationFailed: Basic authentication is off, the Bearer token expired.",
    "403 AuthenticationFailed: Basic authentication is off, the Bearer token expired.",
  ],
  [
    "GET https://u:p@h/k?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=abc&x=1, Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c\nkey s3cr3t",
    "GET https://…@h/k?X-Amz-Credential=…&X-Amz-Signature=…&x=1, Authorization: …\nkey s3cr3t",
  ],
])("%s", (text, shown) => {
  expect(redactSecrets(text)).toBe(shown);
});

test.each([
  ["a", "take a break: loading, a-b", "take … break: loading, …-b"],
  ["ad", "loading ad, bad ad/", "loading …, bad …/"],
  ["+s3/", "x+s3/y", "x…y"],
  ["a/b+c", "in a URL a%2Fb%2Bc, and a/b+c", "in a URL …, and …"],
  ["", "nothing", "nothing"],
  ["$&", "a $& b", "a … b"],
])("hides the known secret %j completely: %s", (secret, text, shown) => {
  expect(redactSecrets(text, [secret])).toBe(shown);
});

test("hides any secret completely, and keeps words that contain it", () => {
  const words = "the server answered loading adding failed credentials".split(" ");
  const secret = fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((text) => text.trim() === text && !words.includes(text));
  fc.assert(
    fc.property(secret, (known) => {
      const shown = redactSecrets(`${words.join(" ")} (${known}) end`, [known]);
      expect(shown.startsWith(words.join(" "))).toBe(true);
      expect(shown.slice(words.join(" ").length + 2, -5)).not.toContain(known.replace(/^[.…]+$/, "\0"));
    }),
  );
});

test.each([
  ["s3://bucket/prefix?region=eu-west-1&endpoint=https://host:9000", false],
  ["az://container@account.blob.core.windows.net/prefix", false],
  ["gs://bucket/year=2026/x", false],
  ["file:///home/me@host/backups", false],
  ["file:///C:/Users/me@host/backups", false],
  ["file:///u:secret@host/backups", true],
  ["/home/me@host/agents.db", false],
  ["me@example.com", false],
  ["postgres://alice@db/agents", false],
  ["s3://KEY:secret", true],
  ["file:///a@b@c", true],
  ["user:password@host", true],
  ["az://c/p?sv=1%26sig%3Dx", true],
  ["AccountName=a; AccountKey = x", true],
])("mayHoldSecret of %s is %s", (text, may) => {
  expect(mayHoldSecret(text)).toBe(may);
});
