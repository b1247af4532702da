import { command, hasProgram } from "../disks/commands.ts";

/** Shuts a file system down without writing its log: EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN, with NOLOGFLUSH. */
const SHUT_DOWN = `
import fcntl, os, struct, sys, time
root = os.open(sys.argv[1], os.O_RDONLY)
print(time.monotonic_ns(), flush=True)
fcntl.ioctl(root, 0x8004587d, struct.pack("I", 2))
`;

/**
 * Cuts the power of a mounted disk: nothing more is written to it, and unsynced data is lost.
 *
 * @returns The moment just before, in the units of `process.hrtime.bigint()`. Later acknowledgements do not count: XFS
 * answers a sync of a directory with success after the log was discarded.
 */
export function cutPower(mounted: string): bigint {
  return BigInt(command("python3", "-c", SHUT_DOWN, mounted).trim());
}

/** Reason why power cannot be cut on this machine. */
export function missingForCut(): string | undefined {
  return hasProgram("python3") ? undefined : "It needs python3.";
}
