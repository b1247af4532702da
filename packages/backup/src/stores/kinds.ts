/** Kinds of stores by the scheme of their addresses: their names, and their addresses in help texts. */
const KINDS = {
  "s3:": { name: "S3", address: "s3://BUCKET/PREFIX" },
  "az:": { name: "Azure Blob Storage", address: "az://CONTAINER/PREFIX" },
  "gs:": { name: "Google Cloud Storage", address: "gs://BUCKET/PREFIX" },
  "file:": { name: "a directory", address: "file:///DIRECTORY" },
} as const;

/** The scheme of an address. */
export type Scheme = keyof typeof KINDS;

export function isScheme(text: string): text is Scheme {
  return Object.hasOwn(KINDS, text);
}

const { "file:": DIRECTORY, ...SERVICES } = KINDS;

/** All kinds, for a sentence about backups; `pnpm generate` writes it into pages as well. */
export const ON_ALL_KINDS: string = `on ${Object.values(SERVICES)
  .map(({ name }) => name)
  .join(", ")}, or in ${DIRECTORY.name}`;

/** The addresses of all kinds. */
export const ADDRESSES: string = enumerated(Object.values(KINDS).map(({ address }) => address));

/** The beginnings of the addresses of all kinds. */
export const BEGINNINGS: string = enumerated(Object.values(KINDS).map(({ address }) => address.replace(/[A-Z].*/, "")));

function enumerated(texts: readonly string[]): string {
  return `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`;
}
