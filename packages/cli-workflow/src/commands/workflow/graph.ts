import { extname } from "node:path";
import { flag, option, optional } from "@uncaged/command-line";
import { assembledOf, resolveWorkflow, threadView } from "@uncaged/workflow-engine";
import {
  type CasRef,
  END,
  FAIL,
  type Fault,
  ok,
  type Result,
  type ThreadId,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { graphDot, graphMermaid, graphOf, graphSvg, graphText, type Path } from "@uncaged/workflow-report";
import { findThread, openHistory, type Storage } from "@uncaged/workflow-store";
import { type CommandContext, defineRootCommand, OUTPUT, THREAD, WORKFLOW } from "../../line/index.js";
import { renderDocument } from "../../render.js";
import { findGraphPoint } from "../../report/index.js";
import { isUnicode, paintOn, screenOf, USUAL_WIDTH } from "../../screen/index.js";
import { misused, text, writeToFile } from "../output.js";

/** What it can draw; the first one is the default. */
const FORMATS = ["text", "mermaid", "dot", "svg", "json", "yaml"] as const;

type GraphFormat = (typeof FORMATS)[number];

/** A picture of a workflow and, with a thread, of the path that it took. */
export const command = defineRootCommand({
  path: "workflow graph",
  summary: "draw a workflow, with --thread the path that a thread took",
  arguments: { workflow: optional(WORKFLOW) },
  options: {
    thread: option(THREAD, "mark the path of this thread, with counts"),
    output: option(
      OUTPUT,
      "write to this file; its extension sets the format: .txt, .mmd, .dot, .svg, .json or .yaml",
      { short: "-o" },
    ),
    force: flag("replace an existing file"),
  },
  formats: FORMATS,
  examples: [
    "uwf workflow graph solve-issue",
    "uwf workflow graph --thread 01KAJ5E8",
    "uwf workflow graph ./solve-issue.yaml -o solve-issue.svg",
    "uwf workflow graph solve-issue --format mermaid",
  ],
  sample: {
    line: "workflow graph solve-issue",
    prints: `● planner
│
▼
● developer ◀─────╮
│                 │
▼                 │
● reviewer        │
├─ notApproved ───╯
│ otherwise
▼
◉ $END`,
  },
  run: async (context, { workflow: name, thread, output, force }, storage) => {
    const walk = thread === null ? ok(null) : await readWalk(storage, thread, context.host.cwd);
    if (!walk.ok) return walk;
    const workflow = await readWorkflow(context, storage, name, walk.value);
    if (!workflow.ok) return workflow;
    const model = graphOf(workflow.value.payload, walk.value?.path ?? null);
    const typed = FORMATS.find((each) => each === context.typedFormat);
    const format = typed ?? formatOfFile(output ?? "");
    if (format === null) {
      const endings = [".txt", ...Object.keys(ENDINGS)].join(", ");
      const reason = `no format has the ending ${extname(output ?? "")}`;
      return misused(reason, `the endings are ${endings}; or say it with --format`);
    }
    const screen = output === null ? (context.screen ?? screenOf(context.host, context.colour)) : null;
    const on = screen ?? { width: USUAL_WIDTH, colour: false };
    const all = { workflow: workflow.value.hash, thread: walk.value?.thread ?? null, ...model };
    const draw: Readonly<Record<GraphFormat, () => string | Promise<string>>> = {
      text: () =>
        graphText(model, { width: on.width, unicode: isUnicode(context.host.env), paint: paintOn(on) }),
      mermaid: () => graphMermaid(model),
      dot: () => graphDot(model),
      svg: () => graphSvg(model, { id: "uwf-graph", style: true }),
      json: () => renderDocument(all, "json"),
      yaml: () => renderDocument(all, "yaml"),
    };
    const content = await draw[format]();
    return output === null
      ? text(content)
      : writeToFile(context.host, { output, force }, Buffer.from(content));
  },
});

type Workflow = { readonly hash: CasRef; readonly payload: WorkflowPayload };

type Walk = { readonly thread: ThreadId; readonly workflow: Workflow; readonly path: Path };

/** The one that is named, else the thread's own. */
async function readWorkflow(
  { host, warn }: CommandContext,
  storage: Storage,
  name: string | null,
  walk: Walk | null,
): Promise<Result<Workflow, Fault>> {
  if (name === null)
    return walk === null
      ? misused("give a workflow, or a thread with --thread", "see `uwf help workflow graph`")
      : ok(walk.workflow);
  const resolved = await resolveWorkflow({ storage, cwd: host.cwd, warn }, name);
  if (!resolved.ok) return resolved;
  const workflow = assembledOf(resolved.value);
  if (walk !== null && walk.workflow.hash !== workflow.hash) {
    const own = `workflow ${walk.workflow.hash} (${walk.workflow.payload.name})`;
    const command = `uwf workflow graph --thread ${walk.thread}`;
    warn(`the thread runs ${own}, not ${workflow.hash}; \`${command}\` draws its own`);
  }
  return ok(workflow);
}

async function readWalk(storage: Storage, text: string, folder: string): Promise<Result<Walk, Fault>> {
  const state = await findThread(storage, text, folder);
  if (!state.ok) return state;
  const chain = openHistory(storage.cas, state.value.head);
  if (!chain.ok) return chain;
  const steps = chain.value.last(null);
  if (!steps.ok) return steps;
  const roles = steps.value.map(({ payload }) => payload.role);
  const view = await threadView(storage, state.value);
  if (!view.ok) return view;
  const { thread, ended } = view.value;
  const place = findGraphPoint(view.value);
  if (!place.ok) return place;
  const end = ended === null || ended.reason === "killed" ? null : ended.reason;
  const path = { roles, end: end === null ? null : end === "end" ? END : FAIL, at: place.value } as const;
  return ok({ thread, workflow: chain.value.workflow, path });
}

const ENDINGS: Readonly<Record<string, GraphFormat>> = {
  ...{ ".mmd": "mermaid", ".mermaid": "mermaid", ".dot": "dot", ".gv": "dot", ".svg": "svg" },
  ...{ ".json": "json", ".yaml": "yaml", ".yml": "yaml" },
};

/** `null`: none that is known. */
function formatOfFile(file: string): GraphFormat | null {
  const ending = extname(file).toLowerCase();
  return ending === "" || ending === ".txt" ? "text" : (ENDINGS[ending] ?? null);
}
