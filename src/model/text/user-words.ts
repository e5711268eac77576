/** What stands in a user's place but was not said by one: notes of hooks, echoes of commands. */
const NOT_SAID = /^\s{0,20}<(?:system-reminder|local-command|command-|bash-|task-notification)/;
const INTERRUPTED = /^\s{0,20}\[Request interrupted/;

/** What a message in a user's place is: words to the agent, the end of its turn, or a note of its own machinery. */
export function userWords(text: string): "sent" | "ended" | "beat" {
  if (NOT_SAID.test(text)) return "beat";
  return INTERRUPTED.test(text) ? "ended" : "sent";
}
