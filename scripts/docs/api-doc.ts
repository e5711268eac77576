// Writes docs/api.md from the table of routes and the tree of commands.
import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import type { AnyRoute } from "../../src/api/routes/define-route.ts";
import { parityTable } from "../../src/api/routes/parity.ts";
import { API_PREFIX, ROUTE_PATHS } from "../../src/api/routes/route-paths.ts";
import { ROUTES } from "../../src/api/routes/route-table.ts";
import { commandTree } from "../../src/cli/shell/command-tree.ts";

const HEAD = `# The API

<!-- Written by \`npm run docs\`; the text stands in scripts/docs/api-doc.ts. -->

\`holdfast serve\` serves the API of a store, \`holdfast up\` serves it beside the supervisor in a process of its own, and \`holdfast dashboard\` prints a login URL for a browser. With \`--json\` the first line says where: \`{"url","socket","tokenFile"}\`; the same stands in \`api.json\` of the state folder and in \`holdfast status\`.

\`\`\`sh
curl -H "Authorization: Bearer $(cat "$TOKEN_FILE")" "$URL/api/v1/runs"
\`\`\`

## A run with curl

<!-- not executed: it needs an agent and its account; test/api plays the same with scripted agents -->
\`\`\`sh
holdfast up --detach --json > api.json        # {"url","socket","tokenFile"}
API=$(jq -r .url api.json)${API_PREFIX}
ask() { curl -s -H "Authorization: Bearer $(cat "$(jq -r .tokenFile api.json)")" -H "Content-Type: application/json" "$@"; }

ask $API/runs -H "Idempotency-Key: first-try" -d '{"id":"mail-1","goal":"fix the failing tests","agent":"claude","approve":"completion"}'
ask -N "$API/stream?run=mail-1&from=start"    # what happens, as it happens
ask $API/inbox                                # what waits for you, with its digest
ask $API/runs/mail-1/requests -d '{"kind":"approve","digest":"1f61fe53f41d"}'
ask $API/runs/mail-1 -H "Accept: text/plain"  # as \`holdfast status\` prints it
\`\`\`

## Who may ask

Every route but \`health\` needs a token in \`Authorization: Bearer\`, or the session of a browser. The owner's token stands in \`tokenFile\`; others are made with \`holdfast token create NAME --role viewer|operator|admin --expires 30d\`. A login URL is good once, for one minute; it sets a cookie that pages of other origins cannot use. The session that it begins lasts seven days, also when the server is started again, and no longer than its token. What is asked is recorded with the name of the token and the address it came from (\`principal.via\` of \`RequestHeard\`). A token does not prove who a person is: gates that ask for a proof need a signature (\`proof\`) as well.

Agents do not use the API: a request that carries an agent's identity is refused. On Linux the server looks whose process is at the other end of a connection from its own machine; where that is an agent's, its requests to runs are recorded as the agent's, with "principal not proven", and decided as they are for the command line, and every other write is refused. In a sandbox there is no token to read and no socket to connect to. See [docs/gates.md](gates.md#how-far-this-goes) for what cannot be found.

Requests with a body are \`application/json\`. A request of another origin, for another host, or of another type is refused. On addresses that other machines can reach the server starts only with TLS (\`--tls-cert\`, \`--tls-key\`) or behind a proxy (\`--behind-proxy https://NAME\`), and with a named token. By TLS it answers to the names and addresses of its certificate (\`subjectAltName\`, without wildcards).

## Answers

An answer is the document that the command prints with \`--json\`; with \`Accept: text/plain\` it is the people's text. What is refused is a problem document (RFC 9457) with \`code\` (our fault code), \`detail\`, \`expected\` and \`command\`, the command that helps. The header \`Holdfast-Exit-Code\` is the exit code of the command.

Every write takes an \`Idempotency-Key\`. Asked again with it, it is done once and answered as it was, with the header \`Idempotent-Replayed: true\`; the same key with another request, or by another token, is refused. This holds although the server was killed meanwhile: what was begun and not answered is gone on with, and not done twice. Of requests to runs the key becomes the id in the journal. Keys are remembered for a day on the machine that serves (\`api/writes\` of the state folder, without secrets). A login URL ends with its server: asked again of the next one it is another one. A refusal is an answer as well: to try again, use another key.

## The stream

\`GET ${API_PREFIX}/stream\` sends what is appended to journals, as server-sent events. Each has an \`id\`, an opaque cursor; with it as \`Last-Event-ID\`, or \`after\`, the stream goes on behind that event, without a gap and without repeating one. Events of one run come in their order. The first message is \`event: ready\`, with a cursor. Large results are left out of events (\`apart\`); the pages of events have them. A reader that takes nothing for 15 seconds is cut off, and goes on with its cursor. A cursor that is not known any more is answered with 404 and \`details.reason: "cursor_gone"\`.

## Limits

| what | limit |
|---|---|
| a body | 256 KB, and 32 MB for \`assess\` and \`import\`; all of it within 10 s |
| the head of a request | 64 KB, within 10 s |
| an answer | must be taken within 60 s |
| connections, streams | 4,096, of which 1,500 streams |
| requests worked on at once | 256; one more is answered with \`store_busy\` |
| wrong tokens of one address | 10 at once, then one in 2 s; a valid token is always accepted |

Ctrl-C or \`TERM\` ends a server: streams end at once, requests under way have 5 s. One server serves a store of a state folder: a second one is refused with exit code 5. Where port 4377 is in use and none was named, any free one is taken, and said so; a named one that is in use is refused with exit code 2.

## The client

<!-- not executed: it needs a server and a blocked run; test/api calls the same client against a real server -->
\`\`\`ts
import { holdfastClient } from "holdfast/client";

const api = holdfastClient({ url: "http://127.0.0.1:4377", token });
const { runs } = await api.listRuns({ query: { status: "blocked" } });
await api.ask({ params: { run: "mail-1" }, body: { kind: "retry" } }, { idempotencyKey: crypto.randomUUID() });
for await (const event of api.stream({ runs: ["mail-1"] })) console.log(event.type);
\`\`\`

It runs in Node and in browsers and needs no other package. A method of the client has the name of its route.
`;

const routes: readonly AnyRoute[] = ROUTES;

function routeRows(): string[] {
  return routes.map((route) => {
    const [method, path] = ROUTE_PATHS[route.name];
    return `| \`${route.name}\` | \`${method} ${path}\` | ${route.role ?? "nobody's"} | ${route.summary} |`;
  });
}

/** Every command, with those below it. */
export function commandNames(command: Command, above = ""): string[] {
  return command.commands
    .filter((one) => one.name() !== "help")
    .flatMap((one) => [`${above}${one.name()}`, ...commandNames(one, `${above}${one.name()} `)]);
}

async function parityRows(): Promise<string[]> {
  const silent = { out: () => undefined, err: () => undefined };
  const tree = await commandTree(() => () => Promise.resolve(), silent);
  return parityTable(commandNames(tree).sort()).map(({ command, routes: found, local }) => {
    const cell = found.map((name) => `\`${name}\``).join(", ");
    const names = found.map((name) => `\`api.${name}\``).join(", ");
    return `| \`${command}\` | ${cell || "–"} | ${names || "–"} | ${local ?? ""} |`;
  });
}

export async function apiDocument(): Promise<string> {
  return [
    HEAD,
    "## Routes",
    "",
    `Paths begin with \`${API_PREFIX}\`. The contract with all schemas, and an example of each request and answer, is at \`${API_PREFIX}/openapi.json\` (OpenAPI 3.1).`,
    "",
    "| name | route | role | does |",
    "|---|---|---|---|",
    ...routeRows(),
    "",
    "## Commands, routes, methods",
    "",
    "| command | route | method of the client | local, because it |",
    "|---|---|---|---|",
    ...(await parityRows()),
    "",
  ].join("\n");
}

if (realpathSync(process.argv[1] ?? "") === import.meta.filename)
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", "api.md"), await apiDocument());
