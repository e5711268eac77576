import { BlockList, isIP } from "node:net";

export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Everything that is not somebody's public address: this machine, its networks, and numbers set apart. */
const CLOSED_V4: readonly [network: string, bits: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** Of the public part of IPv6, what carries an address of IPv4 inside or belongs to nobody. */
const CLOSED_V6: readonly [network: string, bits: number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const closedV4 = new BlockList();
for (const [network, bits] of CLOSED_V4) closedV4.addSubnet(network, bits, "ipv4");
const closedV6 = new BlockList();
for (const [network, bits] of CLOSED_V6) closedV6.addSubnet(network, bits, "ipv6");
/** All else is unspecified, loopback, mapped, translated (NAT64), local, link-local, multicast, or not yet given out. */
const openV6 = new BlockList();
openV6.addSubnet("2000::", 3, "ipv6");

/**
 * Nobody's receiver, no matter what a channel allows: services that hand out credentials to the one that asks (metadata
 * of clouds), everybody at once, and addresses of IPv4 in the clothes of IPv6.
 */
const never = new BlockList();
for (const [network, bits] of [
  ["169.254.0.0", 16],
  ["100.100.100.200", 32],
  ["192.0.0.192", 32],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const)
  never.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["fe80::", 10],
  ["fd00:ec2::", 32],
  ["ff00::", 8],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
] as const)
  never.addSubnet(network, bits, "ipv6");

/** Whether an address is refused even where private ones are allowed; text that is no address is. */
export function isNeverReached(address: string): boolean {
  const [bare = ""] = address.split("%");
  const family = isIP(bare);
  return family === 0 || never.check(bare, family === 4 ? "ipv4" : "ipv6");
}

/** Whether an address is one that anybody may reach; text that is no address is not. */
export function isPublicAddress(address: string): boolean {
  const [bare = ""] = address.split("%");
  if (isIP(bare) === 4) return !closedV4.check(bare, "ipv4");
  if (isIP(bare) === 6) return openV6.check(bare, "ipv6") && !closedV6.check(bare, "ipv6");
  return false;
}

/** The address that the host of a parsed URL is itself, in whichever notation it was written; undefined for a name. */
export function addressOfHost(hostname: string): Address | undefined {
  const bare = hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(bare);
  return family === 4 || family === 6 ? { address: bare, family } : undefined;
}
