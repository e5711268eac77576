import type { Addresses } from "../guard/check-origin.ts";
import { isLoopback, type Listening } from "./listening.ts";

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The names by which a server on that host is meant, each exactly as browsers and programs write it. */
function namesOf({ host }: Listening): string[] {
  const own = bracketed(host);
  return isLoopback(host) && host !== "::1" ? [...new Set([own, "localhost"])] : [own];
}

export function addressesOf(listening: Listening, port: number): Addresses {
  const scheme = listening.tls === null ? "http" : "https";
  const defaultPort = listening.tls === null ? 80 : 443;
  const hosts = namesOf(listening).flatMap((name) =>
    port === defaultPort ? [name, `${name}:${String(port)}`] : [`${name}:${String(port)}`],
  );
  const origins = hosts.map((host) => `${scheme}://${host}`);
  if (listening.behindProxy === null) return { hosts: new Set(hosts), origins: new Set(origins) };
  const { host, origin } = new URL(listening.behindProxy);
  return { hosts: new Set([...hosts, host]), origins: new Set([...origins, origin]) };
}

export function urlOf(listening: Listening, port: number): string {
  if (listening.behindProxy !== null) return new URL(listening.behindProxy).origin;
  return `${listening.tls === null ? "http" : "https"}://${bracketed(listening.host)}:${String(port)}`;
}
