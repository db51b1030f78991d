import { execFileSync } from "node:child_process";
import type { Host } from "./io.js";

/** Who types: the login name. Cron and containers often do not set it, and bun's `userInfo` knows nothing else. */
export function userName({ USER, LOGNAME, PATH }: Host["env"]): string {
  if (USER || LOGNAME) return USER || LOGNAME || "";
  try {
    return execFileSync("id", ["-un"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH },
    }).trim();
  } catch {
    return "unknown"; // A user id without an entry in the machine's list of users.
  }
}
