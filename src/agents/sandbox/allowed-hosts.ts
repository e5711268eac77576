import { isIP } from "node:net";
import path from "node:path";
import { AGENTS, VENDOR_KINDS } from "../../model/agent/kinds/registry.ts";

/** A host that an agent may reach, as people write it: `name`, `name:port`, `*.name`, an address, `[address]:port`. */
export interface AllowedHost {
  readonly host: string;
  /** Null for those of the web. */
  readonly port: number | null;
  /** Every name below it, and not itself. */
  readonly below: boolean;
}

const WEB_PORTS: readonly number[] = [443, 80];
const WRITTEN = /^(\*\.)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9_.-]{1,253})(?::(\d{1,5}))?$/;

/** Undefined for what is no such text. */
export function readHost(text: string): AllowedHost | undefined {
  const [, wild, name = "", port] = WRITTEN.exec(text.toLowerCase()) ?? [];
  if (name === "") return undefined;
  return {
    host: plainHost(name),
    port: port === undefined ? null : Number(port),
    below: wild !== undefined,
  };
}

/** Names are compared without their case and their closing dot, addresses without brackets. */
const plainHost = (host: string): string => host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, "");

/** Undefined where nothing allows it. A name never stands for an address, nor an address for a name. */
export function allowing(
  allowed: readonly AllowedHost[],
  asked: { readonly host: string; readonly port: number },
): AllowedHost | undefined {
  const host = plainHost(asked.host);
  return allowed.find((one) => {
    const isName = one.below ? isIP(host) === 0 && host.endsWith(`.${one.host}`) : host === one.host;
    return isName && (one.port === null ? WEB_PORTS.includes(asked.port) : one.port === asked.port);
  });
}

/** Whether it leads to the machine itself, which is another one inside of a sandbox. */
export const isOwnMachine = ({ host }: Pick<AllowedHost, "host">): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

export const hostText = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${isIP(host) === 6 ? `[${host}]` : host}:${String(port)}`;

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
