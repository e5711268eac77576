import { isIP } from "node:net";

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
