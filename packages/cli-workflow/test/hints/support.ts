import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { ended, type Ran, type Sandbox } from "../support/uwf.js";

const BIN = resolve(import.meta.dirname, "../../bin");

/** The commands that a hint or a fix names: what stands in backticks and begins with one of these words. */
export function commandsIn(hint: string): readonly string[] {
  return [...hint.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text).filter((text) => COMMAND.test(text));
}

const COMMAND = /^(?:uwf|chmod|sudo|rm) /;

/** Types the line into a shell, in the sandbox's folder. */
export function type(box: Sandbox, line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return ended(
    spawn("/bin/sh", ["-c", line], {
      cwd: box.cwd,
      env: {
        ...box.environment,
        PATH: `${BIN}:${box.environment.PATH}`,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
}

/** What the user chooses, put into the places that a command leaves open. */
export function filled(command: string, answers: Readonly<Record<string, string>>): string {
  return command.replace(/<[^>]+>/g, (place) => answers[place] ?? place);
}
