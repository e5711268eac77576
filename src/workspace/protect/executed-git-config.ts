/** Keys of git's configuration that name a program to be run, or another file to be read as configuration. */
const EXECUTED =
  /^(core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|attributesfile|worktree|alternaterefscommand)|include\..*|includeif\..*|filter\..*|diff\..*\.(command|textconv)|diff\.external|merge\..*\.driver|credential\..*|gpg\..*|alias\..*|pager\..*|sequence\.editor|uploadpack\..*|receive\..*|remote\..*\.(uploadpack|receivepack|vcs)|protocol\..*|url\..*|http\..*|ssh\..*|browser\..*|man\..*|difftool\..*|mergetool\..*|gc\..*command|trailer\..*|submodule\..*\.update|extensions\..*|interactive\.difffilter|init\.templatedir|web\.browser|help\.browser|commit\.template|user\.signingkey)$/;

/**
 * The lines of a git configuration that have something executed, in a form that can be compared. Branches and remotes
 * that are added by everyday commands are not among them. What cannot be read as configuration counts whole.
 */
export function executedGitConfig(text: string): string {
  const found: string[] = [];
  let section = "";
  for (const line of text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const plain = line.trim();
    if (plain === "" || plain.startsWith("#") || plain.startsWith(";")) continue;
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(plain);
    if (header !== null) {
      section = header[2] === undefined ? (header[1] ?? "") : `${header[1] ?? ""}.${header[2]}`;
      if ((header[3] ?? "").trim() === "") continue;
    }
    const setting = header === null ? plain : (header[3] ?? "").trim();
    const [, key] = /^([\w-]+)/.exec(setting) ?? [];
    if (section === "" || key === undefined) found.push(plain);
    else if (EXECUTED.test(`${section}.${key}`.toLowerCase())) found.push(`${section}.${setting}`);
  }
  return found.join("\n");
}
