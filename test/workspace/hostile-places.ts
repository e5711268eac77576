import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** A way in which a repository, a home or an environment makes git run a program. */
export interface HostilePlace {
  readonly name: string;
  plant(place: Planting): void;
}

export interface Planting {
  readonly project: string;
  /** What git is told to run; it leaves a file of its name behind. */
  readonly canary: string;
  /** A home folder that becomes the supervisor's. */
  readonly home: string;
  /** Variables that become the supervisor's. */
  readonly env: Record<string, string>;
}

const HOOKS = [
  ...[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "post-applypatch",
    "post-checkout",
    "post-commit",
  ],
  ...["post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch"],
  ...["pre-auto-gc", "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "prepare-commit-msg"],
  ...["proc-receive", "push-to-checkout", "reference-transaction", "update"],
];

const config = ({ project }: Planting, text: string): void =>
  appendFileSync(path.join(project, ".git", "config"), `${text}\n`);

const attributes = ({ project }: Planting, line: string): void =>
  appendFileSync(path.join(project, ".gitattributes"), `${line}\n`);

function hooksIn(folder: string, canary: string): void {
  mkdirSync(folder, { recursive: true });
  for (const hook of HOOKS) {
    writeFileSync(path.join(folder, hook), `#!/bin/sh\nexec ${canary}\n`);
    chmodSync(path.join(folder, hook), 0o755);
  }
}

const quiet = (name: string, section: string, lines: (canary: string) => string[]): HostilePlace => ({
  name,
  plant: (place) => {
    config(place, [`[${section}]`, ...lines(place.canary).map((line) => `\t${line}`)].join("\n"));
  },
});

/** Those of one list do not hide each other. */
export const HOSTILE: readonly (readonly HostilePlace[])[] = [
  [
    quiet("core.fsmonitor", "core", (canary) => [`fsmonitor = ${canary}`]),
    {
      name: "hooks of the repository",
      plant: (p) => hooksIn(path.join(p.project, ".git", "hooks"), p.canary),
    },
    {
      name: "filter.clean and filter.smudge",
      plant: (p) => {
        config(p, `[filter "evil"]\n\tclean = ${p.canary}\n\tsmudge = ${p.canary}\n\trequired = true`);
        attributes(p, "*.txt filter=evil");
      },
    },
    {
      name: "diff.textconv",
      plant: (p) => {
        config(p, `[diff "evil"]\n\ttextconv = ${p.canary}\n\tbinary = true`);
        attributes(p, "*.md diff=evil");
      },
    },
    {
      name: "merge.driver",
      plant: (p) => {
        config(p, `[merge "evil"]\n\tdriver = ${p.canary}`);
        attributes(p, "* merge=evil");
      },
    },
    quiet("gpg.program with signed commits and tags", "gpg", (canary) => [`program = ${canary}`]),
    quiet("commit.gpgSign", "commit", () => ["gpgSign = true"]),
    quiet("log.showSignature", "log", () => ["showSignature = true"]),
    quiet("core.sshCommand", "core", (canary) => [`sshCommand = ${canary}`]),
    quiet("core.pager and core.editor", "core", (canary) => [`pager = ${canary}`, `editor = ${canary}`]),
    quiet("credential.helper", "credential", (canary) => [`helper = !${canary}`]),
    quiet("core.askPass and core.gitProxy", "core", (canary) => [
      `askPass = ${canary}`,
      `gitProxy = ${canary}`,
    ]),
    quiet("core.alternateRefsCommand", "core", (canary) => [`alternateRefsCommand = ${canary}`]),
    quiet("uploadpack.packObjectsHook", "uploadpack", (canary) => [`packObjectsHook = ${canary}`]),
    quiet("trailer.command", 'trailer "sign"', (canary) => [`command = ${canary}`, "ifmissing = add"]),
    quiet("url.insteadOf to ext::", 'url "ext::sh -c evil%20"', () => [`insteadOf = /`]),
    {
      name: "a home with hostile configuration",
      plant: (p) => {
        const text = `[core]\n\tfsmonitor = ${p.canary}\n\thooksPath = ${p.home}/hooks\n[protocol "ext"]\n\tallow = always\n`;
        writeFileSync(path.join(p.home, ".gitconfig"), text);
        mkdirSync(path.join(p.home, ".config", "git"), { recursive: true });
        writeFileSync(path.join(p.home, ".config", "git", "config"), text);
        hooksIn(path.join(p.home, "hooks"), p.canary);
        p.env["HOME"] = p.home;
        p.env["XDG_CONFIG_HOME"] = path.join(p.home, ".config");
      },
    },
  ],
  [
    {
      name: "core.hooksPath",
      plant: (p) => {
        hooksIn(path.join(p.project, "evil-hooks"), p.canary);
        config(p, `[core]\n\thooksPath = ${path.join(p.project, "evil-hooks")}`);
      },
    },
    {
      name: "filter.process",
      plant: (p) => {
        config(p, `[filter "evil"]\n\tprocess = ${p.canary}\n\trequired = true`);
        attributes(p, "*.txt filter=evil");
        mkdirSync(path.join(p.project, ".git", "info"), { recursive: true });
        writeFileSync(path.join(p.project, ".git", "info", "attributes"), "*.txt filter=evil\n");
      },
    },
    quiet("diff.external", "diff", (canary) => [`external = ${canary}`]),
    {
      name: "include.path and includeIf",
      plant: (p) => {
        writeFileSync(path.join(p.project, "included"), `[core]\n\tfsmonitor = ${p.canary}\n`);
        config(p, `[include]\n\tpath = ../included\n[includeIf "gitdir:/"]\n\tpath = ../included`);
      },
    },
    {
      name: "a promisor remote that speaks ext::",
      plant: (p) => {
        config(
          p,
          `[extensions]\n\tpartialClone = evil\n[core]\n\trepositoryformatversion = 1\n[remote "evil"]\n\turl = ext::${p.canary}\n\tpromisor = true\n[protocol "ext"]\n\tallow = always`,
        );
      },
    },
    {
      name: "configuration of the worktree",
      plant: (p) => {
        config(p, `[extensions]\n\tworktreeConfig = true`);
        writeFileSync(path.join(p.project, ".git", "config.worktree"), `[core]\n\tfsmonitor = ${p.canary}\n`);
      },
    },
    {
      name: "aliases of every command",
      plant: (p) => {
        const names = [
          "status",
          "add",
          "cat-file",
          "update-ref",
          "fast-import",
          "ls-tree",
          "rev-list",
          "repack",
        ];
        config(p, `[alias]\n${names.map((name) => `\t${name} = !${p.canary}`).join("\n")}`);
      },
    },
    {
      name: "variables of the environment",
      plant: (p) => {
        Object.assign(p.env, {
          GIT_EXTERNAL_DIFF: p.canary,
          GIT_SSH_COMMAND: p.canary,
          GIT_SSH: p.canary,
          GIT_EDITOR: p.canary,
          GIT_PAGER: p.canary,
          GIT_ASKPASS: p.canary,
          GIT_PROXY_COMMAND: p.canary,
          GIT_CONFIG_COUNT: "1",
          GIT_CONFIG_KEY_0: "core.fsmonitor",
          GIT_CONFIG_VALUE_0: p.canary,
          GIT_CONFIG_PARAMETERS: `'core.fsmonitor'='${p.canary}'`,
          GIT_DIR: path.join(p.project, ".git"),
          GIT_WORK_TREE: p.project,
          GIT_INDEX_FILE: path.join(p.project, ".git", "index"),
          GIT_TEMPLATE_DIR: path.join(p.project, "evil-hooks"),
        });
      },
    },
    {
      name: "programs in the tree and a PATH that names it",
      plant: (p) => {
        for (const name of ["git", "git-remote-ext", "git-update-ref", "ssh", "gpg", "false", "cat"]) {
          writeFileSync(path.join(p.project, name), `#!/bin/sh\nexec ${p.canary}\n`);
          chmodSync(path.join(p.project, name), 0o755);
        }
        p.env["PATH"] = `.::${process.env["PATH"] ?? ""}`;
      },
    },
    {
      name: "a nested repository and a submodule with commands",
      plant: (p) => {
        const nested = path.join(p.project, "nested");
        mkdirSync(path.join(nested, ".git", "objects"), { recursive: true });
        mkdirSync(path.join(nested, ".git", "refs"));
        writeFileSync(path.join(nested, ".git", "HEAD"), "ref: refs/heads/main\n");
        writeFileSync(path.join(nested, ".git", "config"), `[core]\n\tfsmonitor = ${p.canary}\n`);
        hooksIn(path.join(nested, ".git", "hooks"), p.canary);
        writeFileSync(path.join(nested, "file.txt"), "nested\n");
        writeFileSync(
          path.join(p.project, ".gitmodules"),
          `[submodule "nested"]\n\tpath = nested\n\turl = ext::${p.canary}\n\tupdate = !${p.canary}\n`,
        );
      },
    },
  ],
];

/** A program that leaves a file behind whenever it is run, and says nothing. */
export function makeCanary(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const slug = name.replaceAll(/[^a-z0-9]+/gi, "-");
  const file = path.join(folder, `canary-${slug}`);
  writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> ${path.join(folder, `ran-${slug}`)}\nexit 0\n`);
  chmodSync(file, 0o755);
  return file;
}

export const canariesThatRan = (folder: string): string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith("ran-")) : [];
