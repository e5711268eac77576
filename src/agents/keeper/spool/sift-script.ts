/**
 * The part of the copier that removes secrets before they are in a spool.
 *
 * What to look for comes in the variable HOLDFAST_SIFT (see `siftTable`): known values, byte for byte, and shapes.
 * 1. What is in the FIFO is looked at without being taken (tee). What is clean moves inside the kernel, as without this;
 *    a secret is read and dropped, and its name is written in its place. So a byte that is no secret is in the FIFO or
 *    in the spool whenever the copier is killed; of a secret at most its name is missing.
 * 2. A line whose end has not come is left in the FIFO for at most 1 s, and so is a private key whose end has not:
 *    a secret that is written in two pieces is seen as one. Of a long line only the last 16 KB wait. Once the agent has
 *    ended nothing waits.
 * 3. Agents print JSON: a secret that begins or ends within an escape leaves that escape as it is, and what stands in
 *    its place needs none. So a line that could be read before can be read after.
 * 4. A shape that begins a word may begin after an escape of JSON, or after a colour of a terminal, which end in letters.
 * 5. Where bytes cannot be looked at first, pieces are cleaned as they are read.
 */

/** Single quotes would end the shell's word, in which this stands. */
export const SIFT_IN_PERL = String.raw`
my (@shapes, %named, @of_lines);
for (split /\n/, defined $ENV{HOLDFAST_SIFT} ? $ENV{HOLDFAST_SIFT} : "") {
  my ($kind, $name, $what, $needs) = split /\t/;
  my $text = pack("H*", $what);
  if ($kind eq "k") { $named{$text} = $name; push @of_lines, $text if index($text, "\n") >= 0 }
  else { push @shapes, [$name, qr/$text/, [map { pack("H*", $_) } split /,/, $needs], $kind eq "b"] }
}
delete $ENV{HOLDFAST_SIFT};
my $sifts = %named || @shapes;
my $values = join "|", map { quotemeta } sort { length $b <=> length $a } keys %named;
sub begins_word {
  my ($text, $at) = @_;
  return 1 if $at == 0 || substr($text, $at - 1, 1) !~ /\w/;
  my $before = substr($text, $at < 28 ? 0 : $at - 28, $at < 28 ? $at : 28);
  return $before =~ /(?:\\[bfnrt]|\\u[0-9a-fA-F]{4}|(?:\x1b|\\u001[bB])\[[0-9;?]{0,16}[A-Za-z])\z/;
}
sub secrets_in {
  my ($text) = @_;
  my @found;
  while ($values ne "" && $text =~ /$values/g) { push @found, [$-[0], $+[0], $named{$&}] }
  for my $shape (@shapes) {
    my ($name, $looks, $needs, $begins_word) = @$shape;
    next unless grep { index($text, $_) >= 0 } @$needs;
    while ($text =~ /$looks/g) {
      if ($begins_word && !begins_word($text, $-[0])) { pos($text) = $-[0] + 1; next }
      push @found, [defined $1 ? $+[1] : $-[0], $+[0], $name];
    }
  }
  my ($at, @apart) = (0);
  for (sort { $a->[0] <=> $b->[0] || $b->[1] <=> $a->[1] } @found) {
    my ($from, $to, $name) = @$_;
    $from = $at if $from < $at;
    my ($before, $after) = (0, 0);
    $before++ while $from > $before && substr($text, $from - $before - 1, 1) eq "\\";
    $from += substr($text, $from, 5) =~ /^u[0-9a-fA-F]{4}/ ? 5 : 1 if $before % 2;
    $after++ while $to - $after > $from && substr($text, $to - $after - 1, 1) eq "\\";
    $to-- if $after % 2;
    next if $to <= $from;
    push @apart, [$from, $to, "[redacted: $name]"];
    $at = $to;
  }
  return @apart;
}
sub cleaned {
  my ($text) = @_;
  for (reverse secrets_in($text)) { substr($text, $_->[0], $_->[1] - $_->[0]) = $_->[2] }
  return $text;
}
sub safe_end {
  my ($text) = @_;
  my $size = length $text;
  my $end = rindex($text, "\n") + 1;
  $end = $size - 16384 if $size - $end > 16384;
  my $key = rindex($text, "-----BEGIN ");
  $end = $key if $key >= 0 && $key < $end && $size - $key < 16384
    && substr($text, $key, 60) =~ /PRIVATE KEY/ && index($text, "-----END ", $key) < 0;
  for my $form (@of_lines) {
    my $most = length($form) - 1 < $size ? length($form) - 1 : $size;
    for (my $n = $most; $n > 0; $n--) {
      next if substr($text, -$n) ne substr($form, 0, $n);
      $end = $size - $n if $size - $n < $end;
      last;
    }
  }
  return $end;
}
`;

/** For a copier that can look at a FIFO without taking from it: `$tee` and `$splice` are numbers of system calls. */
export const SIFT_FIFO_IN_PERL = String.raw`
my ($peeked, $peeking);
$tee = 0 unless $sifts && pipe($peeked, $peeking);
fcntl($peeking, 1031, 1 << 18) if $tee;
my $nothing_waits = 0;
sub move {
  my ($way, $left) = @_;
  while ($left > 0) {
    my $end = pack("q", -s $way->[1] || 0);
    my $count = syscall($splice, fileno($way->[0]), 0, fileno($way->[1]), $end, $left, 2);
    return 0 if $count <= 0 && $! != 4;
    $left -= $count if $count > 0;
  }
  return 1;
}
sub drop {
  my ($fifo, $left) = @_;
  while ($left > 0) {
    my $count = sysread($fifo, my $gone, $left);
    if ($count) { $left -= $count } elsif (defined $count || $! != 4) { return }
  }
}
sub sift {
  my ($way) = @_;
  my $count = syscall($tee, fileno($way->[0]), fileno($peeking), 1 << 18, 2);
  return $count if $count <= 0;
  my $seen = "";
  while (length $seen < $count) { last unless sysread($peeked, $seen, $count - length $seen, length $seen) }
  my $end = $count;
  if (!$nothing_waits && (my $safe = safe_end($seen)) < $count) {
    ($way->[4], $way->[5]) = ($count, 0) if $way->[4] != $count;
    $end = $safe if $way->[5]++ < 50;
  }
  my @secrets = secrets_in($seen);
  if ($end < $count) { for (@secrets) { $end = $_->[0] if $_->[0] < $end && $_->[1] > $end } }
  return -2 if $end == 0;
  my $at = 0;
  for (@secrets) {
    my ($from, $to, $instead) = @$_;
    last if $from >= $end;
    return $at || -1 unless move($way, $from - $at);
    drop($way->[0], $to - $from);
    put($way->[1], $instead);
    $at = $to;
  }
  return $at || -1 unless move($way, $end - $at);
  return $end;
}
`;
