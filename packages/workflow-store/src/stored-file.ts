import { basename, extname } from "node:path";
import { computeHash, type Hash, isHash, type JsonObject, type Store } from "@uncaged/json-cas";
import {
  type ChunkedFilePayload,
  err,
  type Fault,
  type FilePayload,
  fault,
  LIMITS,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { put, readNode, TYPE } from "./nodes.js";

/** A file that is not stored yet. */
export type NewFile = {
  /** Of its node, the last one of `nodes`. */
  readonly hash: Hash;
  /** Bytes. */
  readonly size: number;
  /** `null` for what is not text: not UTF-8, or with NUL. */
  readonly text: string | null;
  /** In the order in which they are stored: chunks before the file that has them. */
  readonly nodes: readonly { readonly type: Hash; readonly payload: JsonObject }[];
};

/** What a file is stored as. `mediaType`: `null` takes it from the name's extension. */
export function newFile(path: string, bytes: Buffer, mediaType: string | null): NewFile {
  const name = basename(path);
  const text = textIn(bytes);
  const known = MEDIA_TYPES[extname(name).toLowerCase()];
  const about = {
    name,
    mediaType: mediaType ?? known ?? (text === null ? "application/octet-stream" : "text/plain"),
    size: bytes.length,
    sha256: sha256Of(bytes),
  };
  const made = (nodes: NewFile["nodes"], type: Hash, payload: JsonObject): NewFile => {
    return {
      hash: computeHash(type, payload),
      size: bytes.length,
      text,
      nodes: [...nodes, { type, payload }],
    };
  };
  if (bytes.length <= LIMITS.fileInOneNode) {
    const encoding = text === null ? "base64" : "utf8";
    return made([], TYPE.file, { ...about, encoding, data: text ?? bytes.toString("base64") });
  }
  const parts = piecesOf(bytes).map((piece) => ({
    type: TYPE.fileChunk,
    payload: { data: piece.toString("base64") },
  }));
  const chunks = parts.map(({ type, payload }) => computeHash(type, payload));
  return made(parts, TYPE.chunkedFile, { ...about, chunks });
}

function piecesOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.ceil(bytes.length / LIMITS.fileChunk);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * LIMITS.fileChunk, (index + 1) * LIMITS.fileChunk),
  );
}

/** A byte order mark stays. */
function textIn(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".diff": "text/x-diff",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".gif": "image/gif",
  ".gz": "application/gzip",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".patch": "text/x-diff",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".tar": "application/x-tar",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".zip": "application/zip",
};

/** Each node is durable before the next is encoded. Throws `CasError`. */
export async function putFile(store: Store, { hash, nodes }: NewFile): Promise<Hash> {
  for (const { type, payload } of nodes) await put(store, type, payload);
  return hash;
}

/** A file of the store. */
export type StoredFile = {
  /** Without its folder. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
};

/**
 * A file with its bytes, which match its size and its SHA-256. `ref` is the hash of its node. Faults: INVALID_INPUT (no
 * hash), NODE_MISSING, WRONG_NODE_TYPE, NODE_DAMAGED.
 */
export function readStoredFile(store: Store, ref: string): Result<StoredFile, Fault> {
  if (!isHash(ref)) {
    const what = JSON.stringify(ref);
    return err(fault("INVALID_INPUT", { what, reason: "it is not the hash of a stored file" }));
  }
  const file = readNode(store, "file", ref);
  if (!file.ok) return file;
  const { payload } = file.value;
  const bytes = readFileBytes(store, payload);
  if (!bytes.ok) return bytes;
  // A node's hash says nothing about whether the size and the sum in it are right.
  const reason = mismatch(bytes.value, payload);
  if (reason !== null) return err(fault("NODE_DAMAGED", { hash: ref, file: null, reason }));
  return ok({ name: payload.name, mediaType: payload.mediaType, bytes: bytes.value });
}

function readFileBytes(store: Store, file: FilePayload | ChunkedFilePayload): Result<Buffer, Fault> {
  if (!("chunks" in file)) return ok(Buffer.from(file.data, file.encoding));
  const pieces: Buffer[] = [];
  for (const hash of file.chunks) {
    const chunk = readNode(store, "fileChunk", hash);
    if (!chunk.ok) return chunk;
    pieces.push(Buffer.from(chunk.value.payload.data, "base64"));
  }
  return ok(Buffer.concat(pieces));
}

function mismatch(bytes: Buffer, { size, sha256 }: FilePayload | ChunkedFilePayload): string | null {
  if (bytes.length !== size) return `its data has ${bytes.length} bytes, its size is ${size}`;
  const sum = sha256Of(bytes);
  return sum === sha256 ? null : `the SHA-256 of its data is ${sum}, not ${sha256}`;
}

/** node:crypto costs bun 6 ms, so it is loaded where it is used. */
function sha256Of(bytes: Buffer): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(bytes).digest("hex");
}
