import { code, defineTopic, list, section } from "./types.js";

export const topic = defineTopic("storage", [
  section(
    "The storage root",
    "`~/.uncaged/workflow`, or where `UNCAGED_WORKFLOW_STORAGE_ROOT` points. Everything in it is a plain file.",
    list(
      [
        "`cas/`",
        "every node: workflows, prompts, outputs, replies, tool calls. A file never changes; its name is the hash of its content",
      ],
      ["`threads.yaml`", "one line per active thread: its id and its head"],
      ["`history.jsonl`", "one line per ended thread, and how it ended"],
      ["`registry.yaml`", "names of workflows; `registry-history.jsonl` what they pointed to before"],
      ["`runs/<thread>/`", "the run under way, and what the thread waits for"],
      ["`config.yaml`, `.env`", "yours: providers, models, agents; API keys"],
      ["`logs/`", "what happened, a file per day; `uwf log` prints it"],
      ["`root.json`", "identifies this root; a copy gets another identity, and says so once"],
      ["`workspaces/`", "of a worker: folders for its threads"],
      ["`locks/`, `cache/`", "may be deleted while nothing runs"],
    ),
  ),
  section(
    "Keeping it",
    list(
      [
        "`uwf doctor`",
        "checks the root, the configuration, agents and locks, and prints a fix for every finding",
      ],
      ["`uwf cas verify`", "checks every node; `--repair` removes leftover files and rebuilds the index"],
      ["`uwf cas gc`", "lists unreachable nodes; `--yes` removes them"],
      [
        "`uwf cas export <thread> -o <file>`",
        "one file with the thread and all it reaches; `uwf cas import <file>` takes it into another root",
      ],
    ),
    "A copy of the folder is a backup, if nothing runs while it is made. A copy made meanwhile may lack the newest steps; `uwf cas verify` says so.",
  ),
  section(
    "Who may write to it",
    "Files in a root name the commands that uwf runs. A root of another user, or one that every user may write to, can be read, but uwf executes nothing that it names (exit 4), unless `UWF_TRUSTED_ROOTS` names it.",
    code("UWF_TRUSTED_ROOTS=/srv/uwf uwf thread step <thread>"),
  ),
]);
