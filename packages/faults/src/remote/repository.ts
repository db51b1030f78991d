import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** A git repository to which workers push what their agents have left. */
export type Repository = {
  readonly url: string;
  /** Throws what git says. */
  readonly git: (...words: readonly string[]) => string;
};

const AUTHOR = ["-c", "user.name=uwf", "-c", "user.email=uwf@localhost"];

/** A new one with an empty commit on its branch. */
export function openRepository(folder: string): Repository {
  mkdirSync(folder, { recursive: true });
  const git: Repository["git"] = (...words) =>
    execFileSync("git", [...AUTHOR, "--git-dir=.", ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  git("init", "--quiet", "--bare", "--initial-branch=main");
  git("update-ref", "refs/heads/main", git("commit-tree", "-m", "begin", git("mktree", "--missing")));
  return { url: `file://${folder}`, git };
}
