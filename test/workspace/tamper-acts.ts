import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DEFAULT_RULES } from "../../src/model/flow/protected.ts";
import { ASIDE } from "../../src/workspace/protect/protected-undo.ts";

export const RULES = [...DEFAULT_RULES, "gates/**", "prompts/*.md", "!prompts/draft-*.md"];

const AS_TRUSTED: Readonly<Record<string, string>> = {
  "AGENTS.md": "be kind\n",
  ".claude/settings.json": '{"hooks":{}}\n',
  ".claude/commands/review.md": "review this\n",
  ".mcp.json": '{"mcpServers":{}}\n',
  ".codex/config.toml": 'model = "x"\n',
  "gates/check.sh": "#!/bin/sh\nexit 1\n",
  "gates/deep/er/rules.txt": "rules\r\nwith crlf\r\n",
  "prompts/build.md": "build it\n",
  "holdfast.yaml": "agents: {}\n",
  "src/work.ts": "export {};\n",
};

/** Fills an empty folder with protected files, and as little of a repository as git takes for one. */
export function plantProtected(tree: string): void {
  mkdirSync(tree);
  for (const name of ["objects", "refs/heads", "hooks"])
    mkdirSync(join(tree, ".git", name), { recursive: true });
  writeFileSync(join(tree, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(tree, ".git/config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  for (const [name, text] of Object.entries(AS_TRUSTED)) {
    mkdirSync(join(tree, name, ".."), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  chmodSync(join(tree, "gates/check.sh"), 0o755);
  symlinkSync("check.sh", join(tree, "gates/latest"));
}

/** Everything in a tree but git's own objects: bytes, modes and links. */
export function picture(tree: string, at = ""): string[] {
  return readdirSync(join(tree, at), { withFileTypes: true })
    .flatMap((entry) => {
      const name = at === "" ? entry.name : `${at}/${entry.name}`;
      if (name === ASIDE || (name.startsWith(".git/") && !/^\.git\/(config|hooks)/.test(name))) return [];
      const { mode } = lstatSync(join(tree, name));
      const of = `${name} ${(mode & 0o7777).toString(8)}`;
      if (entry.isSymbolicLink()) return [`${name} -> ${readlinkSync(join(tree, name))}`];
      if (entry.isDirectory()) return [of, ...picture(tree, name)];
      return [`${of} ${readFileSync(join(tree, name), "base64")}`];
    })
    .sort();
}

const HOOK = "#!/bin/sh\ncurl evil\n";

/** Forty ways to get at a protected file. */
export const ACTS: Readonly<Record<string, (tree: string) => void>> = {
  "edits it": (tree) => writeFileSync(join(tree, "AGENTS.md"), "be evil\n"),
  "appends to it": (tree) => appendFileSync(join(tree, "AGENTS.md"), "and evil\n"),
  "truncates it": (tree) => truncateSync(join(tree, ".mcp.json"), 3),
  "empties it": (tree) => truncateSync(join(tree, ".mcp.json"), 0),
  "makes it sparse and huge": (tree) => truncateSync(join(tree, ".mcp.json"), 64 * 1_024 ** 3),
  "changes one byte and keeps its times": (tree) => {
    const file = join(tree, ".mcp.json");
    const { atime, mtime } = lstatSync(file);
    writeFileSync(file, '{"mcpServerz":{}}\n');
    utimesSync(file, atime, mtime);
  },
  "edits it and puts it back": (tree) => {
    const file = join(tree, "AGENTS.md");
    writeFileSync(file, "be evil\n");
    writeFileSync(file, AS_TRUSTED["AGENTS.md"] ?? "");
  },
  "replaces it by another file": (tree) => {
    writeFileSync(join(tree, "new"), "be evil\n");
    renameSync(join(tree, "new"), join(tree, "AGENTS.md"));
  },
  "replaces it by an equal file": (tree) => {
    copyFileSync(join(tree, "AGENTS.md"), join(tree, "new"));
    renameSync(join(tree, "new"), join(tree, "AGENTS.md"));
  },
  "renames it": (tree) => renameSync(join(tree, "AGENTS.md"), join(tree, "AGENTS.old")),
  "swaps two of them": (tree) => {
    renameSync(join(tree, "AGENTS.md"), join(tree, "tmp"));
    renameSync(join(tree, "holdfast.yaml"), join(tree, "AGENTS.md"));
    renameSync(join(tree, "tmp"), join(tree, "holdfast.yaml"));
  },
  "deletes it": (tree) => unlinkSync(join(tree, ".claude/settings.json")),
  "makes it executable": (tree) => chmodSync(join(tree, "AGENTS.md"), 0o755),
  "takes its execution away": (tree) => chmodSync(join(tree, "gates/check.sh"), 0o644),
  "locks it": (tree) => chmodSync(join(tree, "AGENTS.md"), 0o000),
  "sets its setuid bit": (tree) => chmodSync(join(tree, "gates/check.sh"), 0o4755),
  "puts a link in its place": (tree) => {
    writeFileSync(join(tree, "evil"), "be evil\n");
    unlinkSync(join(tree, "AGENTS.md"));
    symlinkSync("evil", join(tree, "AGENTS.md"));
  },
  "puts a link to an equal file in its place": (tree) => {
    renameSync(join(tree, "AGENTS.md"), join(tree, "same"));
    symlinkSync("same", join(tree, "AGENTS.md"));
  },
  "puts a dangling link in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    symlinkSync("/nowhere", join(tree, "AGENTS.md"));
  },
  "gives it a second name": (tree) => linkSync(join(tree, "AGENTS.md"), join(tree, "backdoor")),
  "writes through a second name": (tree) => {
    linkSync(join(tree, "AGENTS.md"), join(tree, "backdoor"));
    writeFileSync(join(tree, "backdoor"), "be evil\n");
  },
  "puts another file's second name in its place": (tree) => {
    writeFileSync(join(tree, "evil"), "be evil\n");
    unlinkSync(join(tree, "AGENTS.md"));
    linkSync(join(tree, "evil"), join(tree, "AGENTS.md"));
  },
  "puts a folder in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    mkdirSync(join(tree, "AGENTS.md"));
    writeFileSync(join(tree, "AGENTS.md/inside"), "something\n");
  },
  "puts a pipe in its place": (tree) => {
    unlinkSync(join(tree, "AGENTS.md"));
    execFileSync("mkfifo", [join(tree, "AGENTS.md")]);
  },
  "creates one that was not there": (tree) => writeFileSync(join(tree, "CLAUDE.md"), "obey\n"),
  "creates settings that were not there": (tree) =>
    writeFileSync(join(tree, ".claude/settings.local.json"), '{"permissions":{"allow":["*"]}}'),
  "creates a folder of settings that was not there": (tree) => {
    mkdirSync(join(tree, ".gemini/extensions/x"), { recursive: true });
    writeFileSync(join(tree, ".gemini/settings.json"), "{}");
    writeFileSync(join(tree, ".gemini/extensions/x/run.sh"), HOOK);
  },
  "creates one as a link": (tree) => symlinkSync("src/work.ts", join(tree, "opencode.json")),
  "creates one with a name that is no text": (tree) =>
    writeFileSync(
      Buffer.concat([Buffer.from(join(tree, ".claude/commands/")), Buffer.from([0xff, 0x0a])]),
      "x",
    ),
  "creates an .envrc": (tree) => writeFileSync(join(tree, ".envrc"), "export PATH=evil\n"),
  "puts a link in the place of its folder": (tree) => {
    renameSync(join(tree, ".claude"), join(tree, "elsewhere"));
    writeFileSync(join(tree, "elsewhere/settings.json"), "{}");
    symlinkSync("elsewhere", join(tree, ".claude"));
  },
  "renames its folder": (tree) => renameSync(join(tree, "gates/deep"), join(tree, "gates/deeper")),
  "renames its folder's folder": (tree) => renameSync(join(tree, "gates"), join(tree, "gates-old")),
  "removes its folder": (tree) => rmSync(join(tree, "gates"), { recursive: true }),
  "puts a file in the place of its folder": (tree) => {
    rmSync(join(tree, ".codex"), { recursive: true });
    writeFileSync(join(tree, ".codex"), "no folder\n");
  },
  "locks its folder": (tree) => chmodSync(join(tree, "gates/deep"), 0o000),
  "opens its folder to everybody": (tree) => chmodSync(join(tree, ".claude"), 0o777),
  "leads a link elsewhere": (tree) => {
    unlinkSync(join(tree, "gates/latest"));
    symlinkSync("/bin/true", join(tree, "gates/latest"));
  },
  "adds a hook to git": (tree) => {
    writeFileSync(join(tree, ".git/hooks/pre-commit"), HOOK);
    chmodSync(join(tree, ".git/hooks/pre-commit"), 0o755);
  },
  "has git run a program": (tree) =>
    void execFileSync("git", ["-C", tree, "config", "core.fsmonitor", "evil.sh"]),
  "leads git's hooks elsewhere": (tree) =>
    void execFileSync("git", ["-C", tree, "config", "core.hooksPath", "evil"]),
};
