import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfHost, isPublicAddress } from "../../src/notify/address-guard.ts";

const closed = [
  ...["0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254"],
  ...["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.168.1.1", "198.18.0.1"],
  ...["198.19.255.255", "192.0.2.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"],
  ...["224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
  ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "::8.8.8.8"],
  ...["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1"],
  ...["fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "2002:7f00:1::", "2001::1", "2001:db8::1", "3fff::1"],
  ...["5f00::1", "", "localhost", "example.org", "127.1", "1.2.3.4.5", "8.8.8.8.example.org"],
];
const open = [
  ...["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.167.1.1"],
  ...["223.255.255.255", "2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888"],
];

for (const address of closed)
  test(`P3 ${address === "" ? "nothing" : address} is not taken for a public address`, () => {
    assert.equal(isPublicAddress(address), false);
  });

test("P3 public addresses are, next to the edges of those that are not too", () => {
  for (const address of open) assert.equal(isPublicAddress(address), true, address);
});

test("P3 an address is known in every notation that a URL may write it in", () => {
  const loopback = [
    ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001"],
    ...["127.0.0.1.", "①②⑦.0.0.1", "127。0。0。1", "%31%32%37.0.0.1", "0x7F.0x0.0x0.0x1"],
  ];
  for (const host of loopback) {
    const { hostname } = new URL(`http://${host}/`);
    assert.deepEqual(addressOfHost(hostname), { address: "127.0.0.1", family: 4 }, host);
  }
  for (const host of [
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
  ]) {
    const address = addressOfHost(new URL(`http://${host}/`).hostname);
    assert.ok(address?.family === 6 && !isPublicAddress(address.address), host);
  }
  assert.equal(addressOfHost("example.org"), undefined);
});
