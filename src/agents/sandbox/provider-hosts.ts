import path from "node:path";
import { AGENTS, VENDOR_KINDS } from "../../model/agent/kinds/registry.ts";
import { readHost, type AllowedHost } from "./allowed-hosts.ts";

/** Variables by which people lead an agent to another address of its provider. */
const ADDRESSES = [
  ...["ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL"],
  ...["OPENAI_BASE_URL", "OPENAI_API_BASE", "AZURE_OPENAI_ENDPOINT", "OPENROUTER_BASE_URL"],
  ...["GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL", "CODE_ASSIST_ENDPOINT", "OLLAMA_HOST"],
];

interface Reaching {
  /** The driver and the words of the command. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Named in the configuration. */
  readonly hosts: readonly string[];
}

/** What an agent whose network is its provider may reach. */
export function providerHosts({ words, env, hosts }: Reaching): readonly AllowedHost[] {
  const names = words.slice(0, WORDS_LOOKED_AT).map((word) => path.basename(word));
  const own = VENDOR_KINDS.filter((kind) => names.some((name) => name.includes(kind))).flatMap(
    (kind) => AGENTS[kind].hosts,
  );
  return [...own, ...ADDRESSES.flatMap((name) => addressHost(env[name])), ...hosts].flatMap((text) => {
    const read = readHost(text);
    return read === undefined ? [] : [read];
  });
}

const WORDS_LOOKED_AT = 4;

function addressHost(text: string | undefined): readonly string[] {
  if (text === undefined || !URL.canParse(text)) return [];
  const { hostname, port, protocol } = new URL(text);
  return [`${hostname}:${port === "" ? (protocol === "http:" ? "80" : "443") : port}`];
}
