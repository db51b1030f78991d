import { asText, TOPICS } from "../help/index.js";
import { screenOf } from "../human/index.js";
import type { CommandContext, CommandResult } from "../line/index.js";
import { text } from "./output.js";

/** A topic of `uwf help`. Text also in a pipe: nobody parses it. */
export async function helpTopic(context: CommandContext, { name }: { readonly name: string }): CommandResult {
  const topic = TOPICS.find((each) => each.name === name);
  if (topic === undefined) throw new Error(`there is no topic ${name}`);
  return text(asText(topic, context.screen ?? screenOf(context.host, "never")));
}
