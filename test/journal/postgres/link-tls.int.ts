import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { TLSSocket } from "node:tls";
import type { Journal } from "../../../src/journal/journal.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/postgres-journal.ts";
import { isFault } from "../../../src/model/fault.ts";
import { realWorld } from "../../../src/real-world.ts";
import { postgresMissing, startPostgres, type PostgresServer } from "../../postgres-server.ts";

const skip = postgresMissing() ?? false;
const folder = mkdtempSync(path.join(tmpdir(), "holdfast-tls-"));
const file = (name: string): string => path.join(folder, name);
const text = (name: string): string => readFileSync(file(name), "utf8");
const SSL_REQUEST = 80_877_103;
let server: PostgresServer;

/** A certificate for this machine, signed by an authority that is made for it. */
function certify(name: string): void {
  const openssl = (...args: string[]): void => void execFileSync("openssl", args, { stdio: "ignore" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    file(`${name}-ca.key`),
    "-out",
    file(`${name}-ca.pem`),
    "-subj",
    `/CN=${name} ca`,
    "-days",
    "2",
  );
  openssl(
    "req",
    ...key,
    "-keyout",
    file(`${name}.key`),
    "-out",
    file(`${name}.csr`),
    "-subj",
    "/CN=127.0.0.1",
  );
  writeFileSync(file("san"), "subjectAltName=IP:127.0.0.1");
  openssl(
    "x509",
    "-req",
    "-in",
    file(`${name}.csr`),
    "-CA",
    file(`${name}-ca.pem`),
    "-CAkey",
    file(`${name}-ca.key`),
    "-CAcreateserial",
    "-out",
    file(`${name}.pem`),
    "-days",
    "2",
    "-extfile",
    file("san"),
  );
}

before(async () => {
  if (skip !== false) return;
  for (const name of ["team", "thief"]) certify(name);
  server = await startPostgres();
  const [row] = await server.query("SHOW data_directory");
  const data = String(row?.["data_directory"]);
  const { uid, gid } = statSync(data);
  for (const name of ["team.key", "team.pem"]) {
    const target = path.join(data, name);
    writeFileSync(target, text(name));
    chmodSync(target, 0o600);
    chownSync(target, uid, gid);
  }
  for (const [name, value] of [
    ["ssl_cert_file", "team.pem"],
    ["ssl_key_file", "team.key"],
    ["ssl", "on"],
  ])
    await server.query(`ALTER SYSTEM SET ${String(name)} = '${String(value)}'`);
  await server.kill();
  await server.start();
});
after(async () => {
  if (skip !== false) return;
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Somebody in the middle: what it does with each client. */
async function between(meet: (client: Socket) => void): Promise<{ port: number; middle: Server }> {
  const middle = createServer((client) => {
    client.on("error", () => undefined);
    meet(client);
  });
  await new Promise<void>((resolve) => middle.listen(0, "127.0.0.1", resolve));
  return { port: (middle.address() as AddressInfo).port, middle };
}

const toServer = (): Socket => connect(server.port, "127.0.0.1").on("error", () => undefined);

/** The address of the store, which says how the server proves who it is. */
const addressAt = (port: number): string =>
  `${server.url.replace(`:${String(server.port)}/`, `:${String(port)}/`)}?sslmode=verify-full&sslrootcert=${encodeURIComponent(file("team-ca.pem"))}`;

/** Says once that a host is there. */
const beat = async ({ hosts }: Journal): Promise<void> =>
  void (await hosts?.put({
    ...{ id: "host_a", name: "a", boot: "", version: "0.1.0", slots: 1, agents: [], leaseMs: 2_000 },
    ...{ freeMemoryBytes: 0, freeDiskBytes: null, phase: "up" },
  }));

const beats = async (): Promise<readonly number[]> =>
  (await server.query("SELECT beats FROM holdfast.hosts")).map((row) => Number(row["beats"]));

const open = async (
  port: number,
  use: (journal: Journal) => Promise<void> = () => Promise.resolve(),
): Promise<string> => {
  try {
    const journal = await openPostgresJournal({
      url: addressAt(port),
      world: realWorld(),
      timing: { connectMs: 3_000, awayMs: 500 },
    });
    await use(journal);
    await journal.close();
    return "open";
  } catch (error) {
    if (!isFault(error)) throw error;
    return error.message;
  }
};

test(
  "J1 T32 a store whose address asks for a proved server is opened only there: not by somebody with another certificate, not without encryption, and what was said once cannot be said again",
  { skip, timeout: 120_000 },
  async () => {
    assert.equal(await open(server.port), "open");

    const swapped = await between((client) =>
      client.once("data", () => {
        client.write("S");
        new TLSSocket(client, { isServer: true, key: text("thief.key"), cert: text("thief.pem") }).on(
          "error",
          () => undefined,
        );
      }),
    );
    assert.match(await open(swapped.port), /certificate|self-signed|verify/i);

    let received = Buffer.alloc(0);
    const downgraded = await between((client) =>
      client.on("data", (bytes: Buffer) => {
        if (bytes.readInt32BE(4) === SSL_REQUEST) return void client.write("N");
        received = Buffer.concat([received, bytes]);
      }),
    );
    assert.match(await open(downgraded.port), /SSL|TLS|encrypt/i);
    assert.equal(received.length, 0, "nothing is said in the clear");

    const said: Buffer[] = [];
    const listened = await between((client) => {
      const upstream = toServer();
      client.on("data", (bytes: Buffer) => {
        said.push(bytes);
        upstream.write(bytes);
      });
      upstream.on("data", (bytes) => client.write(bytes)).on("close", () => client.destroy());
      client.on("close", () => upstream.destroy());
    });
    assert.equal(await open(listened.port, beat), "open");
    assert.deepEqual(await beats(), [1]);
    assert.ok(!Buffer.concat(said).includes("holdfast"), "nothing of it can be read");
    const again = toServer();
    let answer = Buffer.alloc(0);
    const closed = new Promise<void>((resolve) => again.once("close", () => resolve()));
    again.on("data", (bytes: Buffer) => (answer = Buffer.concat([answer, bytes])));
    again.write(said[0] ?? "");
    await new Promise<void>((resolve) => again.once("data", () => resolve()));
    for (const bytes of said.slice(1)) again.write(bytes);
    await closed;
    assert.notEqual(answer.length, 0);
    assert.deepEqual(await beats(), [1], "the server has done none of it again");
    for (const { middle } of [swapped, downgraded, listened]) middle.close();
  },
);
