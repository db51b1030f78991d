import { readFileSync } from "node:fs";

/** One start of an agent, as the agent itself wrote it down. */
export type AgentStart = {
  readonly thread: string;
  readonly role: string;
  readonly head: string;
  readonly run: string;
};

/** All starts; none when no agent has ever been started. A line that a kill cut short is no start. */
export function readLedger(file: string): readonly AgentStart[] {
  const text = (() => {
    try {
      return readFileSync(file, "utf8");
    } catch {
      return "";
    }
  })();
  return text.split("\n").flatMap((line) => {
    const [thread, role, head, run] = line.split(" ");
    return thread && role && head && run ? [{ thread, role, head, run }] : [];
  });
}
