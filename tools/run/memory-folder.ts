import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { freemem } from "node:os";

/** A whole run of the tests keeps less than a quarter of it there at a time. */
const NEEDED_BYTES = 4 * 1024 ** 3;

/**
 * Returns the folder in memory for temporary files, or undefined if the system has none with enough room. D1 in workerd writes
 * to disk after each statement, even one that only reads, which takes a third of its time.
 */
export function memoryFolder(folder = "/dev/shm"): string | undefined {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    // Containers often allow it 64 MB only, and what is allowed may be in use.
    if (Math.min(bavail * bsize, freemem()) < NEEDED_BYTES) return undefined;
    const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
    const [, , type, options = ""] = mounts.find((line) => line.split(" ")[1] === folder)?.split(" ") ?? [];
    // Tests run scripts that they write.
    return type === "tmpfs" && !options.split(",").includes("noexec") ? folder : undefined;
  } catch {
    return undefined;
  }
}
