import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

const below = (home: string | undefined, name: string): string | undefined =>
  home === undefined || home === "" ? undefined : path.join(home, name);

/** Where agents keep their conversations, by the environment that they are started in. */
export const LEDGER_HOMES = {
  claude: ({ CLAUDE_CONFIG_DIR: own, HOME: home }: Environment) => own ?? below(home, ".claude"),
  codex: ({ CODEX_HOME: own, HOME: home }: Environment) => own ?? below(home, ".codex"),
  gemini: ({ GEMINI_CLI_HOME: own, HOME: home }: Environment) => below(own ?? home, ".gemini"),
  data: ({ XDG_DATA_HOME: own, HOME: home }: Environment) => own ?? below(home, path.join(".local", "share")),
} as const;
