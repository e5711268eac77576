import { AGENT_OUTPUT, KEEPER_COPIED, KEEPER_COPY } from "./spool/copier-script.ts";
import { KEEPER_CLAIM, KEEPER_REPORT_EXIT } from "./keeper-script.ts";

/**
 * The keeper of an agent that is spoken to: it reads its stdin from a courier, so that the death of a supervisor is not
 * an end of file.
 *
 * 1. A message is a file in `words`. One line in the FIFO `mail` names it; the courier takes it (`.going`), copies it
 *    to the agent, and records that (`.told`). A link is made once: what was taken is never taken again. The line
 *    `end` closes the agent's stdin.
 * 2. The writing end of `mail` is held by the keeper and the agent, so the courier lives as long as either, and leaves
 *    when both are gone, however they went.
 */
export const SPOKEN_TO_SCRIPT = `${KEEPER_CLAIM}
courier() {
  exec 5<"$folder/mail" 4>"$folder/stdin"
  while IFS= read -r name <&5; do
    [ "$name" != end ] || exit 0
    words="$folder/words/$name"
    case $name in '' | *[!0-9a-f]*) continue ;; esac
    ln "$words" "$words.going" && cat "$words" >&4 && ln "$words" "$words.told"
  done
}
if mkfifo -m 600 "$folder/mail" "$folder/stdin"; then
  trap '' HUP INT QUIT TERM PIPE
  courier >/dev/null 2>&1 &
  courier=$!
  printf '%s\\n' "$courier" >"$folder/courier"
  trap : HUP INT QUIT TERM
  trap - PIPE
  ${KEEPER_COPY}
  exec 3>"$folder/mail"
  $low "$@" <"$folder/stdin" ${AGENT_OUTPUT}
  status=$?
  ${KEEPER_COPIED}
  trap "kill -KILL $courier 2>/dev/null" EXIT
else
  status=126
fi
${KEEPER_REPORT_EXIT}`;
