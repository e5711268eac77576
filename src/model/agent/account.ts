import type { AgentSpec } from "../flow/flow.ts";
import { exactKey } from "../text/text-key.ts";

/** Agents that ask no provider have no account that could meet a limit. */
const WITHOUT_PROVIDER: ReadonlySet<AgentSpec["use"]> = new Set(["demo", "function", "manual"]);

/** Variables that decide whose account an agent works on. */
const IDENTIFIES = /(?:API_KEY|AUTH_TOKEN|OAUTH_TOKEN|CONFIG_DIR|BASE_URL|CODEX_HOME|PROFILE)$/;

const identifiesAccount = (name: string): boolean => IDENTIFIES.test(name);

/**
 * The account whose limits an agent meets: as it is named, or the provider with a digest of what distinguishes its
 * accounts. Null where there is no provider.
 */
export function accountOf(spec: AgentSpec): string | null {
  if (spec.account !== undefined) return spec.account;
  return WITHOUT_PROVIDER.has(spec.use) ? null : `${providerOf(spec)}${isTellingApart(spec)}`;
}

/** The driver's name; for programs of one's own, with the program's. */
function providerOf({ use, command }: AgentSpec): string {
  const program = (command?.[0] ?? "").split("/").at(-1) ?? "";
  const plain = program.replaceAll(/[^A-Za-z0-9._-]/g, "");
  return plain === "" || plain === use ? use : `${use}/${plain}`;
}

function isTellingApart({ env = {} }: AgentSpec): string {
  const named = Object.entries(env).filter(([name]) => identifiesAccount(name));
  if (named.length === 0) return "";
  return `/${exactKey(JSON.stringify(named.sort(([one], [other]) => (one < other ? -1 : 1))))}`;
}
