import type { Call } from "../inject/index.js";

/** What had been told when the power went. */
export type Told = {
  /** What uwf had printed. */
  readonly document: string;
  /** The hash that the agent had printed and synced: its step has been paid for. */
  readonly result: string | null;
};

/** What uwf and its agent had told after these calls. */
export function acknowledged(calls: readonly Call[]): Told {
  const done = calls.filter(({ path, outcome }) => path === "stdout" && outcome === "done");
  const textOf = (role: Call["role"]): string =>
    done
      .filter((call) => call.role === role && call.name === "write")
      .map(({ data }) => Buffer.from(data ?? "", "base64").toString("utf8"))
      .join("");
  const isSynced = done.some(({ role, name }) => role === "agent" && name === "fsync");
  return { document: textOf("uwf"), result: isSynced ? textOf("agent").trim() : null };
}
