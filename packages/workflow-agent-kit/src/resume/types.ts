import type { FailedSession, StepNode } from "@uncaged/workflow-store";
import type { Self } from "../thread/index.js";

/** Whose session is looked for, and where it would go on. */
export type Visitor = {
  readonly agent: Self;
  readonly role: string;
  /** The working folder of this step. */
  readonly cwd: string;
  /** The runs of this very step that have failed so far, oldest first. */
  readonly attempts: readonly FailedSession[];
};

/** In which session a step goes on: that of the last run of the step that failed, else that of the role's last visit. */
export type Visit =
  | { readonly kind: "none" }
  /** A session that belongs to another working folder. */
  | { readonly kind: "elsewhere"; readonly sessionId: string; readonly cwd: string }
  /** A session in which a further run of this step would fail like those before. */
  | { readonly kind: "failing"; readonly sessionId: string; readonly reason: string }
  | {
      readonly kind: "session";
      readonly sessionId: string;
      /** The steps after the visit, newest first; `null` where the session was begun for this step. */
      readonly since: readonly StepNode[] | null;
      /** The run of this step that went on in it last, and failed. */
      readonly attempt: FailedSession | null;
    };
