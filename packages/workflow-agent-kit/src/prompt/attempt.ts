import { delimit } from "./delimit.js";
import { section } from "./sections.js";

/** A run of the step that gave no result. */
type Attempt = { readonly message: string; readonly reason: string | null };

/** Characters of what is known of its end. */
const LONGEST = 500;

/** The part of a prompt that says that the step was begun before, and how that ended. */
export function renderAttempt({ message, reason }: Attempt): string {
  const [line = ""] = message.split("\n", 1);
  const ended = delimit("attempt", reason === null ? {} : { reason }, line.slice(0, LONGEST));
  return section("Your earlier attempt", `${BEGUN}\n\n${ended}\n\n${GO_ON}`);
}

const BEGUN =
  "In this session you have worked on this very step before. That attempt ended without a result. What is known of " +
  "its end:";

const GO_ON =
  "What you had done by then may be there, whole or in part, in this session and in the working folder. Look first, " +
  "keep what is good, do the rest, and deliver what the role owes.";
