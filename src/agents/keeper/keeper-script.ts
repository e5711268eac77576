import { AGENT_OUTPUT, KEEPER_COPIED, KEEPER_COPY } from "./spool/copier-script.ts";

/** How a keeper ends that could not write its identity: nothing has begun. */
export const COULD_NOT_WRITE = 73;

/**
 * The keeper: the smallest process that can hold an agent after its supervisor is gone (a shell weighs about 1 MB).
 *
 * Arguments: the session's folder, a nonce for the names of drafts, this host as a JSON string, then the agent's
 * command. Before the script stands `lowPriority`, which sets the words by which the agent is started.
 * 1. It becomes the session's keeper by linking its identity, complete, into place; who comes second leaves without a
 *    word.
 * 2. It survives polite signals to its group, to report how the agent ended. They are trapped, not ignored: what a
 *    shell ignores its children ignore too.
 * 3. The agent runs in its foreground: a shell makes background commands deaf to interrupts.
 * 4. The exit status is written in one call, after the agent's last word is in the spool, and by the shell itself:
 *    another process for it could be taken for one of the agent's and be ended with them. Where the disk is full it is
 *    tried again: until it is reported, the keeper lives, and nobody takes the agent's end for an unknown one.
 * 5. What the agent left in a temporary folder of its own is removed.
 * 6. It holds the FIFO `held` open, and so does what it starts: somebody to whom its pids say nothing, in another
 *    container, sees by it whether anything of the session is left.
 *
 * 7. What its copier is to look for comes in its environment, and is not handed on to the agent.
 *
 * The start time must read exactly as `process-table.ts` reads it.
 */
export const KEEPER_CLAIM = `
folder=$1 nonce=$2 host=$3 sift=\${HOLDFAST_SIFT-}
unset HOLDFAST_SIFT
shift 3
trap : HUP INT QUIT TERM
twentieth() { shift 19; printf %s "$1"; }
space=
if [ -r "/proc/$$/stat" ]; then
  space=$(readlink /proc/self/ns/pid 2>/dev/null)
  IFS= read -r stat <"/proc/$$/stat"
  IFS= read -r boot </proc/sys/kernel/random/boot_id
  started="$boot:$(twentieth \${stat##*) })"
else
  started=$(LC_ALL=C TZ=UTC ps -o lstart= -p "$$")
  started=$(printf '%s ' $started)
  started=\${started% }
fi
[ -z "$space" ] || space=$(printf ',"space":"%s"' "$space")
[ -e "$folder/identity" ] || mkfifo -m 600 "$folder/held" 2>/dev/null
[ ! -p "$folder/held" ] || exec 8<>"$folder/held"
draft="$folder/identity.$nonce"
printf '{"host":%s,"pid":%s,"startedAt":"%s"%s}\\n' "$host" "$$" "$started" "$space" >"$draft" || exit ${String(COULD_NOT_WRITE)}
if ln "$draft" "$folder/identity" 2>/dev/null; then
  rm -f "$draft"
else
  rm -f "$draft"
  [ -e "$folder/identity" ] || exit ${String(COULD_NOT_WRITE)}
  exit 0
fi
`;
export const KEEPER_REPORT_EXIT = `
rm -f "$folder/held"
until printf '%s\\n' "$status" >"$folder/exit" 2>/dev/null; do
  [ -d "$folder" ] || break
  sleep 0.2
done
[ ! -d "$folder/tmp" ] || rm -rf "$folder/tmp"
`;
export const KEEPER_SCRIPT = `${KEEPER_CLAIM}${KEEPER_COPY}$low "$@" ${AGENT_OUTPUT}
status=$?
${KEEPER_COPIED}${KEEPER_REPORT_EXIT}`;
