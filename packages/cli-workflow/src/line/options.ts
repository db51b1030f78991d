import { option } from "@uncaged/command-line";
import { FOLDER, KEY, PATH, PROMPT } from "./kinds.js";

// Options that several commands have.

/** The task. */
export const PROMPT_OPTIONS = {
  prompt: option(PROMPT, "the task; - reads it from stdin", { short: "-p" }),
  promptFile: option(PATH, "read the task from a file"),
};

/** Of a new thread. */
export const START_OPTIONS = {
  ...PROMPT_OPTIONS,
  cwd: option(FOLDER, "folder where its agents work (default: the current folder)"),
  key: option(KEY, "the same key gives the same thread, however often it is started"),
};
