import { type Hash, isHash } from "@uncaged/json-cas";
import { expandDetail, readChainNode, readHeads, type Storage } from "@uncaged/workflow-store";
import type { AgentDefinition, AgentReply, SessionFacts } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { advance, makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";

export const VALID = "---\napproved: true\n---\n\n";

/** A call that an agent got: its session (`null` begins one) and what it was sent. */
export type Call = { readonly session: string | null; readonly message: string };

export type Played = { readonly code: number; readonly err: string; readonly hash: Hash | null };

export type Stage = TestThread & {
  /** Lets the agent play a role, and moves the head to the step that it printed. */
  readonly play: (
    definition: AgentDefinition,
    role: string,
    around?: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> },
  ) => Promise<Played>;
  readonly headNow: () => Promise<Hash>;
};

export async function makeStage(prompt = "Fix the bug."): Promise<Stage> {
  const made = await makeThread({ developer: REVIEW_META, reviewer: REVIEW_META }, prompt);
  return { ...made, play: playIn(made), headNow: () => headOf(made) };
}

export function playIn(made: TestThread): Stage["play"] {
  return async (definition, role, { cwd, env } = {}) => {
    const host = { ...makeHost([made.thread, role], made.root, env), ...(cwd === undefined ? {} : { cwd }) };
    const code = await runAgent(definition, host);
    const { out, err } = host.written;
    const hash = out.trim();
    if (!isHash(hash)) return { code, err, hash: null };
    await advance(made, await headOf(made), hash);
    return { code, err, hash };
  };
}

async function headOf({ storage, thread }: TestThread): Promise<Hash> {
  const heads = await readHeads(storage);
  const head = heads.ok ? heads.value.get(thread) : undefined;
  if (head === undefined || !isHash(head)) throw new Error("no head");
  return head;
}

/** What an agent with sessions does, and everything that it was asked. */
export function sessionAgent(
  given: {
    readonly name?: string;
    readonly session?: Partial<SessionFacts>;
    readonly onContinue?: (message: string) => AgentReply;
  } = {},
): { readonly definition: AgentDefinition; readonly calls: Call[] } {
  const calls: Call[] = [];
  const session = { sessionId: "s-1", ...given.session };
  const reply = (text: string): AgentReply => ({ kind: "text", text: `${VALID}${text}`, session });
  const definition: AgentDefinition = {
    name: given.name ?? "uwf-test",
    run: ({ prompt }) => {
      calls.push({ session: null, message: prompt });
      return reply(`Reply ${calls.length}.`);
    },
    continue: (sessionId, message) => {
      calls.push({ session: sessionId, message });
      return given.onContinue?.(message) ?? reply(`Reply ${calls.length}.`);
    },
  };
  return { definition, calls };
}

/** The expanded detail of a step. */
export function detailOf({ cas }: Storage, hash: Hash | null): unknown {
  const step = readChainNode(cas, hash ?? ("" as Hash));
  if (!step.ok || step.value.kind !== "step") throw new Error("no step");
  const detail = expandDetail(cas, step.value.payload.detail);
  return detail.ok ? detail.value : detail;
}
