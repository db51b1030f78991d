import type { END, FAIL, RoleDefinition, WorkflowPayload } from "@uncaged/workflow-protocol";

/** What is drawn of a workflow, stored or authored. */
export type GraphSource = Pick<WorkflowPayload, "name" | "description" | "conditions" | "graph"> & {
  readonly roles: Readonly<Record<string, Pick<RoleDefinition, "description" | "agent">>>;
};

/** The path that a thread has taken. */
export type Path = {
  /** The role of every step, oldest first. */
  readonly roles: readonly string[];
  /** How it ended by itself; `null`: it has not, or was killed. */
  readonly end: typeof END | typeof FAIL | null;
  /** Where it stands; `null` once it has ended by itself. */
  readonly at: GraphPoint | null;
};

/**
 * `next`: the next step runs this role. `waiting`: the same, but it would start nothing now. `stuck`: no decision leads
 * on from here. `killed`: it was killed after this role's step.
 */
export type GraphPoint = {
  readonly node: string;
  readonly state: "next" | "waiting" | "stuck" | "killed";
};

export type GraphNode = {
  /** A role, `$START`, `$END` or `$FAIL`. */
  readonly name: string;
  readonly kind: "start" | "role" | "end" | "fail";
  /** Of a role. */
  readonly description: string | null;
  /** Who plays the role, as the workflow says: `human`, `workflow develop`; `null`: it does not say. */
  readonly player: string | null;
  /** `false`: the thread has been here, or the graph names it, but the workflow has no such role. */
  readonly known: boolean;
  /** Steps of the thread; `null` without a thread. */
  readonly visits: number | null;
};

/** All transitions from one node to another. */
export type GraphEdge = {
  readonly from: string;
  readonly to: string;
  /** In the order in which they are tried; none: the thread went this way, but the graph has no such transition. */
  readonly transitions: readonly {
    /** Its place among the transitions of `from`, from 1. */
    readonly order: number;
    /** `null`: it always matches. */
    readonly condition: string | null;
    readonly description: string | null;
    readonly expression: string | null;
  }[];
  /** Leads back to an earlier node, or to the same. */
  readonly back: boolean;
  /** How often the thread went this way; `null` without a thread. */
  readonly taken: number | null;
};

export type GraphModel = {
  readonly name: string;
  readonly description: string;
  /** In the order of a reader: `$START` first, ends last. */
  readonly nodes: readonly GraphNode[];
  /** By `from` in the same order. */
  readonly edges: readonly GraphEdge[];
  readonly at: GraphPoint | null;
};
