import { code, defineTopic, list, section } from "./types.js";

export const topic = defineTopic("remotes", [
  section(
    "Setting one up",
    "A remote is a PostgreSQL that `UWF_REMOTE_URL` names, as `psql` takes it: `?host=/run/postgresql` for a socket, `?sslmode=verify-full` for TLS. It holds nodes, heads and a log, and its threads are the queue. The drivers are a package of their own, `@uncaged/workflow-remote`, beside uwf.",
    code("export UWF_REMOTE_URL=postgres://uwf@db.example/uwf\nuwf remote init"),
    "`pglite:/folder` is a PostgreSQL inside the process, to try it without a server: one command at a time, so a worker has it alone until it ends. Only `remote init` makes the folder.",
  ),
  section(
    "Working",
    code('uwf thread submit solve-issue -p "Fix #41"\nuwf worker --jobs 4'),
    "A worker steps threads in its own storage root, with its `config.yaml` and its agents, each step by an ordinary `uwf thread step`. Start as many as you like, each with a root of its own. Agents work in the folder of `submit --cwd`, which has to be there on every worker's machine, in a checkout of `submit --workspace`, else in an empty folder `workspaces/<thread>` of the worker's root. `worker --cwd-below <folder>` puts threads aside whose folder does not lead into that one.",
    list(
      [
        "`uwf thread list --remote`",
        "its threads; `--held` those that wait or failed, `--all` ended ones too",
      ],
      ["`uwf thread show <thread> --remote`", "one thread, which root has it, and what happened to it"],
      [
        "`uwf thread read`, `steps`, `usage`, `uwf log --thread`, with `--remote`",
        "its history, what it has used, and every run of it, failed ones too; nothing of it stays here",
      ],
      ["`uwf thread answer <thread> --remote`", "answers as the person whom it waits for"],
      ["`uwf thread pause <thread> --remote`", "the step that runs finishes and counts, no other begins"],
      [
        "`uwf thread resume <thread> --remote`",
        "goes on with a paused one, or one that was put aside after a failure; `--failed` without a thread: with all that were put aside",
      ],
      ["`uwf thread kill <thread> --remote`", "ends it; its worker stops the step that runs"],
      ["`uwf thread fetch <thread>`", "brings it here, to read it"],
      [
        "`uwf thread push <thread>`",
        "brings a thread of this root there, with those that it has started; `--cwd` or `--workspace` says where its agents work from now on",
      ],
    ),
  ),
  section(
    "Work in a git repository",
    code('uwf thread submit solve-issue -p "Fix #41" \\\n  --workspace git@git.example:acme/shop.git#main'),
    "Before each step a worker fetches, and gives the thread a worktree on the branch `uwf/<thread>` with what the last step has left. After it, what git does not ignore is committed and pushed to that branch, and only then the step itself; `thread show --remote` has the commit. What people push to the branch meanwhile is in the next step. The address is one that git takes on every worker, `file:///srv/shop.git` too where all see it. After the `#`: a branch, a tag or a whole commit hash; without it the default branch.",
    list(
      [
        "passwords",
        "an address with one is refused: git on the worker's machine needs a credential helper or an SSH key",
      ],
      [
        "git cannot fetch or push (`GIT_FAILED`)",
        "tried again every 30 seconds; a step that was finished is pushed, not run again; a lock that a killed git has left is taken away after a minute",
      ],
      ["there is no such ref (`GIT_REF_UNKNOWN`)", "the thread is put aside; no agent runs"],
      [
        "somebody has rewritten the branch (`GIT_BRANCH_MOVED`)",
        "the thread is put aside, its step kept in the worker's root: merge, or delete the branch, and resume",
      ],
      ["no git on the worker's machine", "the worker ends (`WORKER_UNFIT`), and others take the thread"],
      [
        "a failed step",
        "what it has left stays in that worker's folder and is in the commit of the next step there; another worker begins without it",
      ],
    ),
    "Files that git ignores stay at one worker. `uwf-worktree` agents work in the worktree that is there. A thread that a thread starts begins with its parent's commit, on a branch of its own; nothing merges them. Submodules and Git LFS are the agent's business. When a thread has ended, its worktrees are removed, at other workers when they are idle; the branch stays.",
  ),
  section(
    "Copies",
    "A thread of the remote that is in a storage root, because a worker leases it or has leased it, or because it was pushed or fetched, is not stepped there by hand: `thread step`, `run`, `pause`, `resume` and `kill` without `--remote` exit with 9 and `THREAD_ON_REMOTE`, and `thread show` says that it goes on at the remote. `uwf thread fork` begins a thread of its own. A worker brings the copies in its root up to date when it starts, and every ten minutes when it is idle.",
  ),
  section(
    "What happens when something dies",
    list(
      [
        "a worker, or its uwf",
        "the next worker of the same root takes up what runs and what has finished, the latter even of a paused thread; no agent runs twice",
      ],
      [
        "a root (disk, machine)",
        "after `--lease` of silence, 15 minutes by default, its threads go to other workers; the step that ran there runs again, and the log says which step it was, where it ran, and where again",
      ],
      [
        "a worker that was only silent",
        "what it pushes too late is refused and kept, and so is what a killed worker had finished and the next one of its root finds unpushed; `uwf remote status` has the head, and `uwf thread fork <head>` at that root goes on from it",
      ],
      [
        "the database",
        "steps finish in the worker's root, and are pushed when it is back; a worker that is started meanwhile exits with 74",
      ],
    ),
  ),
  section(
    "When a worker ends by itself",
    "A failure that every thread would meet there is the worker's: no agent, its login, credit or network, `command not found`, a full disk, a damaged storage root. The worker gives the thread back, finishes what else runs, says why (`WORKER_UNFIT`) and exits with the code of that failure, for systemd or cron to start it again. So it does when three different threads in a row have failed there, without a step between; the first two stay put aside until `uwf thread resume --remote --failed`.",
  ),
  section(
    "Threads that a thread starts",
    "A role that a workflow plays (`uwf-workflow`, `each`) starts its threads at the remote, and any worker takes them: a map uses them all. The thread that has started them waits, at no worker, and is ready when the last of them has ended. All of them work at once if the thread names no folder, since each has an empty one of its own; with `--cwd` they share it, and `jobs` says how many work at a time. Pause, resume and kill go down to them.",
    "A worker's root needs the workflows that roles start: put them in each.",
  ),
  section(
    "What stays in one root",
    "Limits and notes are in the root of the worker that has the thread; what its children spend at other roots does not count against a limit there.",
  ),
]);
