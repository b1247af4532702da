import { Disk } from "../../src/disks/disk.ts";

/** `hold_disk.ts PLACE`: mounts a disk, prints its directory, and never ends. */
const disk = new Disk(process.argv[2] as string, { kind: "ext4", megabytes: 4 });
console.log(disk.directory);
setInterval(() => undefined, 1000);
