import { paneNameOf, serverWords } from "./tmux-client.ts";

/** The command by which a person sees a session's terminal; without leave to type, what they type goes nowhere. */
export const attachCommand = (sessions: string, session: string, mayType: boolean): readonly string[] => [
  // A TMUX_TMPDIR of the person's own would look for the server elsewhere.
  ...["env", "-u", "TMUX", "-u", "TMUX_TMPDIR", "tmux", "-u", ...serverWords(sessions)],
  ...["attach-session", ...(mayType ? [] : ["-r"]), "-t", `=${paneNameOf(session)}`],
];
