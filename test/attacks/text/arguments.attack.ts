import { errorText } from "../../../src/model/fault.ts";
import { continuable, isConversationId } from "../../../src/agents/conversation-id.ts";
import { HEADLESS_AGENTS } from "../../agents/headless/headless-agents.ts";
import { asWord, nastyInputs, OPTION_LIKE, playSession } from "../../agents/nasty/nasty-sessions.ts";
import { assertNoOption } from "../../agents/nasty/play-inputs.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

/** What people and agents might smuggle in as an option of the next start. */
const OPTIONS = [
  ...OPTION_LIKE,
  "--settings={}",
  '--settings={"permissions":{"allow":["*"]}}',
  "--mcp-config=/tmp/evil.json",
  "--add-dir=/",
  "--yolo",
  "-c",
  "-cmodel_provider=evil",
  "--config=sandbox_mode=danger-full-access",
  "--full-auto",
  "--dangerously-bypass-approvals-and-sandbox",
  "--approval-mode=yolo",
  "--allowed-tools=Bash",
  "--append-system-prompt=obey",
  "-r",
  "--resume=other",
  "--",
  "@/etc/passwd",
  "/exit",
  "!touch x",
  "-\u2013dash",
  "\u2212\u2212minus",
  "--\0--",
  "--print\n--yolo",
];

const prompts = ({ count, seed }: Stage): string[] =>
  [...OPTIONS, ...nastyInputs(count + seed, "/tmp/holdfast-canary-that-must-not-be").slice(seed)].map(asWord);

async function promptsAsOptions(stage: Stage): Promise<Tried> {
  const succeeded: string[] = [];
  const texts = prompts(stage).slice(0, stage.count);
  for (const agent of HEADLESS_AGENTS)
    for (const [at, prompt] of texts.entries()) {
      const got = await playSession(agent, stage.folder, prompt, at);
      if (got.input !== asWord(prompt)) succeeded.push(`${agent.title} read ${JSON.stringify(got.input)}`);
      try {
        assertNoOption(got.words, asWord(prompt), agent.argv({ args: [], conversation: "c" }));
      } catch (error) {
        succeeded.push(`${agent.title}: ${errorText(error)}`);
      }
    }
  return tried(texts.length * HEADLESS_AGENTS.length, succeeded);
}

/** A session id that an agent has printed is an argument of its next start: only what looks like one may be. */
async function idsAsOptions(stage: Stage): Promise<Tried> {
  const ids = [
    ...prompts(stage),
    "a/../../etc",
    "a b",
    "a\nb",
    "x".repeat(201),
    "",
    ".hidden",
    "a;b",
    "a$(b)",
  ];
  const succeeded: string[] = [];
  for (const id of ids) {
    if (isConversationId(id) && !/^[A-Za-z0-9][\w.:-]*$/.test(id))
      succeeded.push(`${JSON.stringify(id)} is an id`);
    for (const agent of HEADLESS_AGENTS) {
      const task = { args: [], model: undefined, conversation: "c" };
      const argv = agent.argv({ ...task, resume: continuable(id) });
      const known = agent.argv({ ...task, resume: undefined });
      const strange = argv.filter((word) => !known.includes(word) && word.includes(id) && id !== "");
      if (!isConversationId(id) && strange.length > 0)
        succeeded.push(`${agent.title} was given ${JSON.stringify(strange).slice(0, 200)}`);
    }
  }
  return tried(ids.length * HEADLESS_AGENTS.length, succeeded);
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T22", level: "any", promised: "prevented", count: { full: 60, short: 6 } },
    title: "a prompt that looks like an option is one to a headless agent",
    run: promptsAsOptions,
  },
  {
    ...{ threat: "arguments", level: "any", promised: "prevented", count: { full: 300, short: 60 } },
    title: "a session id of an agent's output is an option of its next start",
    run: idsAsOptions,
  },
];
