/** The first bytes of a file in the format AppleDouble. */
const MAGIC = Buffer.from([0, 5, 0x16, 7]);

/** Number of bytes that {@link isAppleDouble} needs. */
export const APPLE_DOUBLE_BYTES = 4;

/** True for the name of a file that may be AppleDouble. */
export const hasAppleDoubleName = (name: string): boolean => name.startsWith("._");

/**
 * True for a file in which macOS keeps attributes of the file next to it: `._NAME` belongs to `NAME`, on exFAT, on SMB
 * and NFS, and in archives of `tar`.
 *
 * @param head The first bytes of the file, or all of them.
 */
export function isAppleDouble(name: string, head: Uint8Array): boolean {
  return hasAppleDoubleName(name) && MAGIC.equals(head.subarray(0, APPLE_DOUBLE_BYTES));
}
