import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import path from "node:path";
import { test, type TestContext } from "node:test";
import { sessionFolder } from "../../../src/agents/keeper/session-folder.ts";
import {
  type AllowedHost,
  allowing,
  providerHosts,
  readHost,
} from "../../../src/agents/sandbox/allowed-hosts.ts";
import { waitFor } from "../contract/scene.ts";
import { noSandbox, SandboxStage } from "./sandbox-stage.ts";

const list = (...texts: string[]): AllowedHost[] =>
  texts.flatMap((text) => {
    const host = readHost(text);
    return host === undefined ? [] : [host];
  });

test("P6 a host is allowed as it is written: names with the web's ports, names below, ports and addresses", () => {
  const allowed = list("api.example.com", "*.cdn.example", "127.0.0.1:8080", "[::1]:9", "Upper.Example:8443");
  const is = (host: string, port: number): boolean => allowing(allowed, { host, port }) !== undefined;
  assert.ok(is("api.example.com", 443) && is("API.example.com.", 80) && is("upper.example", 8443));
  assert.ok(is("a.cdn.example", 443) && is("127.0.0.1", 8080) && is("::1", 9));
  for (const [host, port] of [
    ["api.example.com", 22],
    ["evil-api.example.com", 443],
    ["api.example.com.evil", 443],
    ["cdn.example", 443],
    ["evilcdn.example", 443],
    ["localhost", 8080],
    ["127.0.0.1", 443],
    ["upper.example", 443],
    ["93.184.216.34", 443],
  ] as const)
    assert.equal(is(host, port), false, `${host}:${String(port)}`);
  assert.equal(readHost("a b"), undefined);
});

test("P6 an agent reaches the hosts of its provider, or those that its environment leads it to", () => {
  const hosts = providerHosts({
    words: ["tmux", "/usr/bin/codex"],
    env: { OPENAI_BASE_URL: "http://127.0.0.1:4000/v1", ANTHROPIC_BASE_URL: "https://gateway.example/x" },
    hosts: ["registry.npmjs.org"],
  });
  const names = hosts.map(({ host, port }) => `${host}${port === null ? "" : `:${String(port)}`}`);
  for (const name of ["api.openai.com", "127.0.0.1:4000", "gateway.example:443", "registry.npmjs.org"])
    assert.ok(names.includes(name), name);
  assert.ok(!names.includes("api.anthropic.com"));
});

/** A server of this machine that answers each caller in the clear, and counts them. */
async function serve(t: TestContext): Promise<{ port: number; called: () => number }> {
  let called = 0;
  const server: Server = createServer((peer) => {
    called += 1;
    peer.on("error", () => undefined);
    peer.once("data", () =>
      peer.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, called: () => called };
}

/** A shell's line: what is written to an address, and what is answered, into a file. */
const say = (to: string, text: string, file: string): string =>
  `perl -MIO::Socket::INET -e 'my $s=IO::Socket::INET->new(PeerAddr=>"${to}",Timeout=>5) or exit 1; print $s "${text}\\r\\n\\r\\n"; print while <$s>' > ${file} 2>&1`;
const PROXY = "127.0.0.1:3128";

test(
  "P6 with network: provider an agent reaches what is allowed, and nothing else by name or by address",
  { skip: noSandbox },
  async (t) => {
    const [allowed, other] = [await serve(t), await serve(t)];
    const [a, b] = [String(allowed.port), String(other.port)];
    const abstract = `holdfast-test-${String(process.pid)}`;
    const service = createServer((peer) => peer.destroy()).listen(`\0${abstract}`);
    t.after(() => service.close());
    const stage = new SandboxStage({ hosts: [`127.0.0.1:${a}`] });
    t.after(() => stage.close());
    const lines = [
      say(`127.0.0.1:${a}`, "GET / HTTP/1.1", "own-port"),
      say(PROXY, `GET http://127.0.0.1:${a}/x HTTP/1.1\\r\\nHost: x`, "by-proxy"),
      say(PROXY, `CONNECT 127.0.0.1:${a} HTTP/1.1\\r\\n\\r\\nGET / HTTP/1.1`, "tunnel"),
      say(`127.0.0.1:${b}`, "GET / HTTP/1.1", "direct"),
      say(PROXY, `GET http://127.0.0.1:${b}/ HTTP/1.1\\r\\nHost: 127.0.0.1:${a}`, "other"),
      say(PROXY, `CONNECT 127.0.0.1:${b} HTTP/1.1`, "other-tunnel"),
      say(PROXY, `CONNECT localhost:${a} HTTP/1.1`, "other-name"),
      say(PROXY, `CONNECT example.invalid:443 HTTP/1.1`, "outside"),
      say(PROXY, `CONNECT 192.0.2.1:443 HTTP/1.1`, "address"),
      say(PROXY, `GET / HTTP/1.1\\r\\nHost: 127.0.0.1:${a}`, "unnamed"),
      'echo "$HTTPS_PROXY $https_proxy $NO_PROXY" > variables',
      "cat /proc/net/dev > devices",
      `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack_sockaddr_un("\\0${abstract}")) and print "reached"' > abstract`,
    ];
    const order = stage.order(lines.join("\n"), { network: "provider" });
    const { heard: received, outcome } = await stage.play(order);
    assert.match(outcome.kind === "started" ? (outcome.sandbox?.text ?? "") : "", /network: provider/);
    const answer = (name: string): string => readFileSync(path.join(stage.repo, name), "utf8");
    for (const name of ["own-port", "by-proxy", "tunnel"]) assert.match(answer(name), /hello/, name);
    assert.equal(answer("direct"), "");
    for (const name of ["other", "other-tunnel", "other-name", "outside", "address", "unnamed"])
      assert.match(answer(name), /^HTTP\/1.1 403 .*sandbox\.hosts/s, name);
    assert.deepEqual([allowed.called(), other.called()], [3, 0]);
    assert.equal(answer("variables").trim(), `http://${PROXY} http://${PROXY} localhost,127.0.0.1,::1`);
    assert.equal(answer("abstract"), "", "a socket with an abstract name is of another network");
    assert.equal(/eth|ens|wl/.test(answer("devices")), false);
    const [note, exit] = received.slice(-2);
    assert.equal(exit?.kind, "exit");
    assert.ok(note?.kind === "message" && note.from === "system");
    for (const target of [`127.0.0.1:${b}`, `localhost:${a}`, "example.invalid:443", "192.0.2.1:443"])
      assert.ok(note.text.includes(target), `${target}: ${note.text}`);
    const socket = path.join(sessionFolder(stage.sessions, order.session).folder, "network/socket");
    await waitFor(() => !isProxied(socket) || undefined);
  },
);

/** The proxy begins in the socket's folder. */
const isProxied = (socket: string): boolean =>
  readdirSync("/proc").some((pid) => /^\d+$/.test(pid) && folderOf(pid) === path.dirname(socket));

function folderOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}
