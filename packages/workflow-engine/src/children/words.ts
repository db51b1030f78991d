/** What `uwf-workflow --help` prints. */
export const HELP = `uwf thread step <thread> --agent "uwf-workflow review-one"
uwf thread step <thread> --agent "uwf-workflow review-one --each planner.phases --jobs 2"

Usage: uwf-workflow [<workflow>] [options] <thread-id> <role>

A uwf agent that runs a workflow as a child thread, to its end; the fields of the child's last output are the role's.
Usually the workflow itself says so:

  agent: { workflow: review-one, each: planner.phases, jobs: 2 }

<workflow> is what \`uwf thread start\` takes: a name in .workflows/, a registered name, a hash, or a path (which a workflow
file cannot have in this place). A file in .workflows/ that has changed since the thread began does not count: an agent may
have written it. The registered workflow of that name is taken, or the step fails.

The child is an ordinary thread: anybody may step, answer, read or kill it. A run that was cut short finds it again. When
it waits, the parent waits for it.

Of the child's end the role's meta may declare ok, reason (end, failed, killed), thread and steps: these are uwf's, whatever
the child's output says. A child that failed or was killed is a result only if meta declares ok; otherwise this step fails.

Options:
  --each <role>.<path>    a child for each item of a list: that role's newest output, that field; results come in order,
                          in the field results, and ok, failed, count and threads where meta declares them. Without
                          <workflow> each item names its own: in the field workflow, which the list's schema declares,
                          by a name in .workflows/ or a registered one.
  --jobs <count>          children at a time, 1 by default: agents in one folder may overwrite each other's work.
                          At a remote only those that share a folder are counted: the others all work at once.
  --partial               with --each: a child that failed or was killed is null in results, and the step goes on
  --output <jsonata>      the output, from the child's {start, steps}, instead of its last output
  --prompt <role|task>    what the child is asked: this role's texts with the task and the results so far, or the task
  --version
`;

export const USAGE =
  "usage: uwf-workflow [<workflow>] [--each <role>.<path>] [--jobs <count>] [--partial] [--output <jsonata>] [--prompt role|task] <thread-id> <role>";

/** A list in the newest output of a role. */
export type Each = { readonly role: string; readonly path: readonly string[] };

export type Words = {
  /** `null`: each item names its own. */
  readonly workflow: string | null;
  /** `null`: one child. */
  readonly each: Each | null;
  readonly jobs: number;
  readonly partial: boolean;
  /** JSONata; `null`: the fields of the last output. */
  readonly output: string | null;
  readonly prompt: "role" | "task";
};

type Parsed =
  | { readonly ok: true; readonly words: Words }
  /** A sentence. */
  | { readonly ok: false; readonly reason: string };

const MOST_JOBS = 32;

export function parseWords(args: readonly string[]): Parsed {
  const words = {
    workflow: null as string | null,
    each: null as Each | null,
    jobs: 1,
    partial: false,
    output: null as string | null,
    prompt: "role" as "role" | "task",
  };
  const rest = [...args];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const problem = take(words, word, () => rest.shift() ?? null);
    if (problem !== null) return { ok: false, reason: problem };
  }
  if (words.workflow === null && words.each === null)
    return { ok: false, reason: "a workflow is needed, or --each with items that name theirs" };
  if (words.partial && words.each === null) return { ok: false, reason: "--partial needs --each" };
  return { ok: true, words };
}

type Mutable = { -readonly [Key in keyof Words]: Words[Key] };

/** A sentence about what is wrong with the word. */
function take(words: Mutable, word: string, next: () => string | null): string | null {
  if (word === "--partial") {
    words.partial = true;
    return null;
  }
  if (!word.startsWith("-")) {
    if (words.workflow !== null) return `there is one workflow, ${words.workflow}; what is ${word}?`;
    words.workflow = word;
    return null;
  }
  const value = next();
  if (value === null) return `${word} needs a value`;
  switch (word) {
    case "--each":
      words.each = eachOf(value);
      return words.each === null ? `--each is <role>.<field>, not ${value}` : null;
    case "--jobs":
      words.jobs = /^[1-9]\d?$/.test(value) ? Number(value) : 0;
      return words.jobs >= 1 && words.jobs <= MOST_JOBS ? null : `--jobs is 1 to ${MOST_JOBS}, not ${value}`;
    case "--output":
      words.output = value;
      return null;
    case "--prompt":
      if (value !== "role" && value !== "task") return `--prompt is role or task, not ${value}`;
      words.prompt = value;
      return null;
    default:
      return `there is no option ${word}`;
  }
}

/** `planner.phases`, `planner.plan.phases`; `null` for anything else. */
function eachOf(text: string): Each | null {
  const [role = "", ...path] = text.split(".");
  return role === "" || path.length === 0 || path.includes("") ? null : { role, path };
}
