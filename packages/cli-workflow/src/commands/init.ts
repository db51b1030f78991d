import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { option, optional, text } from "@uncaged/command-line";
import { refuseLink } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  type InitOutput,
  isWorkflowName,
  ok,
  type Result,
  shellWord,
} from "@uncaged/workflow-protocol";
import { attempt, workflowSchema } from "@uncaged/workflow-store";
import { ioFailed } from "@uncaged/workflow-util";
import { defineCommand, NAME } from "../line/index.js";
import { nextCommand, paintOn, type Screen } from "../screen/index.js";
import { document, invalid, meantWords, misused, writeWhole } from "./output.js";

/** The examples; the build copies them beside the bundles. */
const TEMPLATES = `${import.meta.dirname}/../../dist/templates`;

const USUAL = "write-note";

const FOLDER = ".workflows";

/** The templates name it in their first line. */
const SCHEMA = join(FOLDER, "workflow.schema.json");

/** The examples to begin with, and what each shows. */
const ABOUT = {
  "write-note": "three roles and a loop, with comments on everything",
  "analyze-topic": "one role",
  "solve-issue": "plan, develop, review",
  develop: "phases, tests, a commit",
  "publish-note": "a person approves",
  supervised: "a role that chooses the next one",
  "ship-issue": "a role played by another workflow (develop), and a person",
  "review-each": "a role played by a thread per item (review-one)",
  "review-one": "one of these",
  document: "a Word document, made or edited by programs",
  "write-report": "a Word document by a model's edits, reviewed",
} as const;

/**
 * Writes a workflow, its scenarios and a page about them into `.workflows/`; none of them if one is there already. The
 * schema that editors read is shared by all workflows of the folder: the one that is there stays. So do the workflows that
 * the template starts, which keep their names.
 */
export const command = defineCommand({
  path: "init",
  summary: "write a workflow to begin with, and its scenarios, into .workflows/",
  arguments: { name: optional(NAME) },
  options: {
    from: option(
      text("template", { candidates: Object.keys(ABOUT) }),
      "another example to begin with (default: write-note)",
    ),
  },
  examples: ["uwf init", "uwf init review-report", "uwf init fix-bug --from solve-issue"],
  notes: `Without a name, the workflow gets that of the current folder. No file is
overwritten; workflows that the template starts are written beside it.

Templates:
${Object.entries(ABOUT)
  .map(([name, about]) => `  ${name.padEnd(15)}${about}`)
  .join("\n")}`,
  exits: ["INVALID_INPUT", "FILE_EXISTS"],
  sample: {
    line: "init door-sign",
    prints: `written  .workflows/door-sign.yaml
         .workflows/door-sign.scenario.yaml
…`,
  },
  run: async ({ host }, request) => {
    const name = nameOf(host.cwd, request.name);
    if (!name.ok) return name;
    const template = templateOf(request.from ?? USUAL);
    if (!template.ok) return template;
    // In an untrusted repository it may be a link that leads anywhere.
    const linked = attempt(() => refuseLink(resolve(host.cwd, FOLDER)));
    if (!linked.ok) return linked;
    const files = filesOf(template.value, name.value);
    const taken = files.find(({ file }) => existsSync(resolve(host.cwd, file)));
    if (taken !== undefined) return exists(taken.file);
    for (const { file, text } of files) {
      const written = write(resolve(host.cwd, file), text);
      if (!written.ok) return written;
      if (!written.value) return exists(file);
    }
    const started: string[] = [];
    for (const { file, text } of startedBy(template.value)) {
      const written = write(resolve(host.cwd, file), text);
      if (!written.ok) return written;
      if (written.value) started.push(file);
    }
    const schema = write(resolve(host.cwd, SCHEMA), `${JSON.stringify(workflowSchema(), null, 2)}\n`);
    if (!schema.ok) return schema;
    const value: InitOutput = {
      name: name.value,
      from: template.value,
      files: [...files.map(({ file }) => file), ...started, ...(schema.value ? [SCHEMA] : [])],
      next: `uwf workflow test ${name.value}`,
    };
    return document(value, (screen) => initText(value, screen));
  },
});

function nameOf(cwd: string, given: string | null): Result<string, Fault> {
  const name = given ?? basename(cwd);
  if (isWorkflowName(name)) return ok(name);
  const rule =
    "a workflow's name has lower-case letters, digits and single hyphens, and begins with a letter";
  if (given !== null) return invalid(`the name ${shellWord(name)}`, rule, "as in `uwf init my-workflow`");
  const reason = `the current folder is called ${shellWord(name)}, and ${rule}`;
  return misused(reason, "give a name: `uwf init my-workflow`");
}

function templateOf(name: string): Result<string, Fault> {
  const known = templates();
  if (known.includes(name)) return ok(name);
  const reason = `there is no template ${shellWord(name)}${meantWords(name, known)}`;
  return misused(reason, `the templates are ${known.join(", ")}`);
}

function templates(): readonly string[] {
  return readdirSync(TEMPLATES)
    .filter((file) => !file.includes(".scenario."))
    .map((file) => basename(file, ".yaml"))
    .sort();
}

type NewFile = { readonly file: string; readonly text: string };

/** The template's files under the new name, and the page. */
function filesOf(template: string, name: string): readonly NewFile[] {
  // The new name wherever the template's stands by itself.
  const itself = new RegExp(`(?<![\\w-])${template}(?![\\w-])`, "g");
  const written = templateFiles(template).map(({ file, text }) => ({
    file: join(FOLDER, name + file.slice(template.length)),
    text: text.replaceAll(itself, name),
  }));
  const runs = startedBy(template).length > 0 ? RUN_WITH_CHILDREN : runWithMock(written);
  return [...written, { file: join(FOLDER, `${name}.md`), text: pageText(name, written, runs) }];
}

/** The workflow comes first: without it, the others are of no use. */
function templateFiles(template: string): readonly NewFile[] {
  const own = readdirSync(TEMPLATES).filter((file) => file.split(".")[0] === template);
  const files = own.sort((a, b) => a.split(".").length - b.split(".").length || (a < b ? -1 : 1));
  return files.map((file) => ({ file, text: readFileSync(join(TEMPLATES, file), "utf8") }));
}

/** A role of theirs may be another example. */
function startedBy(template: string): readonly NewFile[] {
  const text = templateFiles(template)[0]?.text ?? "";
  const names = [...text.matchAll(/\bagent: \{ workflow: ([\w-]+)/g)].map(([, name = ""]) => name);
  return names.flatMap((name) =>
    templateFiles(name).map(({ file, text }) => ({ file: join(FOLDER, file), text })),
  );
}

function runWithMock([, scenario]: readonly NewFile[]): string {
  return `Run it to its end, here with the answers of the scenario. Where a person is asked, it stops and says how to answer:

\`\`\`sh
uwf thread run latest --agent "uwf-mock --scenario ${scenario?.file ?? ""}"
\`\`\`

\`uwf thread read latest\` shows what was said. With \`uwf setup\` you choose an agent; without \`--agent\` it does the work.`;
}

const RUN_WITH_CHILDREN = `It starts threads of another workflow, whose agents config.yaml names: choose one with \`uwf setup\`. Then run it to its
end; where a person is asked, it stops and says how to answer:

\`\`\`sh
uwf thread run latest
\`\`\`

\`uwf thread list --tree --all\` shows the threads, \`uwf thread read latest\` what was said.`;

function pageText(name: string, [workflow]: readonly NewFile[], runs: string): string {
  const description = /^description: (.*)$/m.exec(workflow?.text ?? "")?.[1] ?? "";
  return `# ${name}

${description}

\`${name}.yaml\` is the workflow: its roles, and who comes next. Editors with a YAML language server complete and check it,
by \`workflow.schema.json\`. \`${name}.scenario.yaml\` says what the roles answer in a test. Play it after every change; it
needs no agent and no model, and stores nothing:

\`\`\`sh
uwf workflow test ${name}
\`\`\`

Start a thread with a task, in the folder in which its agents should work. Nothing runs yet:

\`\`\`sh
uwf thread start ${name} -p "Tell everybody when the office is closed"
\`\`\`

${runs}
`;
}

/** `false`: it is there already. */
function write(path: string, text: string): Result<boolean, Fault> {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    const { operation, path: where, errno, reason } = ioFailed("create", folder, error);
    return err(fault("IO_FAILED", { operation, path: where, errno, reason }));
  }
  return writeWhole(path, text);
}

function exists(path: string): Result<never, Fault> {
  const instead = "give another name: `uwf init <name>`, or remove the file";
  return err(fault("FILE_EXISTS", { path, instead }));
}

function initText({ files, next }: InitOutput, screen: Screen): string {
  const { good } = paintOn(screen);
  const written = files.map((file, index) => `${index === 0 ? good("written") : "       "}  ${file}\n`);
  return written.join("") + nextCommand(screen, next);
}
