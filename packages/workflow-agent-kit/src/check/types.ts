import type { Hash, JsonObject } from "@uncaged/json-cas";
import type { ThreadId } from "@uncaged/workflow-protocol";
import type { StepNode, Storage } from "@uncaged/workflow-store";

/** The process around the check; tests bring their own. */
export type CheckHost = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The folder for temporary files. */
  readonly temporary: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** Random, of letters, digits and `-`. */
  readonly newToken: () => string;
  /** Aborted with the signal's name when the check is asked to end. */
  readonly abort: AbortSignal;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
};

export type CheckRequest = {
  readonly program: string;
  readonly args: readonly string[];
  /** Names of cases; `null` runs all. */
  readonly only: readonly string[] | null;
  readonly json: boolean;
  /** The scratch folder stays, for looking into it. */
  readonly keep: boolean;
  readonly timeoutMs: number;
  readonly role: string;
  /** A file with the JSON Schema of the role's output; `null` uses the default. */
  readonly metaFile: string | null;
  readonly task: string;
  /** Where the agent runs; `null` is our own folder, as uwf would have it. */
  readonly cwd: string | null;
  /** A storage root whose config.yaml and .env the agent should find; `null`: none. */
  readonly configFrom: string | null;
};

/** What a case found. `fix` says what the author can do. */
export type Verdict =
  | { readonly status: "ok" | "skipped"; readonly says: string }
  | { readonly status: "failed"; readonly says: string; readonly fix: string };

export type CaseResult = Verdict & { readonly name: string; readonly durationMs: number };

export type Report = {
  readonly command: readonly string[];
  readonly ok: boolean;
  readonly cases: readonly CaseResult[];
};

/** A thread of the scratch root. */
export type CheckThread = {
  readonly thread: ThreadId;
  readonly start: Hash;
  readonly head: Hash;
  readonly role: string;
  /** Type of the role's output. */
  readonly meta: Hash;
};

/** How one run of the agent differs from the usual one. */
export type Variation = {
  readonly thread: string | null;
  readonly role: string | null;
  readonly head: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** It gets SIGTERM as soon as it shows life, and after this many milliseconds at the latest; `null`: never. */
  readonly interruptAfterMs: number | null;
};

/** The value of a variable that belongs in no node. */
export type PlantedKey = { readonly name: string; readonly value: string };

/** `type` is the node's type. */
export type Leak = { readonly name: string; readonly node: Hash; readonly type: Hash };

/** One run of the agent, as uwf sees it. */
export type Ran = {
  /** `exited with 3`, `was ended by SIGKILL`, `took longer than 600 s`. */
  readonly outcome: string;
  /** `null`: it ended otherwise than by exiting. */
  readonly code: number | null;
  /** Whether it was signalled before it ended by itself. */
  readonly interrupted: boolean;
  /** From the signal to the end; 0 without one. */
  readonly endedAfterMs: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The step named by its last line, or why there is none. */
  readonly step:
    | { readonly ok: true; readonly node: StepNode }
    | { readonly ok: false; readonly reason: string };
  /** Nodes that it stored with a planted key in them. */
  readonly leaked: readonly Leak[];
  /** Mutable files of the storage root that it changed. */
  readonly touched: readonly string[];
  /** Processes that were still there when it had exited. */
  readonly left: number;
};

type Given = { readonly task?: string | null; readonly meta?: JsonObject | null };

/** What a case works with. */
export type Lab = {
  readonly storage: Storage;
  readonly request: CheckRequest;
  readonly graceMs: number;
  readonly keys: readonly PlantedKey[];
  readonly meta: JsonObject;
  /** A new thread, of this task and meta where they are not the usual ones. */
  readonly newThread: (given?: Given) => Promise<CheckThread>;
  /** Runs the agent on a new thread. */
  readonly playNew: (variation: Partial<Variation>, given?: Given) => Promise<Ran>;
  /** Runs the agent on the thread's head. */
  readonly play: (thread: CheckThread, variation: Partial<Variation>) => Promise<Ran>;
  /** Runs the agent's program with these words alone. */
  readonly ask: (words: readonly string[]) => Promise<Pick<Ran, "outcome" | "code" | "stdout">>;
  /** The folder in which the agent runs. */
  readonly cwd: string;
  /** The good reply's run, made once. */
  readonly good: () => Promise<{ readonly thread: CheckThread; readonly ran: Ran }>;
  /** Moves a thread's head to the next step, as uwf does. */
  readonly advance: (thread: CheckThread, next: Hash) => Promise<CheckThread>;
};

export type Case = {
  readonly name: string;
  /** Whether it says nothing about an agent that does not even make the plain step. */
  readonly needsGood: boolean;
  readonly run: (lab: Lab) => Promise<Verdict>;
};
