import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A PostgreSQL of its own, on a socket in a temporary folder. */
export type Server = {
  readonly url: string;
  /** The address of a new database. */
  readonly database: () => string;
  readonly psql: (sql: string, database?: string) => void;
  readonly start: () => Promise<void>;
  /** As a crash does. */
  readonly stop: () => Promise<void>;
  /** Stops it, and removes its folder. */
  readonly remove: () => Promise<void>;
};

const DEBIAN = "/usr/lib/postgresql";

/** Where `initdb` and `postgres` are; `null`: this machine has none, and tests that need them are skipped. */
export const BINARIES: string | null =
  (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
    .map((version) => join(DEBIAN, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb"))) ?? null;

/** PostgreSQL refuses to run as root. */
const NOBODY = 65_534;

/** Also used by the fault harness and by scripts, which run without vitest. `settings`: as `postgres -c` takes them. */
export async function launchPostgres(settings: readonly string[] = ["fsync=off"]): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "uwf-pg-"));
  const isRoot = process.getuid?.() === 0;
  const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const data = join(folder, "data");
  mkdirSync(data);
  chmodSync(folder, 0o755);
  if (isRoot) for (const each of [folder, data]) chownSync(each, NOBODY, NOBODY);
  const at = (name: string): string => join(BINARIES ?? "", name);
  execFileSync(at("initdb"), ["-D", data, "-U", "uwf", "-A", "trust", "--no-sync"], {
    ...as,
    cwd: folder,
    stdio: "ignore",
  });
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const given = ["listen_addresses=", ...settings].flatMap((each) => ["-c", each]);
    const words = ["-D", data, "-k", folder, ...given];
    child = spawn(at("postgres"), words, { ...as, cwd: folder, stdio: "ignore" });
    for (let tries = 0; tries < 300; tries += 1) {
      try {
        execFileSync(at("pg_isready"), ["-h", folder, "-U", "uwf"], { stdio: "ignore" });
        return;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    throw new Error("PostgreSQL does not start");
  };
  const stop = async (): Promise<void> => {
    const running = child;
    if (running === null) return;
    child = null;
    const gone = new Promise((resolve) => running.once("exit", resolve));
    // An immediate shutdown: no last word to anybody.
    running.kill("SIGQUIT");
    await gone;
  };
  const remove = async (): Promise<void> => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  await start();
  let databases = 0;
  const urlOf = (name: string): string => `postgres:///${name}?host=${folder}&user=uwf`;
  const database = (): string => {
    databases += 1;
    execFileSync(at("createdb"), ["-h", folder, "-U", "uwf", `db${databases}`]);
    return urlOf(`db${databases}`);
  };
  const psql = (sql: string, name = "postgres"): void => {
    const words = ["-h", folder, "-U", "uwf", "-v", "ON_ERROR_STOP=1", "-c", sql, name];
    execFileSync(at("psql"), words, { stdio: "ignore" });
  };
  return { url: urlOf("postgres"), database, psql, start, stop, remove };
}
