import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { CasError, type Hash } from "@uncaged/json-cas";
import { acquireLock, releaseLock } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, fromCasFault, ok, type Result } from "@uncaged/workflow-protocol";
import { WrongRow } from "./rows.js";

export type Row = Readonly<Record<string, unknown>>;

/** One statement, or several that succeed or fail together. */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** Its functions throw what the driver throws. */
export type Database = {
  readonly query: Query;
  readonly transaction: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
};

/** `pglite:/path/to/folder` */
const EMBEDDED = /^pglite:(?:\/\/)?(\/.*)$/s;

/** How long another process may keep an embedded database to itself, in ms. */
const EMBEDDED_WAIT_MS = 10_000;

/** `postgres://…`, or `pglite:/folder` for a database in this process. */
export async function openDatabase(url: string, isNew: boolean): Promise<Result<Database, Fault>> {
  const [, folder] = EMBEDDED.exec(url) ?? [];
  try {
    if (folder !== undefined) {
      // Under a misspelt name it would be an empty one.
      const isMissing = !isNew && !existsSync(`${folder}/data`);
      return isMissing
        ? err(fault("REMOTE_NOT_READY", { found: null, needed: null, folder }))
        : ok(await openEmbedded(folder));
    }
    if (!/^postgres(ql)?:\/\//.test(url)) {
      const reason = "it begins with none of postgres://, postgresql:// and pglite:/";
      const hint =
        "write it as postgres://user@host/database, or as pglite:/folder for one process at a time";
      return err(fault("INVALID_INPUT", { what: "UWF_REMOTE_URL", reason, hint }));
    }
    return ok(await openPostgres(url));
  } catch (error) {
    return err(databaseFault(error));
  }
}

async function openPostgres(url: string): Promise<Database> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    application_name: "uwf",
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A connection that breaks while nobody uses it: the next statement opens another one.
  pool.on("error", () => {});
  return {
    query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
    transaction: async (work) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const result = await work(async (sql, values = []) => (await client.query(sql, [...values])).rows);
        await client.query("COMMIT");
        client.release();
        return result;
      } catch (error) {
        // Closing the connection rolls back, also where it is broken.
        client.release(true);
        throw error;
      }
    },
    close: () => pool.end(),
  };
}

/** PostgreSQL in this process. Its files can be open in one process at a time, which a lock ensures. */
async function openEmbedded(folder: string): Promise<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await acquireLock(`${folder}/uwf.lock`, { waitMs: EMBEDDED_WAIT_MS });
  try {
    // A whole PostgreSQL, which an address of a server does not need; nor does this one need pg.
    const { PGlite } = await import("@electric-sql/pglite");
    const database = await PGlite.create(`${folder}/data`);
    return {
      query: async (sql, values = []) => (await database.query<Row>(sql, [...values])).rows,
      transaction: (work) =>
        database.transaction((inner) =>
          work(async (sql, values = []) => (await inner.query<Row>(sql, [...values])).rows),
        ),
      close: async () => {
        await database.close();
        releaseLock(lock);
      },
    };
  } catch (error) {
    releaseLock(lock);
    throw error;
  }
}

/** A driver's error as a fault. Its message never has the address: that may hold a password. */
export function databaseFault(error: unknown): Fault {
  if (error instanceof CasError) {
    if (error.fault.code !== "LOCK_BUSY") return fromCasFault(error.fault);
    const { lock, holder } = error.fault;
    return fault("REMOTE_IN_USE", { folder: dirname(lock), holder });
  }
  if (error instanceof WrongRow) return error.fault;
  const { code, message } = asDriverError(error);
  // As `add_nodes` says it.
  if (code === "UWF01") return fromCasFault({ code: "HASH_COLLISION", hash: message as Hash });
  if (code === "3F000" || code === "42P01")
    return fault("REMOTE_NOT_READY", { found: null, needed: null, folder: null });
  return fault("REMOTE_FAILED", { reason: message, sqlstate: code });
}

function asDriverError(error: unknown): { readonly code: string | null; readonly message: string } {
  // Where a name has several addresses, each has its own error.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  if (!(first instanceof Error)) return { code: null, message: String(first) };
  const code = "code" in first && typeof first.code === "string" ? first.code : null;
  return { code, message: first.message };
}
