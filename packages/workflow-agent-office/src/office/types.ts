import type { AgentContext } from "@uncaged/workflow-agent-kit";
import type { OpenFile } from "../document.js";

/** The process around the agent; the binary passes the real one. */
export type Port = {
  readonly cwd: string;
  /** Names the folder of a run that uwf has given no name. */
  readonly newId: () => string;
  /** Lines to our stderr. */
  readonly stderr: (lines: string) => void;
};

/** The step's inputs. */
export type Work = {
  readonly context: AgentContext;
  readonly port: Port;
  readonly options: Options;
};

/** uwf-office's own words. */
export type Options = {
  /** What makes the documents: a program and its first arguments; `null`: the last step's output says what to do. */
  readonly command: readonly [string, ...string[]] | null;
  /** As written; relative to uwf's working folder. */
  readonly outputDir: string;
  /** In ms; `null`: no limit. */
  readonly timeoutMs: number | null;
};

/** What the thread is about. */
export type Task = {
  readonly prompt: string;
  /** A path, or the hash of a stored file; `null`: a new document is asked for. */
  readonly inputDocx: string | null;
};

/** A document that a step has made. */
export type Made = {
  /** Absolute. */
  readonly path: string;
  readonly file: OpenFile;
};

/** What an outline in a step's output may have; prompts of later roles repeat it. */
export const OUTLINE_CHARACTERS = 40_000;
