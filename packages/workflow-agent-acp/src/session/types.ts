import type { Why } from "@uncaged/workflow-agent-kit";
import type { Connection, Limits } from "../connection/index.js";

/** What the agent said of itself. */
export type Introduced = {
  /** `OpenCode 1.18.33`; `null` when it does not say. */
  readonly agent: string | null;
  /** Whether the usage it tells of a prompt is that of the prompt's last call of the model. */
  readonly countsLastCall: boolean;
  /** Without the history being told again. */
  readonly canResume: boolean;
  readonly canLoad: boolean;
  /** How to log in, in the agent's words. */
  readonly logins: readonly string[];
};

export type OpenSession = {
  readonly sessionId: string;
  readonly model: string | null;
};

/** Why a talk came to nothing, as the end of the sentence "agent x …". */
export type Failure = {
  readonly outcome: string;
  readonly why: Why;
  /** The agent does not know the session that it was to go on in. */
  readonly sessionLost: boolean;
};

export type Talk = {
  readonly connection: Connection;
  readonly limits: Limits;
  readonly cwd: string;
};

export type Finished = {
  readonly stopReason: string;
  /** `result.usage`, as it came. */
  readonly usage: unknown;
};
