/** Marks everything a check starts, wherever it goes: how it is found again. */
export const CHECK_VARIABLE = "HOLDFAST_CHECK";

/**
 * Becomes the check, after leaving a watcher behind. Arguments: the check's mark, then its command.
 *
 * 1. The watcher reads descriptor 3, whose other end only the supervisor's process holds. At its end of file, that
 *    process is gone, however it went: everything that bears the mark is killed, and then the group, itself included.
 * 2. It is started before the command, is no child of it, holds none of its output and is deaf to polite signals: it
 *    stays to the end, and keeps the number of the group from being used again while it does.
 * 3. It is forked before the mark is set, so it does not bear it.
 * 4. The command takes this process's place: whoever waits for it learns exactly how it ended.
 */
export const CHECK_SCRIPT = `
mark=${CHECK_VARIABLE}=$1
trap '' HUP INT QUIT TERM
( (
  while read -r word <&3; do :; done
  rounds=0
  while [ "$rounds" -lt 50 ]; do
    left=$(grep -lsaF -- "$mark" /proc/[0-9]*/environ)
    [ -n "$left" ] || break
    for file in $left; do
      pid=\${file#/proc/}
      kill -s KILL "\${pid%/environ}"
    done
    rounds=$((rounds + 1))
  done
  kill -s KILL -- "-$$"
) </dev/null >/dev/null 2>&1 & )
trap - HUP INT QUIT TERM
${CHECK_VARIABLE}=$1
export ${CHECK_VARIABLE}
exec $low /bin/sh -c "$2" 3<&-
`;
