import { type Fields, type Message, parseMessage, type RequestId } from "../wire/index.js";
import type { ConnectionSpec, Send, Waiting } from "./types.js";

const METHOD_NOT_FOUND = { code: -32_601, message: "this client does not have that method" };

type Way = { readonly send: Send; readonly waiting: Waiting; readonly note: (line: string) => void };

/** What is done with each line of the agent's stdout. */
export function createReceiver(spec: ConnectionSpec, { send, waiting, note }: Way): (line: string) => void {
  const { lineBytes } = spec.limits;
  const reply = (id: RequestId, result: Fields | null): void =>
    send(result === null ? { id, error: METHOD_NOT_FOUND } : { id, result });
  const receive = (message: Message, line: string): void => {
    switch (message.kind) {
      case "noise":
        note(line);
        break;
      case "notification":
        spec.onNotification(message.method, message.params);
        break;
      case "request":
        reply(message.id, spec.onRequest(message.method, message.params));
        break;
      default:
        waiting.get(message.id)?.(message);
    }
  };
  return (line) => {
    if (Buffer.byteLength(line) < lineBytes) receive(parseMessage(line), line);
    else note(`a line of ${lineBytes} bytes or more was left out: ${line.slice(0, 200)}`);
  };
}
