import type { ChildPipe } from "./types.js";

/**
 * A stdin that stays open: pass `stdin` to `runChild`, and write before, while and after it starts. Data arrives
 * in order; nothing blocks or throws: what the child has not read is counted by `pending`, what it can no longer
 * read (it closed its stdin, or is gone) is dropped. The child sees the end after `end()`.
 */
export function childPipe(): ChildPipe {
  let raw: Raw | null = null;
  let early: string[] = [];
  let ended = false;
  const pump = (): void => {
    if (raw === null) return;
    for (const text of early) raw.write(text);
    early = [];
    if (ended) raw.end();
  };
  return {
    stdin: {
      kind: "pipe",
      attach: (stream) => {
        raw = rawOf(stream);
        pump();
      },
      detach: () => {
        raw?.destroy();
        raw = DEAD;
      },
    },
    write: (text) => {
      if (ended || text === "") return;
      early.push(text);
      pump();
    },
    end: () => {
      if (ended) return;
      ended = true;
      pump();
    },
    pending: () => early.reduce((sum, text) => sum + Buffer.byteLength(text), raw?.pending() ?? 0),
  };
}

/** The way into a child, the same on both runtimes. */
type Raw = {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly destroy: () => void;
  readonly pending: () => number;
};

const DEAD: Raw = { write: () => {}, end: () => {}, destroy: () => {}, pending: () => 0 };

function rawOf(stream: unknown): Raw {
  if (isWritable(stream)) return nodeRaw(stream);
  return isFileSink(stream) ? bunRaw(stream) : DEAD;
}

function nodeRaw(stream: NodeJS.WritableStream & Destroyable): Raw {
  // EPIPE and similar: the exit, or a limit, shows what became of the child.
  stream.on("error", () => {});
  return {
    write: (text) => void stream.write(text),
    end: () => void stream.end(),
    destroy: () => stream.destroy(),
    pending: () => stream.writableLength,
  };
}

// What is used of bun's FileSink, typed by hand like the rest of its spawn.
type FileSink = {
  readonly write: (text: string) => unknown;
  readonly flush: () => unknown;
  readonly end: () => unknown;
};

/** A FileSink reports no length: what was written since the last complete flush is pending. */
function bunRaw(sink: FileSink): Raw {
  let written = 0;
  let taken = 0;
  const quiet = async (act: () => unknown): Promise<void> => {
    try {
      await act();
    } catch {
      // As on Node: not reported here.
    }
  };
  // Flushed in the same turn: what can go goes at once, also when the caller then works for long.
  const write = async (text: string): Promise<void> => {
    const until = written;
    const writing = sink.write(text);
    await Promise.all([writing, sink.flush()]);
    taken = Math.max(taken, until);
  };
  return {
    write: (text) => {
      written += Buffer.byteLength(text);
      void quiet(() => write(text));
    },
    end: () => void quiet(() => sink.end()),
    destroy: () => void quiet(() => sink.end()),
    pending: () => written - taken,
  };
}

type Destroyable = { readonly destroy: () => void; readonly writableLength: number };

function isWritable(stream: unknown): stream is NodeJS.WritableStream & Destroyable {
  return typeof stream === "object" && stream !== null && "writableLength" in stream;
}

function isFileSink(stream: unknown): stream is FileSink {
  return typeof stream === "object" && stream !== null && "flush" in stream;
}
