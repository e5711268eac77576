import { claudeVocabulary } from "./claude-vocabulary.ts";
import {
  envOf,
  type HeadlessAgent,
  type HeadlessTask,
  type OfferMcp,
  unless,
} from "../headless/headless-agent.ts";
import { claudeTranscripts } from "../meters/claude-transcript.ts";
import { LEDGER_HOMES } from "../meters/ledger-homes.ts";

/**
 * Named on the command line, and no others: what a repository's own `.mcp.json` would start is not started unasked.
 * Somebody who names servers in `args` has theirs beside ours.
 */
const offerToClaude: OfferMcp = (servers, { file }) => {
  const config = file("mcp.json");
  const mcpServers = Object.fromEntries(
    servers.map((server) => [
      server.name,
      { type: "stdio", command: server.command, args: server.args, env: envOf(server), alwaysLoad: true },
    ]),
  );
  return {
    args: [`--mcp-config=${config}`, "--strict-mcp-config"],
    files: { [config]: JSON.stringify({ mcpServers }) },
  };
};

/** Holdfast's own tools need nobody's leave. */
const allowedTools = ({ offer = [] }: HeadlessTask): string =>
  offer.length === 0 ? "--allowedTools=Bash" : "--allowedTools=Bash,mcp__holdfast";

/** Somebody names servers of their own. */
const own = (task: HeadlessTask): boolean => unless(["--mcp-config"], task, ["none"]).length === 0;

/** Claude Code in its print mode: one prompt, events as JSON Lines. */
export const claudeAgent: HeadlessAgent = {
  use: "claude",
  title: "Claude Code",
  program: "claude",
  install: "npm install -g @anthropic-ai/claude-code",
  knownVersions: ["2.1.197"],
  env: {
    // A program that replaces itself while it is being kept alive cannot be relied on.
    DISABLE_AUTOUPDATER: "1",
    // Inside of itself it refuses to begin.
    CLAUDECODE: undefined,
  },
  offerMcp: offerToClaude,
  argv: (task) => [
    ...["--print", "--output-format", "stream-json", "--verbose"],
    // An answer takes minutes: without its pieces it looks like silence.
    ...unless(["--include-partial-messages"], task, ["--include-partial-messages"]),
    // Nobody is there to be asked: edits pass, and of the tools that still ask, the shell.
    ...unless(["--permission-mode", "--dangerously-skip-permissions"], task, [
      ...["--permission-mode", "acceptEdits"],
      ...unless(["--allowedTools", "--allowed-tools"], task, [allowedTools(task)]),
    ]),
    ...(task.model === undefined ? [] : ["--model", task.model]),
    ...(task.resume === undefined ? ["--session-id", task.conversation] : ["--resume", task.resume]),
    ...(own(task) ? (task.offer ?? []).slice(0, 1) : (task.offer ?? [])),
    ...task.args,
  ],
  vocabulary: claudeVocabulary,
  ledger: { home: LEDGER_HOMES.claude, open: claudeTranscripts },
};
