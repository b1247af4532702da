import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

/** The files of a certificate and of its key. */
export interface SelfSigned {
  certificate: string;
  key: string;
}

/** Makes a self-signed certificate for 127.0.0.1 in a folder; undefined without `openssl`. */
export async function selfSigned(folder: string): Promise<SelfSigned | undefined> {
  const [certificate, key] = [join(folder, "server.crt"), join(folder, "server.key")];
  const words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=perdura -addext subjectAltName=IP:127.0.0.1";
  try {
    await promisify(execFile)("openssl", [...words.split(" "), "-keyout", key, "-out", certificate]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return { certificate, key };
}
