import { command, hasProgram } from "../disks/commands.ts";

/** Shuts a file system down without writing its log: EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN, with NOLOGFLUSH. */
const SHUT_DOWN = `
import fcntl, os, struct, sys, time
root = os.open(sys.argv[1], os.O_RDONLY)
print(time.monotonic_ns(), flush=True)
fcntl.ioctl(root, 0x8004587d, struct.pack("I", 2))
`;

/**
 * Cuts the power of a mounted disk: from now on nothing is written to it, and what was not yet is lost.
 *
 * @returns The moment just before, as `process.hrtime.bigint()` counts. What a process was told later it would not have
 *   lived to hear: XFS answers a sync of a directory with success when the log was thrown away meanwhile.
 */
export function cutPower(mounted: string): bigint {
  return BigInt(command("python3", "-c", SHUT_DOWN, mounted).trim());
}

/** Why it cannot be done here. */
export function missingForCut(): string | undefined {
  return hasProgram("python3") ? undefined : "It needs python3.";
}
