import type { Command } from "commander";
import { buildProgram } from "./program.js";

/** The program for whoever reads what its commands say of themselves, and runs none. */
export function describedProgram(): Command {
  return buildProgram({
    context: () => {
      throw new Error("no command is run");
    },
    finish: async () => {},
    answer: async () => {},
    stdout: { write: () => {}, columns: () => null },
  });
}
