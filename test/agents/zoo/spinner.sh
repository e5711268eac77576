# A terminal program that turns its spinner for ever, as if it worked.
while :; do
  for mark in '|' / - '\'; do
    printf '\r%s Working (esc to interrupt)' "$mark"
    sleep 0.1
  done
done
