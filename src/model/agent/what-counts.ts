import { AGENTS } from "./kinds/registry.ts";
import type { Counted, Counts } from "./kinds/agent-traits.ts";
import type { SignalRule } from "./command-signals.ts";
import type { AgentSpec } from "../flow/flow.ts";
import { priceOf, type Prices } from "../settings/prices.ts";

/**
 * The protocol leaves open what an agent reports; of these it is known. Each is recognised by the name of its program.
 */
const LIVE_OVER_ACP: Counts = { ...AGENTS.acp.capabilities.counts, usd: "live", tokens: "live" };
const OWN_MONEY_OVER_ACP: Counts = { ...LIVE_OVER_ACP, usdBy: "either" };
/** What is read and what is written come in one number, and they have two prices. */
const TOKENS_OVER_ACP: Counts = { ...AGENTS.acp.capabilities.counts, usd: "none", tokens: "live" };

const OVER_ACP: ReadonlyMap<string, Counts> = new Map([
  ["claude-agent-acp", LIVE_OVER_ACP],
  ["codex-acp", LIVE_OVER_ACP],
  ["gemini", LIVE_OVER_ACP],
  ["gemini-cli", LIVE_OVER_ACP],
  ["opencode", OWN_MONEY_OVER_ACP],
  ["opencode-ai", OWN_MONEY_OVER_ACP],
  ["kilo", OWN_MONEY_OVER_ACP],
  ["qwen", LIVE_OVER_ACP],
  ["qwen-code", LIVE_OVER_ACP],
  ["goose", TOKENS_OVER_ACP],
]);

/** Programs that are only there to start another one, which is named after them. */
const LAUNCHERS: ReadonlySet<string> = new Set(["node", "bun", "bunx", "npx"]);

/** What can be counted of an agent: as its driver counts it; over the protocol, as its program reports it. */
export function countsOf(spec: Pick<AgentSpec, "use" | "command" | "signals">): Counts {
  const { use, command = [], signals = [] } = spec;
  if (use === "command") return countsByRules(signals);
  const [known] = use === "acp" ? programsIn(command).flatMap((name) => OVER_ACP.get(name) ?? []) : [];
  return known ?? AGENTS[use].capabilities.counts;
}

/** A program of one's own reports what its lines are described to say. */
function countsByRules(rules: readonly SignalRule[]): Counts {
  const usage = rules.filter((rule) => rule.is === "usage");
  const live = (isReported: boolean): Counted => (isReported ? "live" : "none");
  const hasTokens = usage.some((rule) => rule.tokensIn !== undefined && rule.tokensOut !== undefined);
  const hasMoney = usage.some((rule) => rule.usd !== undefined);
  return {
    ...AGENTS.command.capabilities.counts,
    usd: live(hasTokens || hasMoney),
    tokens: live(hasTokens),
    turns: live(rules.some(({ is }) => is === "message" || is === "call")),
    context: live(rules.some(({ is }) => is === "context")),
    usdBy: hasTokens && !hasMoney ? "prices" : "agent",
  };
}

/** Whether its money is known by the price of its tokens, and the model that it is to use has none. */
export const hasNoPrice = (spec: AgentSpec, prices: Prices): boolean =>
  countsOf(spec).usdBy === "prices" &&
  // Over the protocol the agent alone decides on its model.
  spec.use !== "acp" &&
  spec.model !== undefined &&
  priceOf(prices, spec.model) === undefined;

/** The names by which a command may be known: its program's, or those of the file or package that a launcher starts. */
function programsIn([first = "", ...more]: readonly string[]): string[] {
  const name = nameOf(first);
  if (!LAUNCHERS.has(name)) return [name];
  const started = more.find((word) => !word.startsWith("-")) ?? "";
  const installed = started.split("node_modules/").slice(1).at(-1) ?? "";
  return [nameOf(started), ...installed.split("/")];
}

/** Without its folder, the ending of a script and the version of a package. */
const nameOf = (word: string): string =>
  (word.split("/").at(-1) ?? "").replace(/(?<=.)@.*/s, "").replace(/\.(?:exe|[cm]?js)$/, "");
