import path from "node:path";
import { plainTextIfAny } from "../../files/plain-file.ts";
import { homeFolder } from "../shell/surroundings.ts";

const FILE_BYTES_MAX = 2 ** 20;

/**
 * The person who works here, as git would name them: by the environment, the repository or the home. Read as text: git
 * itself would follow includes, which a repository may name.
 */
export function gitAuthor(cwd: string, env: NodeJS.ProcessEnv): string | undefined {
  const home = homeFolder(env);
  const files = [
    path.join(cwd, ".git", "config"),
    path.join(home, ".gitconfig"),
    path.join(env["XDG_CONFIG_HOME"] ?? path.join(home, ".config"), "git", "config"),
  ].map(userSection);
  const name = env["GIT_AUTHOR_NAME"] ?? files.find((user) => user.name !== undefined)?.name;
  const email = env["GIT_AUTHOR_EMAIL"] ?? files.find((user) => user.email !== undefined)?.email;
  if (name === undefined || email === undefined) return undefined;
  const author = `${name.trim()} <${email.trim()}>`;
  return /^[^<>\n]+ <[^<>\s]+>$/.test(author) ? author : undefined;
}

interface User {
  readonly name?: string;
  readonly email?: string;
}

function userSection(file: string): User {
  const text = plainTextIfAny(file, { bytesMax: FILE_BYTES_MAX, links: "follow" });
  if (text === undefined) return {};
  const user: { name?: string; email?: string } = {};
  let section = "";
  for (const line of text.split("\n")) {
    section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]?.trim().toLowerCase() ?? section;
    const [, key, written] = /^(name|email)\s*=(.*)$/i.exec(line.trim()) ?? [];
    if (section !== "user" || key === undefined || written === undefined) continue;
    const value = written.trim();
    const plain = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1]?.replace(/\\(.)/g, "$1");
    user[key.toLowerCase() as keyof User] = plain ?? (value.split(/[#;]/, 1)[0] ?? "").trimEnd();
  }
  return user;
}
