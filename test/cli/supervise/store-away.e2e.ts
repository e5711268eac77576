import assert from "node:assert/strict";
import { postgresMissing, startPostgres } from "../../postgres-server.ts";
import { takesTurns } from "../../turns.ts";
import { CliBench } from "../cli-process.ts";

const { test } = takesTurns(0);
const skip = postgresMissing() ?? false;

/** Shorter than a server that is away is waited for where nobody asks the process to end. */
const ENDS_WITHIN_MS = 50_000;

test("G2 J1 a supervisor whose PostgreSQL server is gone ends when it is asked once", { skip }, async () => {
  const server = await startPostgres();
  const bench = new CliBench();
  try {
    const env = { HOLDFAST_STORE: server.url, HOLDFAST_WATCHDOG: "off" };
    const supervisor = bench.start(["up"], { env });
    await supervisor.prints("supervisor of");
    await server.remove();
    supervisor.child.kill("SIGTERM");
    const late = setTimeout(() => supervisor.child.kill("SIGKILL"), ENDS_WITHIN_MS);
    const { code, signal, stderr } = await supervisor.ended;
    clearTimeout(late);
    assert.deepEqual([code, signal], [6, null], stderr);
    assert.match(
      stderr,
      /cannot be reached: .*; check that it runs and listens there, then try again|has been away for \d+ s/,
    );
  } finally {
    await bench.close();
    await server.remove();
  }
});
