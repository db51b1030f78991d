import { userInfo } from "node:os";
import type { Host } from "./io.js";

/** Who types: the login name; cron and containers often do not set it. */
export function userName({ USER, LOGNAME }: Host["env"]): string {
  if (USER || LOGNAME) return USER || LOGNAME || "";
  try {
    return userInfo().username;
  } catch {
    return "unknown"; // A user id without an entry in the machine's list of users.
  }
}
