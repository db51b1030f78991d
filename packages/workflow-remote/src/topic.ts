import { code, list, section, type Topic } from "@uncaged/cli-workflow/add-on";

export const topic: Topic = {
  name: "remotes",
  summary: "threads in PostgreSQL, stepped by workers on several machines",
  sections: [
    section(
      "Setting one up",
      "A remote is a PostgreSQL database, which `UWF_REMOTE_URL` names as for `psql`: `?host=/run/postgresql` for a socket, `?sslmode=verify-full` for TLS. It holds nodes, heads and a log, and its threads are the queue. Install the drivers, the package `@uncaged/workflow-remote`, beside uwf.",
      code("export UWF_REMOTE_URL=postgres://uwf@db.example/uwf\nuwf remote init"),
      "`pglite:/folder` is a PostgreSQL inside the process, to try it without a server: one command at a time, so while a worker runs, no other command can use it. Only `remote init` makes the folder.",
    ),
    section(
      "Working",
      code('uwf thread submit solve-issue -p "Fix #41"\nuwf worker --jobs 4'),
      "A worker steps threads in its own storage root, with its `config.yaml` and its agents, each step by an ordinary `uwf thread step`. Start as many as you like, each with a root of its own. Agents work in the folder of `submit --cwd`, which has to be there on every worker's machine, in a checkout of `submit --workspace`, else in an empty folder `workspaces/<thread>` of the worker's root. `worker --cwd-below <folder>` sets threads aside whose folder is not inside that one.",
      list(
        [
          "`uwf thread list --remote`",
          "its threads; `--held` those that wait or failed, `--all` ended ones too",
        ],
        ["`uwf thread show <thread> --remote`", "one thread, the root that has it, and its events"],
        [
          "`uwf thread read`, `steps`, `usage`, `uwf log --thread`, with `--remote`",
          "its history, its usage, and all its runs, failed ones too; leaves no copy here",
        ],
        ["`uwf thread answer <thread> --remote`", "answers a question of the thread"],
        [
          "`uwf thread pause <thread> --remote`",
          "lets the running step finish and count, and no other start",
        ],
        [
          "`uwf thread resume <thread> --remote`",
          "goes on with a paused thread, or one set aside after a failure; `--failed` without a thread: with all that were set aside",
        ],
        ["`uwf thread kill <thread> --remote`", "ends it; its worker stops the running step"],
        ["`uwf thread fetch <thread>`", "copies it here, to read it"],
        [
          "`uwf thread push <thread>`",
          "hands a thread of this root over, with its children; `--cwd` or `--workspace` says where its agents work from now on",
        ],
      ),
    ),
    section(
      "Work in a git repository",
      code('uwf thread submit solve-issue -p "Fix #41" \\\n  --workspace git@git.example:acme/shop.git#main'),
      "Before each step a worker fetches, and gives the thread a worktree on the branch `uwf/<thread>` with the result of the last step. After the step, the worker commits and pushes all files that git does not ignore to that branch, and only then the step itself; `thread show --remote` has the commit. The next step also gets what people push to the branch meanwhile. Every worker's git must be able to use the address, which may be `file:///srv/shop.git` if all see that path. After the `#`: a branch, a tag or a whole commit hash; without it the default branch.",
      list(
        [
          "passwords",
          "uwf refuses an address with one: git on the worker's machine needs a credential helper or an SSH key",
        ],
        [
          "git cannot fetch or push (`GIT_FAILED`)",
          "the worker tries again every 30 seconds; it pushes a finished step without running it again; it removes the lock of a killed git after a minute",
        ],
        ["the ref does not exist (`GIT_REF_UNKNOWN`)", "the worker sets the thread aside; no agent runs"],
        [
          "the branch was rewritten (`GIT_BRANCH_MOVED`)",
          "the worker sets the thread aside and keeps its step in its root: merge, or delete the branch, and resume",
        ],
        ["no git on the worker's machine", "the worker ends (`WORKER_UNFIT`), and others take the thread"],
        [
          "a failed step",
          "its files stay in that worker's folder and are in the commit of the next step there; another worker starts without them",
        ],
      ),
      "Files that git ignores stay at one worker. `uwf-worktree` agents work in the worker's worktree. A child thread starts with its parent's commit, on its own branch; uwf does not merge them. Agents must handle submodules and Git LFS themselves. When a thread has ended, its worker removes its worktree, other workers when they are idle; the branch stays.",
    ),
    section(
      "Copies",
      "A thread of the remote may be in a storage root because a worker leases it or has leased it, or because it was pushed or fetched. It cannot be stepped there by hand: `thread step`, `run`, `pause`, `resume` and `kill` without `--remote` exit with 9 and `THREAD_ON_REMOTE`, and `thread show` says that it goes on at the remote. `uwf thread fork` starts a separate thread. A worker updates the copies in its root when it starts, and every ten minutes when it is idle.",
    ),
    section(
      "What happens when something dies",
      list(
        [
          "a worker, or its uwf",
          "the next worker of the same root takes over running steps, and finished ones even of a paused thread; no agent runs twice",
        ],
        [
          "a root (disk, machine)",
          "after `--lease` of silence, 15 minutes by default, its threads go to other workers; the step that ran there runs again, and the log says which step, and where it ran both times",
        ],
        [
          "a worker that was only silent",
          "the remote refuses and keeps a step that it pushes too late, or that a killed worker had finished and the next one of its root pushes; `uwf remote status` has the head, and `uwf thread fork <head>` at that root goes on from it",
        ],
        [
          "the database",
          "steps finish in the worker's root, which pushes them when it is back; a worker started meanwhile exits with 74",
        ],
      ),
    ),
    section(
      "When a worker ends by itself",
      "Some failures would hit every thread there: no agent, its login, credit or network, `command not found`, a full disk, a damaged storage root. Then the worker returns the thread, finishes its other steps, says why (`WORKER_UNFIT`) and exits with the code of that failure, so that systemd or cron starts it again. It does the same when three different threads in a row have failed there, without a step between; the first two stay set aside until `uwf thread resume --remote --failed`.",
    ),
    section(
      "Threads that a thread starts",
      "A role that a workflow plays (`uwf-workflow`, `each`) starts its threads at the remote, and any worker takes them, so a map uses all workers. The parent waits without occupying a worker, and is ready when the last child has ended. If the parent names no folder, all children work at once, each in an empty folder of its own; with `--cwd` they share it, and `jobs` limits how many work at a time. Pause, resume and kill include them.",
      "A worker's root needs the workflows that roles start: put them in each.",
    ),
    section(
      "What stays in one root",
      "Limits and notes are in the root of the worker that has the thread; its children's spending at other roots does not count against a limit there.",
    ),
  ],
};
