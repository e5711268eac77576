import path from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import { Fault } from "../../../model/fault.ts";
import { type Bind, EXIT, examples } from "../../shell/define-command.ts";
import { onInterrupt, type Interrupt } from "../../run/interrupts.ts";
import type { Invocation } from "../../shell/invocation.ts";

interface ModelOptions {
  readonly script?: string;
  readonly port: number;
  readonly log?: string;
}

export function addChaos(parent: Command, bind: Bind): void {
  const command = parent
    .command("chaos")
    .summary("make things go wrong on purpose")
    .description("Makes things go wrong on purpose, to see what becomes of runs and agents.");
  command.addHelpText(
    "after",
    examples(
      ["chaos model --script hello.yaml", "a model that says what a file wants"],
      ["chaos model --help", "what such a file may hold"],
    ),
  );
  command
    .command("model")
    .summary("a fake model that answers, stalls and fails by a script")
    .description(
      "Is a model provider on 127.0.0.1 that real agents can be aimed at: Anthropic Messages, OpenAI Responses and Chat Completions, and Gemini. A script says what it answers, turn by turn, and how it fails meanwhile. Any key is accepted and none is recorded. Lasts until it is interrupted.",
    )
    .option("--script <file>", "what it says and how it fails (YAML or JSON; see docs/chaos.md)")
    .option("--port <number>", "where it listens; otherwise any port that is free", readPort, 0)
    .option("--log <file>", "append one JSON line per request")
    .addHelpText(
      "after",
      examples(
        ["chaos model --script hello.yaml", "say where it listens, then each request"],
        [
          "chaos model --script hello.yaml --port 8400 --log requests.jsonl",
          "at a known address, with a record",
        ],
        ["chaos model --script hello.yaml --json", "JSON Lines: the address, then each request"],
      ),
    )
    .action(bind(beModel));
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError(`"${text}" is no port; expected a whole number from 0 to 65535.`);
}

async function beModel(call: Invocation, { script, port, log }: ModelOptions): Promise<number> {
  const { loadModelScript } = await import("../../config/load-model-script.ts");
  const { startModelServer } = await import("../../../chaos/model-server.ts");
  const { output, surroundings } = call;
  // Not the parser's own rule, which would outrank a misspelt option and so hide it.
  if (script === undefined) throw new Fault("usage", "a model needs a script; name its file with --script");
  const fromHere = (file: string): string => path.resolve(surroundings.cwd, file);
  const server = await startModelServer({
    script: loadModelScript(fromHere(script)),
    port,
    ...(log === undefined ? {} : { log: fromHere(log) }),
    onRequest: (request) => {
      output.record({ request });
      const { as, method, path: where, position, fault, status, refusal } = request;
      const turn = position === null ? "" : ` turn ${String(position)}`;
      const how = refusal ?? fault ?? String(status);
      output.line(`${method} ${where}: ${as}${turn}, ${how}`);
    },
  });
  output.record({ url: server.url });
  output.line(`a scripted model listens at ${server.url} until it is interrupted; aim agents at it with`);
  for (const line of aims(server.url)) output.line(`  ${line}`);
  const signal = await interrupted(call);
  await server.close();
  return signal === "SIGINT" ? EXIT.interrupted : EXIT.done;
}

const aims = (url: string): readonly string[] => [
  `ANTHROPIC_BASE_URL=${url} ANTHROPIC_API_KEY=any`,
  `OPENAI_BASE_URL=${url}/v1 OPENAI_API_KEY=any`,
  `GOOGLE_GEMINI_BASE_URL=${url} GEMINI_API_KEY=any`,
];

function interrupted({ output }: Invocation): Promise<Interrupt | null> {
  return new Promise((resolve) => {
    const quiet = onInterrupt((signal) => {
      quiet();
      resolve(signal);
    });
    output.onUnread(() => resolve(null));
  });
}
