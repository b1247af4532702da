/**
 * @returns Below zero when the first version is older.
 * @throws {Error} for what is not `X.Y.Z`.
 */
export function compareVersions(one: string, other: string): number {
  const [ones, others] = [partsOf(one), partsOf(other)];
  for (const [index, part] of ones.entries()) {
    const difference = part - (others[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * The numbers of a version that is released from here.
 *
 * @throws {Error} for what is not `X.Y.Z`: a version to be tried out needs a tag of its own, and is published by hand.
 */
export function partsOf(version: string): number[] {
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version))
    throw new Error(
      `version ${version}: expected X.Y.Z; releases for trying out are published by hand, with a tag of their own`,
    );
  return version.split(".").map(Number);
}
