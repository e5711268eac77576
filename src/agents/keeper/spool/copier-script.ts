import { SIFT_FIFO_IN_PERL, SIFT_IN_PERL } from "./sift-script.ts";
import { KEPT_BYTES, LAST_BYTES } from "./spool-quota.ts";

/**
 * The copier: appends what the agent writes to its stdout and stderr to the session's spools.
 *
 * The agent writes into FIFOs, so that reopening /dev/stdout, which a shell does with truncation, harms nothing.
 * The keeper and everything it starts hold both ends of them: a copier that dies takes nothing along, and nobody is
 * ended by a broken pipe. What was not yet copied waits in the FIFO (256 KB; then the agent's writes wait) for the next
 * copier, which may be started by anybody who finds the folder.
 *
 * 1. Bytes move from FIFO to spool inside the kernel (splice), under a lock of the spool, always to its end. So a
 *    copier may be killed at any instant and several may work at once: a byte is in the FIFO or in the spool, in order.
 *    A disk that refuses them leaves them in the FIFO.
 * 2. While the FIFO `copying` has a writer, which is the keeper alone, the agent runs. When it has none, the copier
 *    moves what is in the FIFOs at that moment and its parent process ends, with 0: that much is in the spools. It goes
 *    on as a child of nobody while a process that the agent left behind holds its output open.
 * 3. Its reading end of `copying` shows to others that a copier lives.
 * 4. A session whose folder was deleted has nobody any more who could find it. The copier notices that its spool has no
 *    name left and ends the agent: politely, and after 10 s firmly, as a process group.
 * 5. A spool has a quota, in the session's file `quota`. Beyond it the copier keeps what was printed first, up to the
 *    quota, and the last 4 to 8 MB: it punches a hole into the file between them. Offsets stay what they are, so the
 *    one that reads goes on as before, and a copier that is killed leaves a hole that is too small, which the next one
 *    makes larger. A hole ends `KEPT_BYTES` before the end, and readers stay within `LAST_BYTES` of it. What was last
 *    in the spool when the agent ended stays there, no matter what a process that it left behind prints.
 * 6. Where the file system makes no holes the spool stops growing 8 MB after its quota. The last megabyte that was
 *    printed since is held in memory and appended, on a line of its own, when the agent ends.
 * 7. Without Perl the copier is `cat`, and bytes in its hands are lost when it is killed. After the quota it is `tail`,
 *    which appends the last megabyte when nobody can write any more. Secrets are then not removed.
 * 8. Secrets do not get into the spools (see `sift-script.ts`).
 */
const SPLICE_CALLS: Partial<Record<string, number>> = {
  x64: 275,
  ia32: 313,
  arm: 340,
  ppc64: 283,
  s390x: 306,
  arm64: 76,
  riscv64: 76,
  loong64: 76,
};

const TEE_CALLS: typeof SPLICE_CALLS = {
  x64: 276,
  ia32: 315,
  arm: 342,
  ppc64: 284,
  s390x: 308,
  arm64: 77,
  riscv64: 77,
  loong64: 77,
};

/** fallocate, where an offset is one argument. */
const PUNCH_CALLS: Partial<Record<string, number>> = {
  x64: 285,
  ppc64: 309,
  s390x: 314,
  arm64: 47,
  riscv64: 47,
  loong64: 47,
};

/** The number of a system call, 0 where bytes are read and written instead, or no hole is made. */
const callOf = (calls: typeof SPLICE_CALLS): string =>
  String(process.platform === "linux" ? (calls[process.arch] ?? 0) : 0);

/** It is known by its last argument: writing `$0` would wipe the session's mark out of its environment. Single
 *  quotes would end the shell's word. Numbers are Linux's: 1031 F_SETPIPE_SZ, 4 F_SETFL, 4 EINTR, 11 EAGAIN (35
 *  elsewhere), 22 EINVAL, 38 ENOSYS. A way is a FIFO, its spool, where the next hole begins, and what is held of the end, and how much of a line waits since how often.
 *  Room for 256 KB, since programs that leave without waiting lose what their pipe has no room for. */
const COPIER_IN_PERL = `
my $splice = ${callOf(SPLICE_CALLS)};
my $punch = ${callOf(PUNCH_CALLS)};
my $tee = ${callOf(TEE_CALLS)};
my $quota = $ARGV[0] eq "" ? "" : $ARGV[0] + 0;
my $kept = ${String(KEPT_BYTES)};
my @ways = ([undef, undef, $quota, "", 0, 0], [undef, undef, $quota, "", 0, 0]);
open($ways[0][0], "<&=", 7) && open($ways[0][1], "+<&=", 5) || exit 1;
open($ways[1][0], "<&=", 3) && open($ways[1][1], "+<&=", 6) || exit 1;
fcntl($ways[0][0], 1031, 1 << 18);
fcntl($_->[0], 4, $^O eq "darwin" ? 4 : 2048) for @ways;
${SIFT_IN_PERL}
sub put {
  my ($spool, $bytes) = @_;
  sysseek($spool, 0, 2);
  while (length $bytes) {
    my $written = syswrite($spool, $bytes);
    if ($written) { substr($bytes, 0, $written) = "" } else { select(undef, undef, undef, 0.2) }
  }
}
${SIFT_FIFO_IN_PERL}
sub by_hand {
  my ($fifo, $spool) = @_;
  my $count = sysread($fifo, my $bytes, 65536);
  my $error = $! + 0;
  put($spool, cleaned($bytes)) if $count;
  $! = $error;
  return defined $count ? $count : -1;
}
sub hold {
  my ($way) = @_;
  my $count = sysread($way->[0], my $bytes, 65536);
  $way->[3] = substr($way->[3] . $bytes, -${String(LAST_BYTES)}) if $count;
  return defined $count ? $count : -1;
}
sub let_go {
  my ($way) = @_;
  return if $way->[3] eq "";
  flock($way->[1], 2);
  put($way->[1], "\n" . cleaned($way->[3]));
  flock($way->[1], 8);
  $way->[3] = "";
}
sub limit {
  my ($way, $size) = @_;
  return 0 if $quota eq "" || $size <= $way->[2] + 2 * $kept;
  my $to = $size - $kept;
  if ($punch && syscall($punch, fileno($way->[1]), 3, $way->[2], $to - $way->[2]) != 0) { $punch = 0 if $! != 4 }
  elsif ($punch) { $way->[2] = $to }
  return !$punch;
}
sub append {
  my ($way) = @_;
  my ($fifo, $spool) = @$way;
  while (1) {
    flock($spool, 2);
    my $size = -s $spool || 0;
    my $full = limit($way, $size);
    my $end = pack("q", $size);
    my $count = $full ? hold($way)
      : $tee && $splice ? sift($way)
      : $splice ? syscall($splice, fileno($fifo), 0, fileno($spool), $end, 1 << 20, 2)
      : by_hand($fifo, $spool);
    my $error = $! + 0;
    flock($spool, 8);
    if ($count == -2) { select(undef, undef, undef, 0.02); return -1 }
    let_go($way) if $count == 0;
    return $count if $count >= 0 || $error == 11 || $error == 35;
    if (!$full && ($error == 22 || $error == 38)) { $splice = 0 }
    elsif ($error != 4) { select(undef, undef, undef, 0.2) }
  }
}
my $agent_runs = 1;
my $spool = $ways[0][1];
my $look_at = time + 3;
my $lost_at = 0;
sub look_for_folder {
  $look_at = time + 3;
  return if (stat($spool))[3];
  $lost_at ||= time;
  kill(time - $lost_at < 10 ? "-TERM" : "-KILL", getpgrp(0));
}
while (@ways) {
  my $ready = "";
  vec($ready, fileno($_->[0]), 1) = 1 for @ways;
  vec($ready, 4, 1) = 1 if $agent_runs;
  my $found = select($ready, undef, undef, $agent_runs ? 3 : undef);
  look_for_folder() if $agent_runs && time >= $look_at;
  next if $found <= 0;
  my $ends = $agent_runs && vec($ready, 4, 1);
  $nothing_waits ||= $ends;
  @ways = grep {
    my $count = !$ends && vec($ready, fileno($_->[0]), 1) ? append($_) : -1;
    for (my $left = 1 << 20; $ends && $left > 0; $left -= $count) { last if ($count = append($_)) <= 0 }
    $count != 0
  } @ways;
  next unless $ends;
  $agent_runs = 0;
  for (@ways) {
    let_go($_);
    my $size = -s $_->[1] || 0;
    $_->[2] = $size if $quota ne "" && $size > $quota;
  }
  my $goes_on = @ways ? fork : undef;
  exit 0 if !defined $goes_on || $goes_on;
}
`;

const COPIER_IN_SHELL = `
  copy() {
    cat <&"$1" >>"$2" & cat=$!
    while [ -n "$quota" ] && kill -0 "$cat" 2>/dev/null; do
      if [ "$(wc -c <"$2")" -gt "$quota" ]; then
        kill -KILL "$cat"
        echo >>"$2"
        exec tail -c ${String(LAST_BYTES)} <&"$1" >>"$2"
      fi
      sleep 0.2
    done
    wait "$cat"
  }
  copy 7 "$folder/out.spool" & copy 3 "$folder/err.spool" & cats=$!
  cat <&4 >/dev/null
  copied= looks=0
  while kill -0 "$cats" 2>/dev/null && [ "$looks" -lt 10 ]; do
    before=$copied copied=$(wc -c "$folder/out.spool" "$folder/err.spool")
    looks=$((looks + 1))
    [ "$copied" = "$before" ] || looks=0
    sleep 0.1
  done
  exit 0
`;

/** Opening both ends first keeps the opening of one from waiting; a shell has descriptors up to 9. */
const COPIER = `
copier() {
  trap '' HUP INT QUIT TERM PIPE
  exec 9>&- 5<>"$folder/copying" 6<>"$folder/out.pipe" 7<>"$folder/err.pipe" >/dev/null 2>&1
  exec 4<"$folder/copying" 0<"$folder/out.pipe" 3<"$folder/err.pipe"
  exec 7<&0 0</dev/null 5<>"$folder/out.spool" 6<>"$folder/err.spool"
  quota=
  [ ! -f "$folder/quota" ] || IFS= read -r quota <"$folder/quota"
  case $quota in *[!0-9]*) quota= ;; esac
  perl=/usr/bin/perl
  [ -x "$perl" ] || perl=$(command -v perl) || { ${COPIER_IN_SHELL} }
  HOLDFAST_SIFT=$sift PERL5OPT='' PERL5LIB='' LC_ALL=C exec "$perl" -e '${COPIER_IN_PERL}' "$quota" holdfast-copier
}
`;

/** For the keeper, once the session is its own: from here on the agent may begin. Without FIFOs the spools are its output. */
export const KEEPER_COPY = `${COPIER}
out="$folder/out.spool" err="$folder/err.spool" copier=
if mkfifo -m 600 "$folder/copying" "$folder/out.pipe" "$folder/err.pipe" 2>/dev/null; then
  out="$folder/out.pipe" err="$folder/err.pipe"
  exec 5<>"$folder/copying" 9>"$folder/copying" 5>&-
  exec 6<>"$out" 7<>"$err"
  copier & copier=$!
  printf '%s\\n' "$copier" >"$folder/copier"
fi
`;

/** How the agent is run: with the pipes, and without what shows the copier that it runs. */
export const AGENT_OUTPUT = `>>"$out" 2>>"$err" 9>&-`;

/**
 * What the agent wrote is in the spools after this. A copier that was killed is followed by another; until then the keeper
 * holds the reading ends, since what is in a FIFO that nobody has open is gone.
 */
export const KEEPER_COPIED = `
exec 6<"$out" 7<"$err" 9>&-
for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  [ -n "$copier" ] || break
  while wait "$copier"; copied=$?; do
    case $copied in 129 | 130 | 131 | 143) ;; *) break ;; esac
  done
  [ "$copied" != 0 ] || break
  copier & copier=$!
  printf '%s\\n' "$copier" >"$folder/copier"
done
rm -f "$folder/copying" "$folder/out.pipe" "$folder/err.pipe" "$folder/copier"
exec 6<&- 7<&-
`;

/** A copier by itself, for a session that has lost its own. Its argument is the session's folder. */
export const COPIER_SCRIPT = `folder=$1 sift=\${HOLDFAST_SIFT-}
unset HOLDFAST_SIFT
${COPIER}
copier
`;
