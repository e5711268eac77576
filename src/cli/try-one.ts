import { dump } from "js-yaml";
import type { Trial } from "../main.ts";
import type { AgentSpec } from "../model/flow/flow.ts";
import { readLastWord } from "../model/text/last-word.ts";
import { proposeSignals } from "../views/report/propose-signals.ts";
import { tokensIn, trialReport, type Recognised } from "../views/report/trial-report.ts";
import { EXIT } from "./shell/define-command.ts";
import type { Invocation } from "./shell/invocation.ts";
import { timeoutOf } from "./run/run-limits.ts";
import { agentNamed } from "./run/run-order.ts";
import { tableLines } from "./print/table.ts";
import { obeyedByAgent } from "./trust/obeyed-here.ts";
import { requireTrust } from "./trust/require-trust.ts";

export interface TryOptions {
  readonly timeout?: string;
  readonly offline?: boolean;
  readonly trust?: boolean;
}

const LIMIT_MS = 120_000;

/** Tries an agent, shows what was recognised, and proposes what to configure. */
export async function tryOne(call: Invocation, name: string, options: TryOptions): Promise<number> {
  const { cwd } = call.surroundings;
  const config = await call.config();
  const { to, spec } = agentNamed(name, config, cwd);
  await requireTrust(call, obeyedByAgent(cwd, to, spec, config), options);
  const { tryAgent } = await import("../main.ts");
  const { runMs: limitMs = LIMIT_MS } = timeoutOf(options.timeout);
  let trial = await tryAgent(spec, { cwd, limitMs, aimed: true });
  if (wasNotReached(trial) && options.offline !== true) {
    call.output.note(`holdfast: "${to}" did not ask the scripted model; it is tried with its own provider`);
    trial = await tryAgent(spec, { cwd, limitMs, aimed: false });
  }
  return report(call, to, { spec, trial });
}

/** It neither asked the scripted model nor came to an end without it. */
const wasNotReached = (trial: Trial): boolean =>
  trial.asked === 0 && trial.startFailure === null && !claimsSuccess(trial);

function report(
  call: Invocation,
  name: string,
  { spec, trial }: { readonly spec: AgentSpec; readonly trial: Trial },
): number {
  const rows = trialReport(trial);
  const works = rows.every(({ what, seen }) => seen || !NEEDED.has(what)) && claimsSuccess(trial);
  const proposed = proposal(spec, trial);
  const { aimed, asked, tokensSent } = trial;
  call.output.document({
    agent: name,
    use: spec.use,
    ok: works,
    aimed: aimed && asked > 0,
    model: { asked, tokensSent, tokensTold: tokensIn(trial.signals) },
    recognised: rows,
    proposed: proposed === null ? null : { agents: { [name]: proposed } },
  });
  const table = rows.map(({ what, seen, detail }) => [what, seen ? "yes" : "no", inOneLine(detail)]);
  for (const line of tableLines([["WHAT", "SEEN", ""], ...table])) call.output.line(line);
  if (aimed && asked > 0)
    call.output.line(
      `→ the scripted model was asked ${String(asked)} times and sent ${String(tokensSent)} tokens; the agent reported ${String(tokensIn(trial.signals))}`,
    );
  for (const line of proposed === null ? [] : proposalLines(name, proposed)) call.output.line(line);
  call.output.line(
    works
      ? `→ "${name}" works: ${call.command("run", "GOAL", "--agent", name)}`
      : `→ "${name}" was not seen to do its task; see docs/own-agents.md`,
  );
  return works ? EXIT.done : EXIT.unsuccessful;
}

const NEEDED: ReadonlySet<Recognised["what"]> = new Set(["start", "end"]);

/** An error, a limit or a refusal as its last word is no success, as in a run. */
const claimsSuccess = ({ signals }: Trial): boolean =>
  signals.some((signal) => signal.kind === "result" && signal.ok && readLastWord(signal.text) === null);

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** What the configuration should say besides; null where it says all that is needed. */
function proposal(spec: AgentSpec, { prompt, lines, signals }: Trial): AgentSpec | null {
  const found = spec.use === "command" && spec.signals === undefined ? proposeSignals(lines) : [];
  const more: Partial<AgentSpec> = {
    ...(prompt === null || spec.prompt !== undefined ? {} : { prompt }),
    ...(found.length === 0 ? {} : { signals: found }),
    ...(spec.permissions === undefined && signals.some(({ kind }) => kind === "permission")
      ? { permissions: "ask" as const }
      : {}),
  };
  return Object.keys(more).length === 0 ? null : { ...spec, ...more };
}

const proposalLines = (name: string, spec: AgentSpec): string[] => [
  "→ proposed configuration:",
  ...dump({ agents: { [name]: spec } }, { lineWidth: 100, flowLevel: 4, noRefs: true })
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`),
];
