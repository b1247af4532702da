import { statfsSync } from "node:fs";

/** File systems of Linux that hold no data of anybody; to read some of their files waits forever, or does something. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9f_a0, // proc
  0x62_65_65_72, // sysfs
  0x64_62_67_20, // debugfs
  0x74_72_61_63, // tracefs
  0x73_63_66_73, // securityfs
  0x27_e0_eb, // cgroup
  0x63_67_72_70, // cgroup2
  0x62_65_65_70, // configfs
  0xca_fe_4a_11, // bpf
]);

/** True for a directory in which the kernel answers instead of a disk. */
export function isOfKernel(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    // Why it cannot be looked into is said when it is.
    return false;
  }
}
