import { isDeepStrictEqual } from "node:util";
import { argument } from "@uncaged/command-line";
import { isObject, type JsonValue } from "@uncaged/json-cas";
import {
  assembledOf,
  authoredOf,
  type HashedWorkflow,
  type ResolvedWorkflow,
  resolveWorkflow,
} from "@uncaged/workflow-engine";
import {
  type AuthoredRole,
  type AuthoredWorkflow,
  type CasRef,
  type Fault,
  type FaultCode,
  messageOf,
  ok,
  type Result,
  type RolePlayer,
  type ThreadId,
  type Transition,
} from "@uncaged/workflow-protocol";
import { listThreads, readChain, type Storage, workflowOfHead } from "@uncaged/workflow-store";
import { type CommandContext, defineRootCommand, WORKFLOW } from "../../line/index.js";
import { document } from "../output.js";
import { planOnto } from "../rewrite.js";
import { renderDiff } from "./diff-words.js";

/** A workflow that is compared. */
type Side = { readonly name: string; readonly hash: CasRef };

/** Of `workflow diff`. */
export type WorkflowDiffOutput = WorkflowDifferences & {
  readonly a: Side;
  readonly b: Side;
  readonly same: boolean;
  readonly threads: Movable;
};

/** What `thread fork --workflow --dry-run` would say of every active thread of the first. */
type Movable = { readonly active: number; readonly movable: number; readonly refused: readonly Refusal[] };

/** Why some active threads of the one workflow cannot go on under the other; `thread`: the oldest of them. */
type Refusal = {
  readonly code: FaultCode;
  readonly reason: string;
  readonly count: number;
  readonly thread: ThreadId;
};

/** What differs between two workflows, and whether threads of the first could go on under the second. Writes nothing. */
export const command = defineRootCommand({
  path: "workflow diff",
  summary: "print what differs between two workflows, and whether threads of a could be moved",
  arguments: { a: argument(WORKFLOW, { about: null }), b: argument(WORKFLOW, { about: null }) },
  examples: [
    "uwf workflow diff solve-issue ./solve-issue.yaml",
    "uwf workflow diff 64KB4T4A9CKTS solve-issue",
    "uwf workflow diff solve-issue ./solve-issue.yaml --format json | jq .threads",
  ],
  notes:
    "`threads` has, for each active thread of a, the result of `uwf thread fork <head> --workflow <b> --dry-run`.",
  sample: {
    line: "workflow diff solve-issue examples/write-note.yaml",
    prints: `- solve-issue 1MV05XPK04K7N
+ write-note 3TX91SPDYDXBR
…`,
  },
  run: async (context, { a, b }, storage) => {
    const one = await readSide(context, storage, a);
    if (!one.ok) return one;
    const other = await readSide(context, storage, b);
    if (!other.ok) return other;
    const [from, to] = [one.value, other.value];
    const refusalOf = async (head: CasRef): Promise<Fault | null> => {
      const chain = readChain(storage.cas, head);
      if (!chain.ok) return chain.error;
      const planned = await planOnto(storage.cas, chain.value, assembledOf(to.resolved), b);
      return planned.ok ? null : planned.error;
    };
    const threads = await movable(storage, from.hash, refusalOf);
    if (!threads.ok) return threads;
    const value: WorkflowDiffOutput = {
      a: { name: from.authored.name, hash: from.hash },
      b: { name: to.authored.name, hash: to.hash },
      same: from.hash === to.hash,
      ...differencesOf(from.authored, to.authored),
      threads: threads.value,
    };
    return document(value, (screen) => renderDiff(screen, value, b));
  },
});

async function readSide(
  { host, warn }: CommandContext,
  storage: Storage,
  named: string,
): Promise<Result<HashedWorkflow & { readonly resolved: ResolvedWorkflow }, Fault>> {
  const resolved = await resolveWorkflow({ storage, cwd: host.cwd, warn }, named);
  if (!resolved.ok) return resolved;
  const workflow = authoredOf(storage, resolved.value);
  return workflow.ok ? ok({ ...workflow.value, resolved: resolved.value }) : workflow;
}

async function movable(
  storage: Storage,
  from: CasRef,
  refusalOf: (head: CasRef) => Promise<Fault | null>,
): Promise<Result<Movable, Fault>> {
  const threads = await listThreads(storage, { all: false });
  if (!threads.ok) return threads;
  const refused = new Map<string, Refusal>();
  let [active, count] = [0, 0];
  for (const { kind, head, thread } of threads.value) {
    const workflow = kind === "active" ? workflowOfHead(storage.cas, head) : null;
    if (!workflow?.ok || workflow.value !== from) continue;
    active += 1;
    const failure = await refusalOf(head);
    if (failure === null) count += 1;
    else {
      const { code } = failure;
      const first = refused.get(code) ?? { code, reason: messageOf(failure), count: 0, thread };
      refused.set(code, { ...first, count: first.count + 1 });
    }
  }
  return ok({ active, movable: count, refused: [...refused.values()] });
}

/** A value before and after. */
export type Change<T> = { readonly from: T; readonly to: T };

/** Names of entries that only the one or the other has, and what differs between those that both have. */
export type Section<T> = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ({ readonly name: string } & T)[];
};

/** A place in a schema, as a JSON Pointer; a missing value is `null`, and `kind` says so. */
export type SchemaChange = {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  readonly from: JsonValue;
  readonly to: JsonValue;
};

export type RoleChange = {
  /** By key: description, goal, procedure, output. */
  readonly texts: Readonly<Record<string, Change<string>>>;
  readonly capabilities: Change<readonly string[]> | null;
  readonly agent: Change<RolePlayer | null> | null;
  readonly meta: readonly SchemaChange[];
};

export type ConditionChange = {
  readonly description: Change<string> | null;
  readonly expression: Change<string> | null;
};

type WorkflowDifferences = {
  readonly name: Change<string> | null;
  readonly description: Change<string> | null;
  readonly roles: Section<RoleChange>;
  readonly conditions: Section<ConditionChange>;
  /** By the role that the transitions leave, and $START. */
  readonly graph: Section<Change<readonly Transition[]>>;
};

function differencesOf(a: AuthoredWorkflow, b: AuthoredWorkflow): WorkflowDifferences {
  return {
    name: changeOf(a.name, b.name),
    description: changeOf(a.description, b.description),
    roles: sectionOf(a.roles, b.roles, roleChange),
    conditions: sectionOf(a.conditions, b.conditions, (from, to) => ({
      description: changeOf(from.description, to.description),
      expression: changeOf(from.expression, to.expression),
    })),
    graph: sectionOf(a.graph, b.graph, (from, to) => ({ from, to })),
  };
}

function changeOf<T>(from: T, to: T): Change<T> | null {
  return isDeepStrictEqual(from, to) ? null : { from, to };
}

function sectionOf<T, C>(
  a: Readonly<Record<string, T>>,
  b: Readonly<Record<string, T>>,
  change: (from: T, to: T) => C,
): Section<C> {
  const names = Object.keys(b);
  return {
    added: names.filter((name) => !Object.hasOwn(a, name)),
    removed: Object.keys(a).filter((name) => !Object.hasOwn(b, name)),
    changed: names.flatMap((name) => {
      const from = Object.hasOwn(a, name) ? a[name] : undefined;
      const to = b[name];
      if (from === undefined || to === undefined || isDeepStrictEqual(from, to)) return [];
      return [{ name, ...change(from, to) }];
    }),
  };
}

const TEXTS = ["description", "goal", "procedure", "output"] as const;

function roleChange(from: AuthoredRole, to: AuthoredRole): RoleChange {
  const texts = TEXTS.flatMap((key) => {
    const change = changeOf(from[key], to[key]);
    return change === null ? [] : [[key, change] as const];
  });
  return {
    texts: Object.fromEntries(texts),
    capabilities: changeOf(from.capabilities, to.capabilities),
    agent: changeOf(from.agent, to.agent),
    meta: schemaChanges("", from.meta, to.meta),
  };
}

/** The smallest parts that differ; a list is one part. */
function schemaChanges(path: string, from: JsonValue, to: JsonValue): readonly SchemaChange[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (!isObject(from) || !isObject(to)) return [{ path, kind: "changed", from, to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name): readonly SchemaChange[] => {
    const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const before = Object.hasOwn(from, name) ? from[name] : undefined;
    const after = Object.hasOwn(to, name) ? to[name] : undefined;
    if (before === undefined) return [{ path: at, kind: "added", from: null, to: after ?? null }];
    if (after === undefined) return [{ path: at, kind: "removed", from: before, to: null }];
    return schemaChanges(at, before, after);
  });
}
