import type { Adapter } from "../adapters/index.js";
import { type Listener, recordIn } from "../events/index.js";

/** What one line of a CLI's stdout says; a line that is no JSON object says nothing. */
export function hearLine(adapter: Adapter, listener: Listener, line: string): void {
  hear(adapter, listener, line);
}

/** The whole of stdout, where no line of it said anything: one JSON object over several lines. */
export function hearWhole(adapter: Adapter, listener: Listener, stdout: string): void {
  if (!listener.hasHeard()) hear(adapter, listener, stdout.trim());
}

function hear(adapter: Adapter, listener: Listener, text: string): void {
  const record = recordIn(text);
  if (record !== null) for (const event of adapter.events(record)) listener.hear(event);
}
