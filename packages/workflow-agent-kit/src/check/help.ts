import { CHECK_USAGE } from "./words.js";

/** What `uwf-agent-check --help` prints. */
export const CHECK_HELP = `uwf-agent-check ./uwf-mine
uwf-agent-check --only good-reply,resume -- python3 uwf-mine.py

U${CHECK_USAGE.slice(1)}

Runs an agent as uwf does, on threads of a storage root of its own, and looks at what it leaves: the step, its place, its
output and detail, exit codes, time limits, processes. Where the agent asks a model, that costs nine short runs,
and two more where usage grows from visit to visit.

Options:
  --json                      the report as one JSON document
  --only <case,…>             version, exit-codes, good-reply, missing-field, long-prompt, keys, resume, lost-session, kill, noise
  --timeout <seconds>         for one run, 600 by default
  --role <name>               the role that it plays, writer by default
  --meta <file.json>          the JSON Schema of the role's output; by default an object with note (text) and done (boolean)
  --task <text>               the thread's task
  --cwd <folder>              where it runs; here by default, as with uwf
  --config-from <folder>      a storage root whose config.yaml and .env it is to find
  --keep                      keep the scratch folder

Exit status: 0 nothing failed, 1 something did, else as uwf: 2 usage, 4 input, 6 the agent cannot be started.
`;
