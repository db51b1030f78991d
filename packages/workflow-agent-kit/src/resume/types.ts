import type { StepNode } from "@uncaged/workflow-store";

/** By what an agent knows its own steps again. */
export type Self = {
  /** The name that it gives itself. */
  readonly name: string;
  /** The program of the command that was chosen, without its folder. */
  readonly program: string;
};

/** Whose session is looked for, and where it would go on. */
export type Visitor = {
  readonly agent: Self;
  readonly role: string;
  /** The working folder of this step. */
  readonly cwd: string;
};

/** The last visit of this role in this thread by this agent, as far as it has left a session. */
export type Visit =
  | { readonly kind: "none" }
  /** A session that belongs to another working folder. */
  | { readonly kind: "elsewhere"; readonly sessionId: string; readonly cwd: string }
  /** A session in which this step has failed too often. */
  | { readonly kind: "failing"; readonly sessionId: string; readonly failures: number }
  | {
      readonly kind: "session";
      readonly sessionId: string;
      /** The steps after the visit, newest first. */
      readonly since: readonly StepNode[];
    };
