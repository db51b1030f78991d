import { defineTopic, list, section } from "./types.js";

export const topic = defineTopic("environment", [
  section(
    "Read by uwf",
    list(
      [
        "`UNCAGED_WORKFLOW_STORAGE_ROOT`, `WORKFLOW_STORAGE_ROOT`",
        "the storage root; the first that is set and not empty, else `~/.uncaged/workflow`",
      ],
      ["`UWF_ERROR_FORMAT`", "`json` prints failures as one JSON object; `text` is the default"],
      ["`NO_COLOR`", "any value turns colors off; `--color always` turns them on again"],
      ["`UWF_TRUSTED_ROOTS`", "storage roots of other users that you trust, separated by colons"],
      ["`UWF_REMOTE_URL`", "the remote, for `uwf worker`, `uwf remote` and `--remote`; agents do not get it"],
      ["`UWF_GRACE_SECONDS`", "time between SIGTERM and SIGKILL for an agent, 5 by default"],
      [
        "`UWF_BACKOFF_SECONDS`",
        "wait before the first retry of a failed agent, 1 by default; each further one waits twice as long",
      ],
      ["`UWF_RUNTIME`", "`bun` or `node`; default: bun if 1.3 or later runs, else Node.js"],
      ["`UWF_DEBUG`", "`1` prints a stack trace if uwf itself has a bug"],
      ["`VISUAL`, `EDITOR`", "the editor of `uwf thread answer --edit`"],
      ["`XDG_CACHE_HOME`", "where Node.js 22.8 and newer keep compiled code, in `uwf/`"],
    ),
    "A `.env`, `bunfig.toml`, `tsconfig.json` or `node_modules/` of the current folder has no effect, except that values of the `.env` are redacted.",
  ),
  section(
    "Given to an agent",
    list(
      ["`UNCAGED_WORKFLOW_STORAGE_ROOT`", "the storage root, absolute"],
      ["`UWF_HEAD`", "the head that the new step continues"],
      ["`UWF_RUN`", "the token of this run; its files are in `runs/<thread>/<token>/`"],
      ["`UWF_STEP_KEY`", "the same for every run of one step: for effects that may happen only once"],
      ["`UWF_AGENT`", "the command as it was chosen"],
      ["`UWF_KEY_NAMES`", "names of variables whose values must not be stored or shown"],
      ["`UWF_NOTES`", "a file with what people have told the next run, if they have"],
      ["`UWF_RESUME`", "`off` if no session may be continued"],
      [
        "`UWF_AGENT_ENV`",
        "the variables that the agent's children may have, if `env` of its alias lists them",
      ],
    ),
    "An agent inherits everything else that uwf has, or, if `agents.<alias>.env` lists names, only those and `PATH`, `HOME` and `PWD`.",
  ),
]);
