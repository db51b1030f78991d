import { argument, flag, option, usually, wholeNumber } from "@uncaged/command-line";
import { resolveHash } from "@uncaged/json-cas";
import { type CasRef, type Fault, ok, type Result, type ThreadReadOutput } from "@uncaged/workflow-protocol";
import {
  attempt,
  type Chain,
  expandDetail,
  type MissingPart,
  readOutput,
  readReply,
  readSession,
  type Storage,
} from "@uncaged/workflow-store";
import { findFrontmatter, sanitizeTerminal, timeOfThreadId } from "@uncaged/workflow-util";
import { defineRootCommand, HASH, THREAD } from "../../line/index.js";
import { document, invalid, text } from "../output.js";
import { fitNewest, renderHeader, renderOmitted, renderStep, type StepView } from "./markdown.js";
import { asMissingPart, readHistory, warnOfMissing } from "./nodes.js";

/**
 * The history as Markdown: the newest steps that fit the quota, at least one, and the header before the first. A program
 * that asks for a format gets the same steps as a document.
 */
export const command = defineRootCommand({
  path: "thread read",
  summary: "print the history as Markdown",
  arguments: { thread: argument(THREAD) },
  options: {
    quota: usually(
      wholeNumber("characters", 1),
      4000,
      "print at most this many characters, newest steps kept",
    ),
    before: option(HASH, "only steps strictly before this one"),
    start: flag("print the header even with --before"),
    detail: flag("include what happened inside each step: prompt, turns, tool calls, usage"),
  },
  examples: [
    "uwf thread read 01KAJ5E8",
    "uwf thread read 01KAJ5E8 --quota 20000",
    "uwf thread read 01KAJ5E8 --before 7YQ5C0QZ2T1VA --start",
    "uwf thread read 01KAJ5E8 --detail --quota 100000",
    "uwf thread read 01KAJ5E8 --remote",
  ],
  exits: ["INVALID_INPUT"],
  sample: {
    line: "thread read W8YB",
    prints: `# Thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB

- workflow: solve-issue (1MV05XPK04K7N)
- started: 2026-01-31T08:12:03.586Z
…`,
  },
  onRemote: {},
  run: async (context, request, storage) => {
    const history = await readHistory(storage, request.thread, context.host.cwd);
    if (!history.ok) return history;
    const { state, chain } = history.value;
    const steps = stepsBefore(storage, chain, request.before);
    if (!steps.ok) return steps;
    const views: Result<View, Fault>[] = [];
    const shown = fitNewest(steps.value, request.quota, (step, index) => {
      const tell = warnOfMissing(context, step.hash);
      const view = readView(storage, step, { number: index + 1, detail: request.detail, tell });
      views.push(view);
      return view.ok ? renderStep(view.value) : "";
    });
    const read: View[] = [];
    for (const view of views)
      if (view.ok) read.push(view.value);
      else return view;
    const omitted = steps.value.length - shown.length;
    const { hash, payload } = chain.workflow;
    const facts = {
      thread: state.thread,
      workflow: hash,
      name: payload.name,
      state: state.kind === "ended" ? state.reason : ("active" as const),
      startedAt: timeOfThreadId(state.thread),
      prompt: chain.start.payload.prompt,
    };
    if (context.format !== null) {
      const output: ThreadReadOutput = { ...facts, omitted, steps: itemsOf(read.slice(0, shown.length)) };
      return document(output);
    }
    const parts = [
      ...(request.before === null || request.start
        ? [renderHeader({ ...facts, steps: chain.steps.length, workflow: { name: payload.name, hash } })]
        : []),
      ...(omitted > 0 ? [renderOmitted(state.thread, omitted, steps.value[omitted]?.hash ?? "")] : []),
      ...shown,
    ];
    return text(sanitizeTerminal(parts.join("\n")));
  },
});

type Step = Chain["steps"][number];

type View = StepView & { readonly hash: CasRef };

function stepsBefore(storage: Storage, chain: Chain, before: string | null): Result<readonly Step[], Fault> {
  if (before === null) return ok(chain.steps);
  const hash = attempt(() => resolveHash(storage.cas, before));
  if (!hash.ok) return hash;
  const index = chain.steps.findIndex((step) => step.hash === hash.value);
  if (index >= 0) return ok(chain.steps.slice(0, index));
  const reason = `node ${hash.value} is not a step of this thread`;
  const hint = "give the hash of a step, as `uwf thread steps` lists them";
  return invalid("--before", reason, hint);
}

type Wanted = {
  readonly number: number;
  readonly detail: boolean;
  readonly tell: (part: MissingPart) => void;
};

function readView({ cas }: Storage, step: Step, wanted: Wanted): Result<View, Fault> {
  const { hash, timestamp, payload } = step;
  const { role, agent } = payload;
  const output = readOutput(cas, payload.output);
  if (!output.ok) return asMissingPart(hash, "output", output.error);
  const replied = readReply(cas, payload.detail);
  if (!replied.ok) return asMissingPart(hash, "detail", replied.error);
  const reply = replied.value === null ? null : withoutFrontmatter(replied.value);
  const detail = wanted.detail ? expandDetail(cas, payload.detail, wanted.tell) : ok(null);
  if (!detail.ok) return asMissingPart(hash, "detail", detail.error);
  const session = readSession(cas, payload.detail);
  const found = session.ok ? (session.value?.extract ?? null) : null;
  const extract = found === null ? null : { model: found.model };
  const fields = { output: output.value, reply, extract, detail: detail.value };
  return ok({ number: wanted.number, hash, role, agent, timestamp, ...fields });
}

/** A header at the top of a reply is left out: the structured output is already shown as YAML. */
function withoutFrontmatter(reply: string): string {
  const found = findFrontmatter(reply);
  const leading = found.ok ? found.value.find((block) => block.leading) : undefined;
  return leading === undefined ? reply : leading.body;
}

/** `newestFirst` are the steps that are shown. */
function itemsOf(newestFirst: readonly View[]): ThreadReadOutput["steps"] {
  return newestFirst.toReversed().map(({ hash, role, agent, timestamp, output, reply, extract, detail }) => ({
    ...{ hash, role, agent, timestamp, output, reply, extract },
    ...(detail === null ? {} : { detail }),
  }));
}
