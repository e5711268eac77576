import { NO_ANSWERS, type StarterAnswers } from "./starter-answers.ts";
import { foundAgents } from "./starter-config.ts";

/** A first configuration that fits on a screen: the agents that were found, and the settings most people change. */
export function shortConfig(
  reports: Parameters<typeof foundAgents>[0],
  check: string | null,
  answers: StarterAnswers = NO_ANSWERS,
): string {
  const ready = foundAgents(reports);
  const first = ready[0]?.kind ?? "claude";
  return [
    "# Holdfast's configuration. Every setting with its default: holdfast init --all --print",
    "# Is it right? holdfast validate holdfast.yaml    Where does a value come from? holdfast config show --origin",
    "# An editor completes keys after: holdfast config schema > holdfast.schema.json, and the next line without its first #",
    "# # yaml-language-server: $schema=holdfast.schema.json",
    "",
    "# Agents by name, for `run --agent NAME` and for the steps of a flow. All kinds: holdfast agents",
    ready.length === 0 ? "agents: {} # without the {} once a line below is used" : "agents:",
    ...ready.map(({ kind }) => `  ${kind}: { use: ${kind} }`),
    `#   reviewer: { use: ${first}, model: NAME }`,
    "#   program: { use: command, command: [./my-agent.sh] }   # docs/own-agents.md",
    "#   mine: { use: function, module: ./agent.ts }",
    "",
    "# Times are milliseconds, or such as 90s, 10m, 4h.",
    setting(answers.attempts !== null, "attempts:"),
    setting(
      answers.attempts !== null,
      `  perStep: ${String(answers.attempts ?? 3)}        # attempts of a step before a person is asked`,
    ),
    "#   limitMs: 4h       # time that one attempt may take",
    setting(answers.usd !== null, "budget:"),
    setting(
      answers.usd !== null,
      `  usd: ${String(answers.usd ?? 5)}            # agents are suspended once this much is spent`,
    ),
    setting(answers.asksAtEnd, "approve:"),
    setting(
      answers.asksAtEnd,
      `  completion: ${String(answers.asksAtEnd)} # true: ask a person before a run is completed`,
    ),
    setting(answers.check !== null, "reality:"),
    setting(
      answers.check !== null,
      `  checks: [${JSON.stringify(answers.check ?? check ?? "npm test")}] # what must pass at the end, beside --check`,
    ),
    "",
  ].join("\n");
}

/** A line that counts, or shows how it would be written. */
const setting = (counts: boolean, line: string): string => (counts ? line : `# ${line}`);
