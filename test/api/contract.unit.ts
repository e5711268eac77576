import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { openApiDocument } from "../../src/api/openapi/openapi-document.ts";
import type { AnyRoute } from "../../src/api/routes/define-route.ts";
import { EXAMPLES } from "../../src/api/openapi/examples.ts";
import { LOCAL_COMMANDS } from "../../src/api/client/local-commands.ts";
import { parityTable } from "../../src/api/routes/parity.ts";
import { ROUTE_PATHS } from "../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../src/api/routes/route-table.ts";
import { commandTree } from "../../src/cli/shell/command-tree.ts";
import { apiDocument, commandNames } from "../../scripts/docs/api-doc.ts";

const routes: readonly AnyRoute[] = ROUTES;
const document = (): Record<string, unknown> =>
  JSON.parse(JSON.stringify(openApiDocument())) as Record<string, unknown>;

test("O8 the contract is a valid OpenAPI 3.1 document, by a validator of others", async () => {
  const result = await new Validator().validate(document());
  assert.deepEqual(result.errors ?? [], []);
  assert.equal(result.valid, true);
  const broken = await new Validator().validate({
    ...document(),
    paths: { "/runs": { get: { responses: 5 } } },
  });
  assert.equal(broken.valid, false, "the validator does find what is wrong");
});

test("O8 every route of the paths is in the table once, and the other way round", () => {
  assert.deepEqual(routes.map(({ name }) => name).sort(), Object.keys(ROUTE_PATHS).sort());
});

test("O8 the contract is as reviewed (UPDATE_SNAPSHOTS=1 writes it again)", () => {
  const file = path.join(import.meta.dirname, "snapshots", "openapi.json");
  const text = `${JSON.stringify(document(), null, 2)}\n`;
  if (process.env["UPDATE_SNAPSHOTS"] === "1") writeFileSync(file, text);
  assert.ok(
    existsSync(file) && readFileSync(file, "utf8") === text,
    "the contract differs from the snapshot",
  );
});

test("O8 every route has an example, taken from a real server, that its own schemas accept", () => {
  const wrong: string[] = [];
  for (const { name, body, answer } of routes) {
    const example = EXAMPLES[name];
    const answered = answer.safeParse(example?.answer);
    if (example?.answer === undefined || !answered.success) wrong.push(`${name}: ${String(answered.error)}`);
    const asked = body?.safeParse(example?.request);
    if (asked?.success === false) wrong.push(`${name}: ${String(asked.error)}`);
  }
  assert.deepEqual(wrong, [], "UPDATE_SNAPSHOTS=1 npm test -- test/api/examples records them");
  const text = JSON.stringify(EXAMPLES);
  assert.doesNotMatch(text, /\/tmp\/|\/root\b/, "nothing of the machine that they were recorded on");
});

test("O8 every command has a route and a method of the client, or a reason to be local", async () => {
  const tree = await commandTree(() => () => Promise.resolve(), {
    out: () => undefined,
    err: () => undefined,
  });
  const commands = commandNames(tree);
  for (const { command, routes: found, local } of parityTable(commands))
    assert.ok(found.length > 0 !== (local !== null), `${command}: ${found.join(", ")} / ${String(local)}`);
  const unknown = Object.keys(LOCAL_COMMANDS).filter((command) => !commands.includes(command));
  assert.deepEqual(unknown, []);
  const named = routes.flatMap((route) => route.commands).filter((command) => !commands.includes(command));
  assert.deepEqual(named, [], "routes name commands that there are");
});

test("O8 docs/api.md is as `npm run docs` writes it", async () => {
  const file = path.join(import.meta.dirname, "../../docs/api.md");
  assert.ok(readFileSync(file, "utf8") === (await apiDocument()), "npm run docs writes it again");
});
