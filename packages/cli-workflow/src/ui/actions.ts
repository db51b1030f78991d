import { isHash, isObject, type JsonValue } from "@uncaged/json-cas";
import { type CasRef, err, isWorkflowName, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { asThreadId } from "@uncaged/workflow-util";

/** What a page asks for, as a command line of uwf. */
export type Action = {
  readonly action: string;
  /** `null`: it is about no thread that exists. */
  readonly on: { readonly thread: ThreadId; readonly head: CasRef } | null;
  readonly words: readonly string[];
  readonly stdin: string | null;
};

const PLAIN: ReadonlySet<unknown> = new Set(["step", "run", "pause", "resume", "kill"]);

/** The action in a request's body, or what is wrong with it. Every word of the command line has a form that no option has. */
export function actionOf(body: JsonValue): Result<Action, string> {
  if (!isObject(body) || typeof body.action !== "string") return err("the body is no action");
  const { action } = body;
  if (action === "start") return startOf(body);
  const thread = typeof body.thread === "string" ? asThreadId(body.thread) : null;
  const { head } = body;
  if (thread === null || !isHash(head)) return err("the body names no thread and head");
  const on = { thread, head };
  if (PLAIN.has(action)) return ok({ action, on, words: ["thread", action, thread], stdin: null });
  if (action === "fork" && isHash(body.hash))
    return ok({ action, on, words: ["thread", "fork", body.hash], stdin: null });
  if (action === "answer" && body.value !== undefined && typeof body.role === "string") {
    const words = ["thread", "answer", thread, "--head", head, `--role=${body.role}`, "--file", "-"];
    return ok({ action, on, words, stdin: JSON.stringify(body.value) });
  }
  return err(`there is no such action: ${action}`);
}

function startOf({ action, workflow, prompt }: Readonly<Record<string, JsonValue>>): Result<Action, string> {
  if (typeof workflow !== "string" || !isWorkflowName(workflow)) return err("the body names no workflow");
  if (typeof prompt !== "string" || prompt.trim() === "") return err("the task is missing");
  const words = ["thread", "start", workflow, "--prompt", "-"];
  return ok({ action: String(action), on: null, words, stdin: prompt });
}
