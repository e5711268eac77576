/** What an agent that may not write does to the real repository by its path, as shell commands in `$REAL`. */
export const SEALED_ACTS: Readonly<Record<string, string>> = {
  "commits to the user's branch":
    'cd "$REAL" && echo evil > evil.txt && git add evil.txt && git commit -qm evil',
  "amends the user's last commit": 'cd "$REAL" && git commit -q --amend -m rewritten',
  "moves a tag": 'cd "$REAL" && git commit -q --allow-empty -m evil && git tag -f v1 >/dev/null',
  "makes an annotated tag": 'cd "$REAL" && git tag -a -m evil evil',
  "makes a branch": 'cd "$REAL" && git branch evil',
  "makes a branch and stays on it":
    'cd "$REAL" && git checkout -qb evil && git commit -q --allow-empty -m evil',
  "resets the user's branch": 'cd "$REAL" && git reset -q --soft HEAD~1',
  "stashes the user's work": 'cd "$REAL" && git stash -q',
  "moves the branch with plumbing":
    'cd "$REAL" && git update-ref refs/heads/main "$(git commit-tree -p main -m evil "main^{tree}")"',
};

/** The same where nothing proves who did it. */
export const UNPROVED_ACTS: Readonly<Record<string, string>> = {
  "edits a file": 'echo evil >> "$REAL/work.txt"',
  "makes a file": 'echo evil > "$REAL/evil.txt"',
  "stages a file": 'cd "$REAL" && git add work.txt',
  "deletes a tag": 'cd "$REAL" && git tag -d v1',
  "commits under another name":
    'cd "$REAL" && env -u GIT_COMMITTER_NAME -u GIT_COMMITTER_EMAIL git -c user.name=Ada -c user.email=ada@example.invalid commit -q --allow-empty -m evil',
  "points HEAD elsewhere with plumbing": 'cd "$REAL" && git symbolic-ref HEAD refs/heads/other',
  "sets a program in git's configuration": 'cd "$REAL" && git config core.fsmonitor /tmp/evil',
  "makes a hook": 'echo "exit 0" > "$REAL/.git/hooks/pre-commit" && chmod +x "$REAL/.git/hooks/pre-commit"',
  "names a filter": 'mkdir -p "$REAL/.git/info" && echo "* filter=evil" > "$REAL/.git/info/attributes"',
};

/** What a person does meanwhile. */
export const PEOPLE_ACTS: Readonly<Record<string, string>> = {
  commits: 'cd "$REAL" && git commit -qam mine',
  "commits and tags": 'cd "$REAL" && git commit -qam mine && git tag -f v1 >/dev/null',
  "switches branches": 'cd "$REAL" && git checkout -qb mine',
  "edits and stages": 'cd "$REAL" && echo mine > mine.txt && git add mine.txt',
  stashes: 'cd "$REAL" && git stash -q',
};
